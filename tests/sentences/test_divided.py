"""Sources of several sentences: each sentence is translated as alone, and the constraints hold for the whole."""

from __future__ import annotations

import itertools
import pickle
import random
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from engine import (
    DatastoreOptions,
    Follow,
    Hypothesis,
    Phrase,
    PivotTranslator,
    Request,
    ScoreQuestion,
    SearchOptions,
    Translation,
    Translator,
    Worker,
    occurrences,
)
from engine.decoding.model_pipeline import ModelPipeline
from engine.model import AlignmentHead, LoadedModel, ModelConfig, Transformer
from engine.text import EOS, TextCodec

SENTENCES = ("The brown fox opens the dialog.", "Nobody knows the file.", "Then the snow melts, doesn't it?")
SOURCE = f"{SENTENCES[0]}  {SENTENCES[1]}\n{SENTENCES[2]}"
GAPS = ("  ", "\n")
OPTIONS = SearchOptions(beam=4, nbest=4, max_length_factor=1.0, max_length_offset=4)
WORDS = ("Datei", "Knoten", "auf allen Seiten", "Fenster", "3,5 %", "„Haus“")


def make_translator(codec: TextCodec, directions: tuple[str, ...] = ("en-de",), seed: int = 3) -> Translator:
    torch.manual_seed(seed)
    config = ModelConfig(len(codec.vocabulary), directions, 32, 2, 48, 2, 1, max_pieces=256)
    model, head = Transformer(config), AlignmentHead(config.model_size, 16)
    for parameter in (*model.parameters(), *head.parameters()):
        parameter.data.mul_(2)
    head.query.weight.data.mul_(8)  # sure of itself, so that there are links
    loaded = LoadedModel.of(config, codec, model.eval(), checksum=str(seed) * 64, alignment=head.eval())
    return Translator(loaded, name=str(seed))


@pytest.fixture(scope="module")
def translator(codec: TextCodec) -> Translator:
    return make_translator(codec)


@pytest.fixture(scope="module")
def pivot(codec: TextCodec) -> PivotTranslator:
    models = make_translator(codec, ("de-en",), 1), make_translator(codec, ("en-de",), 2)
    return PivotTranslator(*models, "de-en", "en-de")


def texts(translation: Translation) -> list[str]:
    return [hypothesis.text for hypothesis in translation.hypotheses]


def joined(parts: Sequence[str], gaps: Sequence[str] = GAPS) -> str:
    return "".join(text for pair in zip(parts, (*gaps, ""), strict=True) for text in pair)


def ranking(hypothesis: Hypothesis) -> float:
    return hypothesis.score - hypothesis.score_penalty


def check_spans(source: str, hypothesis: Hypothesis) -> None:
    """The spans of tokens, placements, locked texts and links are those of what they name."""
    text = hypothesis.text
    assert len(hypothesis.tokens) == len(hypothesis.token_spans) == len(hypothesis.token_log_probs)
    assert hypothesis.log_prob == pytest.approx(sum(hypothesis.token_log_probs))
    for placement in hypothesis.placements:
        assert text[placement.start : placement.end] == placement.form
    for start, end, target_start, target_end in hypothesis.alignment + hypothesis.weak_alignment:
        for part in (source[start:end], text[target_start:target_end]):
            assert part and part == part.strip()
    assert [link[2:] for link in hypothesis.alignment] == sorted(link[2:] for link in hypothesis.alignment)


@pytest.mark.parametrize("options", [OPTIONS, replace(OPTIONS, score="log_prob")])
def test_each_sentence_is_translated_as_alone(translator: Translator, options: SearchOptions) -> None:
    alone = [translator.translate(Request(sentence), options) for sentence in SENTENCES]
    whole = translator.translate(Request(SOURCE), options)
    best, bests = whole.hypotheses[0], [one.hypotheses[0] for one in alone]
    assert whole.status == "complete"
    assert best.text == joined([one.text for one in bests])
    assert best.tokens == tuple(token for one in bests for token in one.tokens)
    assert best.tokens.count(EOS) == 3
    assert best.log_prob == pytest.approx(sum(one.log_prob for one in bests), abs=1e-4)
    expected = best.log_prob if options.score == "log_prob" else best.log_prob / len(best.tokens)
    assert (best.score, best.score_penalty) == (pytest.approx(expected), 0.0)
    assert [SOURCE[start:end] for start, end in whole.sentences] == list(SENTENCES)
    links = []
    source_start = target_start = 0
    for sentence, one, gap in zip(SENTENCES, bests, (*GAPS, ""), strict=True):
        links += [
            (a + source_start, b + source_start, c + target_start, d + target_start) for a, b, c, d in one.alignment
        ]
        source_start += len(sentence + gap)
        target_start += len(one.text + gap)
    assert links and list(best.alignment) == links
    written = [best.text[start:end] for start, end in best.token_spans]
    assert written == [one.text[start:end] for one in bests for start, end in one.token_spans]


@pytest.mark.parametrize("kind", ["normalised", "log_prob", "bounded_length_reward"])
def test_n_best_list_has_the_best_of_all_combinations(translator: Translator, kind) -> None:
    options = replace(OPTIONS, score=kind, length_reward=0.3, length_ratio=1.2)
    lists = [translator.translate(Request(sentence), options).hypotheses for sentence in SENTENCES]
    weights = [len(own[0].tokens) if kind == "normalised" else 1 for own in lists]
    total = sum(weights) if kind == "normalised" else 1
    ranked: dict[str, tuple[float, float]] = {}
    for parts in itertools.product(*lists):
        value = sum(weight * ranking(part) for weight, part in zip(weights, parts, strict=True)) / total
        text, log_prob = joined([part.text for part in parts]), sum(part.log_prob for part in parts)
        if text not in ranked or value > ranked[text][0]:
            ranked[text] = value, log_prob
    expected = sorted(ranked, key=lambda text: -ranked[text][0])[: options.nbest]
    found = translator.translate(Request(SOURCE), options).hypotheses
    assert [one.text for one in found] == expected
    for one in found:
        assert (ranking(one), one.log_prob) == pytest.approx(ranked[one.text], abs=1e-4)
        if kind == "normalised":
            assert one.score == pytest.approx(one.log_prob / len(one.tokens))


def test_one_sentence_takes_the_same_path_as_without_splitting(translator: Translator, monkeypatch) -> None:
    request = Request(SENTENCES[0], phrases=[Phrase("Datei")], prefix="Die ")
    expected = translator.translate(replace(request, split_sentences=False), OPTIONS)
    monkeypatch.setattr("engine.any_translator.DividedRequest", None)
    found = translator.translate(request, OPTIONS)
    assert (found.hypotheses, found.sentences) == (expected.hypotheses, ())


def test_switched_off_the_whole_is_one_sentence(translator: Translator) -> None:
    found = translator.translate(Request(SOURCE, split_sentences=False), OPTIONS)
    assert found.sentences == () and found.reasons == ()
    assert all(hypothesis.tokens.count(EOS) == 1 for hypothesis in found.hypotheses)


@pytest.mark.parametrize("word", WORDS)
def test_phrase_without_a_place_goes_where_the_whole_scores_best(translator: Translator, word: str) -> None:
    phrase = Phrase(word)
    free = [translator.translate(Request(sentence), OPTIONS).hypotheses[0] for sentence in SENTENCES]
    wholes = []
    for number, sentence in enumerate(SENTENCES):
        parts = [*free]
        parts[number] = translator.translate(Request(sentence, phrases=[phrase]), OPTIONS).hypotheses[0]
        total = sum(len(part.tokens) for part in parts)
        wholes.append((sum(part.log_prob for part in parts) / total, joined([part.text for part in parts])))
    found = translator.translate(Request(SOURCE, phrases=[phrase]), OPTIONS)
    assert found.hypotheses[0].text == max(wholes)[1]
    assert found.hypotheses[0].score == pytest.approx(max(wholes)[0], abs=1e-4)


def test_phrase_that_a_translation_has_stays_there(translator: Translator) -> None:
    free = [translator.translate(Request(sentence), OPTIONS).hypotheses[0].text for sentence in SENTENCES]
    word = next(word for word in free[1].split() if joined(free).split().count(word) == 1)
    found = translator.translate(Request(SOURCE, phrases=[Phrase(word, boundary="anywhere")]), OPTIONS)
    second = translator.translate(Request(SENTENCES[1], phrases=[Phrase(word, boundary="anywhere")]), OPTIONS)
    assert found.hypotheses[0].text == joined([free[0], second.hypotheses[0].text, free[2]])


def test_term_goes_to_the_sentence_of_its_span(translator: Translator) -> None:
    for number, sentence in enumerate(SENTENCES):
        start = SOURCE.index(sentence)
        term = Phrase("Fenster", source_span=(start, start + len(sentence.split()[0])))
        own = Phrase("Fenster", source_span=(0, len(sentence.split()[0])))
        alone = translator.translate(Request(sentence, phrases=[own]), OPTIONS).hypotheses[0]
        found = translator.translate(Request(SOURCE, phrases=[term]), OPTIONS).hypotheses[0]
        assert found.text.splitlines(keepends=True) and alone.text in found.text
        [placement] = found.placements
        before = found.text.index(alone.text)
        assert placement.start - before == alone.placements[0].start
        assert placement.aligned == any(
            link[0] < term.source_span[1]
            and term.source_span[0] < link[1]
            and link[2] < placement.end
            and placement.start < link[3]
            for link in found.alignment
        ), number


def test_term_with_the_end_of_a_sentence_in_it_belongs_to_its_sentence(translator: Translator) -> None:
    found = translator.translate(Request(SOURCE, phrases=[Phrase("Haus! Datei", source_span=(4, 9))]), OPTIONS)
    assert (found.status, len(found.sentences)) == ("complete", 3)
    assert all(occurrences(one.text.split("  ")[0], "Haus! Datei") for one in found.hypotheses)


def random_request(rng: random.Random, source: str = SOURCE) -> Request:
    phrases = []
    for word in rng.sample(WORDS, rng.randint(0, 2)):
        count = rng.choice([1, 1, 2])
        phrases.append(Phrase(word, count=count, max_count=rng.choice([None, count, count + 1])))
    locked = rng.choice([(), (), ("Apfel",), ("Apfel", "Birne")])
    prefix = rng.choice(["", "", "Der ", "Der Fuchs geht. ", "Der Fuchs geht. Kei", "Der Fuchs geht. Ja. Und"])
    suffix = rng.choice(["", "", "am Ende."])
    return Request(source, phrases=phrases, avoid=("das", "Haus"), locked=locked, prefix=prefix, suffix=suffix)


def test_every_constraint_holds_in_every_hypothesis(translator: Translator) -> None:
    rng = random.Random(5)
    num_divided = 0
    for _ in range(14):
        request = random_request(rng)
        found = translator.translate(request, OPTIONS)
        assert found.status == "complete", (request, found.reasons)
        assert len(set(texts(found))) == len(found.hypotheses) > 0
        num_divided += bool(found.sentences)
        values = [ranking(one) for one in found.hypotheses]
        assert values == sorted(values, reverse=True)
        for one in found.hypotheses:
            check_spans(SOURCE, one)
            assert one.text.startswith(request.prefix.rstrip())
            assert one.text.endswith(request.suffix)
            for number, phrase in enumerate(request.phrases):
                count = len(occurrences(one.text, phrase.text))
                assert phrase.count <= count <= (phrase.max_count or count), (request, one.text)
                assert sum(placement.phrase == number for placement in one.placements) == phrase.count
            ends = [one.text[start:end] for start, end in one.locked]
            assert ends == [*request.locked, *[request.suffix] * bool(request.suffix)]
            assert [*one.locked] == sorted(one.locked)
            required = [*request.locked, *(phrase.text for phrase in request.phrases)]
            for avoided in request.avoid:
                allowed = sum(text.count(avoided.text) * one.text.count(text) for text in required)
                assert len(occurrences(one.text, avoided.text)) <= allowed
    assert num_divided >= 12


def test_constraints_keep_the_characters_that_were_given(translator: Translator) -> None:
    request = Request(
        SOURCE,
        phrases=[Phrase("E\u2011Mail"), Phrase("3,5\u00a0%", source_span=(0, 3))],
        locked=["auf\u00a0allen Seiten"],
        prefix="Das\u00a0Haus. Der Fuchs",
    )
    found = translator.translate(request, OPTIONS)
    assert found.status == "complete" and len(found.sentences) == 3
    for one in found.hypotheses:
        check_spans(SOURCE, one)
        assert one.text.startswith("Das\u00a0Haus. Der Fuchs")
        assert [placement.form for placement in one.placements] == ["E\u2011Mail", "3,5\u00a0%"]
        assert [one.text[start:end] for start, end in one.locked] == ["auf\u00a0allen Seiten"]


def test_prefix_gives_whole_sentences_and_the_beginning_of_the_next(translator: Translator) -> None:
    given = "Der braune Fuchs öffnet den Dialog. Keiner"
    found = translator.translate(Request(SOURCE, prefix=given, phrases=[Phrase("Fuchs"), Phrase("Keiner")]), OPTIONS)
    second = translator.translate(Request(SENTENCES[1], prefix="Keiner", phrases=[Phrase("Keiner")]), OPTIONS)
    last = translator.translate(Request(SENTENCES[2]), OPTIONS)
    first = "Der braune Fuchs öffnet den Dialog."
    best = found.hypotheses[0]
    assert best.text == joined([first, second.hypotheses[0].text, last.hypotheses[0].text], (" ", "\n"))
    assert {best.text[place.start : place.end] for place in best.placements} == {"Fuchs", "Keiner"}
    scored = translator.score(SENTENCES[0], first)
    expected = scored.log_prob + second.hypotheses[0].log_prob + last.hypotheses[0].log_prob
    assert best.log_prob == pytest.approx(expected, abs=1e-4)


def test_followed_text_is_divided_among_the_sentences(translator: Translator) -> None:
    followed = ("Der Fuchs öffnet die Datei.", "Keiner kennt das Haus.", "Dann schmilzt der Schnee.")
    request = Request(SOURCE, follow=Follow(" ".join(followed)), phrases=[Phrase("Haus")])
    found = translator.translate(request, OPTIONS).hypotheses[0]
    parts = [
        translator.translate(Request(sentence, follow=Follow(text), phrases=own), OPTIONS).hypotheses[0]
        for sentence, text, own in zip(SENTENCES, followed, ((), (Phrase("Haus"),), ()), strict=True)
    ]
    assert found.text == joined([part.text for part in parts])
    assert found.change_penalty == pytest.approx(sum(part.change_penalty for part in parts))


@pytest.mark.parametrize(
    "constraints",
    [
        {"phrases": [Phrase("Haus. Keiner")]},
        {"locked": ["Der Fuchs. Ein Haus."]},
        {"suffix": "Das ist gut. Wirklich."},
        {"follow": Follow("Der Fuchs öffnet nichts.")},
    ],
)
def test_what_cannot_be_divided_is_translated_as_one_sentence_and_says_so(translator, constraints) -> None:
    request = Request(SOURCE, **constraints)
    found = translator.translate(request, OPTIONS)
    whole = translator.translate(replace(request, split_sentences=False), OPTIONS)
    assert (found.status, found.hypotheses, found.sentences) == ("complete", whole.hypotheses, ())
    assert [reason.kind for reason in found.reasons] == ["not_divided"]
    assert found.request is request


def test_infeasible_request_has_the_same_reasons_as_without_splitting(translator: Translator) -> None:
    request = Request(SOURCE, phrases=[Phrase("漢"), Phrase("Haus")], avoid=["Haus"])
    found = translator.translate(request, OPTIONS)
    whole = translator.translate(replace(request, split_sentences=False), OPTIONS)
    assert (found.status, found.reasons, found.relaxation) == ("infeasible", whole.reasons, whole.relaxation)


def test_long_source_is_translated_sentence_by_sentence(translator: Translator) -> None:
    source = " ".join(f"{sentence} Number {number}." for number in range(12) for sentence in SENTENCES)
    assert translator.translate(Request(source, split_sentences=False), OPTIONS).status == "infeasible"
    found = translator.translate(Request(source), replace(OPTIONS, beam=2, nbest=1))
    assert found.status == "complete" and len(found.sentences) == 72


def test_placeholders_stay_in_the_sentences_that_have_them(translator: Translator) -> None:
    source = "The %s opens it. Nobody knows %d here. Then %s melts."
    phrases = [Phrase(text, count=n, max_count=n, boundary="anywhere") for text, n in (("%s", 2), ("%d", 1))]
    for one in translator.translate(Request(source, phrases=phrases), OPTIONS).hypotheses:
        assert [place.phrase for place in sorted(one.placements, key=lambda place: place.start)] == [0, 1, 0]


def test_score_of_a_translation_is_that_of_its_hypothesis(translator: Translator) -> None:
    for one in translator.translate(Request(SOURCE), OPTIONS).hypotheses:
        scored = translator.score(SOURCE, tokens=one.tokens)
        assert (scored.text, scored.tokens) == (one.text, one.tokens)
        assert scored.token_log_probs == pytest.approx(one.token_log_probs, abs=1e-4)
        assert (scored.score, scored.alignment) == (pytest.approx(one.score, abs=1e-4), one.alignment)
    target = "Der Fuchs öffnet es. Keiner kennt die Datei. Dann schmilzt es!"
    parts = [translator.score(*pair) for pair in zip(SENTENCES, target.replace(". ", ".|").split("|"), strict=True)]
    scored = translator.score(SOURCE, target)
    assert scored.text == target
    assert scored.log_prob == pytest.approx(sum(part.log_prob for part in parts))
    assert translator.score(SOURCE, "Ein Satz.").tokens.count(EOS) == 1


def test_alternatives_change_one_sentence_and_have_the_whole_text(translator: Translator) -> None:
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("Fenster")])
    best = translator.translate(request, OPTIONS).hypotheses[0]
    ends = [place + 1 for place, token in enumerate(best.tokens) if token == EOS]
    for number, (first, last) in enumerate(zip([0, *ends], ends, strict=False)):
        offset = next(a for a, b in best.token_spans[first:last] if best.text[a:b].strip())
        found = translator.alternatives(request, best, offset, 3, OPTIONS)
        assert found
        assert [one.hypothesis.score for one in found] == sorted((one.hypothesis.score for one in found), reverse=True)
        for one in found:
            tokens = list(one.hypothesis.tokens)
            own_ends = [place + 1 for place, token in enumerate(tokens) if token == EOS]
            pieces = [tokens[a:b] for a, b in zip([0, *own_ends], own_ends, strict=False)]
            assert pieces.pop(number) != list(best.tokens[first:last])
            kept = [list(best.tokens[a:b]) for a, b in zip([0, *ends], ends, strict=False) if a != first]
            assert pieces == kept
            check_spans(SOURCE, one.hypothesis)
            assert {place.phrase for place in one.hypothesis.placements} == {0, 1}
            assert one.hypothesis.text.startswith(best.text[:offset])


def test_cancelled_question_for_alternatives_has_none(translator: Translator) -> None:
    cancel = threading.Event()
    cancel.set()
    best = translator.translate(Request(SOURCE), OPTIONS).hypotheses[0]
    assert translator.alternatives(Request(SOURCE), best, 0, 3, OPTIONS, cancel=cancel) == ()


def test_alternatives_in_one_sentence_keep_the_characters_of_phrases_in_another(translator: Translator) -> None:
    forms = ["E\u2011Mail", "3,5\u00a0%"]
    request = Request(SOURCE, phrases=[Phrase(forms[0]), Phrase(forms[1], source_span=(0, 3))])
    best = translator.translate(request, OPTIONS).hypotheses[0]
    ends = [place + 1 for place, token in enumerate(best.tokens) if token == EOS]
    for first, last in zip([0, *ends], ends, strict=False):
        offset = next(a for a, b in best.token_spans[first:last] if best.text[a:b].strip())
        found = translator.alternatives(request, best, offset, 2, OPTIONS)
        assert found
        for one in found:
            check_spans(SOURCE, one.hypothesis)
            assert [placement.form for placement in one.hypothesis.placements] == forms


def test_alternatives_keep_the_white_space_of_the_prefix(translator: Translator) -> None:
    request = Request(SOURCE, prefix="Der Fuchs geht. Keiner")
    best = translator.translate(request, OPTIONS).hypotheses[0]
    offset = next(a for a, b in best.token_spans if a > len(request.prefix) and best.text[a:b].strip())
    found = translator.alternatives(request, best, offset, 3, OPTIONS)
    assert found and best.text.startswith(request.prefix)
    for one in found:
        assert one.hypothesis.text.startswith(request.prefix)
        check_spans(SOURCE, one.hypothesis)


def test_price_is_the_difference_of_whole_translations(translator: Translator) -> None:
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("Haus", source_span=(0, 3))], avoid=["der"])
    priced = translator.price(request, OPTIONS)
    plain = replace(request, hints=False)
    having = translator.translate(plain, OPTIONS).hypotheses[0].score

    def price(**changes) -> float:
        return translator.translate(replace(plain, **changes), OPTIONS).hypotheses[0].score - having

    assert priced.total == pytest.approx(price(phrases=(), avoid=()), abs=1e-4)
    assert priced.phrases[0] == pytest.approx(price(phrases=request.phrases[1:]), abs=1e-4)
    assert priced.phrases[1] == pytest.approx(price(phrases=request.phrases[:1]), abs=1e-4)
    assert priced.avoid[0] == pytest.approx(price(avoid=()), abs=1e-4)


def test_each_sentence_is_learned_with_its_source(translator: Translator) -> None:
    target = "Der Fuchs öffnet es. Keiner kennt die Datei. Dann schmilzt es!"
    stored = translator.stored_pair(Request(SOURCE), target, origin="here", least_fit=-100.0)
    parts = [
        translator.stored_pair(Request(sentence), text, least_fit=-100.0)
        for sentence, text in zip(SENTENCES, target.replace(". ", ".|").split("|"), strict=True)
    ]
    assert torch.equal(stored.states_TE, torch.cat([part.states_TE for part in parts]))
    datastore = translator.datastore_of([stored], DatastoreOptions(reach=5.0))
    found = translator.translate(Request(SOURCE), OPTIONS, datastore=datastore)
    assert found.hypotheses[0].text.split() == target.split()
    assert found.learned_from == ("here",)
    assert max(one.token for one in found.learned) > len(parts[0].pieces_T)
    assert translator.translate(Request(SOURCE), OPTIONS).hypotheses[0].text.split() != target.split()


def test_changed_constraint_decodes_only_its_sentence(codec: TextCodec, monkeypatch) -> None:
    translator = make_translator(codec)
    begun: list[str] = []
    sentence = ModelPipeline.sentence
    monkeypatch.setattr(
        ModelPipeline,
        "sentence",
        lambda self, prepared, *more: (begun.append(prepared.source), sentence(self, prepared, *more))[1],
    )
    start = SOURCE.index(SENTENCES[1])
    translator.translate(Request(SOURCE), OPTIONS)
    assert begun == list(SENTENCES)
    begun.clear()
    translator.translate(Request(SOURCE, phrases=[Phrase("Haus", source_span=(start, start + 6))]), OPTIONS)
    assert begun == [SENTENCES[1]]


def test_many_requests_in_order_are_translated_as_alone(codec: TextCodec) -> None:
    requests = [
        Request(SENTENCES[0]),
        Request(SOURCE),
        Request("Open it. Close it.", direction="en-fr"),
        Request(SOURCE, phrases=[Phrase("Haus"), Phrase("Knoten")]),
        Request(SOURCE, phrases=[Phrase("Haus. Ja")]),
        Request(SOURCE),
        Request(f"{SENTENCES[1]} {SENTENCES[2]}", locked=["Datei"]),
    ]
    translator = make_translator(codec)
    done: list[int] = []
    together = list(translator.translate_all(requests, OPTIONS, batch_size=3, progress=done.append))
    assert done == list(range(1, 8))
    assert [one.request for one in together] == requests
    with Worker(make_translator(codec)) as worker:
        futures = [worker.submit(request, OPTIONS) for request in requests]
        for number, (found, future) in enumerate(zip(together, futures, strict=True)):
            if number == 2:
                assert found.status == "failed" and "en-fr" in found.reasons[0].message
                assert "en-fr" in str(future.exception(60))
                continue
            alone = make_translator(codec).translate(requests[number], OPTIONS)
            answered = future.result(60)
            assert texts(found) == texts(alone) == texts(answered)
            assert found.sentences == alone.sentences == answered.sentences
            assert found.hypotheses[0].score == pytest.approx(alone.hypotheses[0].score, abs=1e-4)


def test_cancelled_request_has_no_hypotheses_and_others_go_on(codec: TextCodec) -> None:
    translator, cancel = make_translator(codec), threading.Event()
    cancel.set()
    found = translator.translate(Request(SOURCE, phrases=[Phrase("Haus")]), OPTIONS, cancel=cancel)
    assert (found.status, found.hypotheses, found.reasons[0].kind) == ("cancelled", (), "cancelled")
    late = translator.translate(Request(SOURCE), OPTIONS, deadline_ms=0.0)
    assert (late.status, late.reasons[0].kind) == ("deadline", "deadline")
    with Worker(translator) as worker:
        first = worker.submit(Request(SOURCE, phrases=[Phrase("Haus")]), replace(OPTIONS, beam=60), key="a")
        second = worker.submit(Request(SOURCE), OPTIONS, key="a")
        assert first.result(60).status in ("cancelled", "complete")
        assert second.result(60).status == "complete"


def test_unknown_characters_are_found_in_the_whole_source(translator: Translator) -> None:
    source = "It is on. The 漢 opens. Then 字 melts."
    found = translator.translate(Request(source), OPTIONS)
    assert [source[start:end] for start, end in found.unknown_source] == ["漢", "字"]


def test_two_models_translate_each_sentence_as_alone(pivot: PivotTranslator) -> None:
    sentences = ("Der rote Hund liegt im Schnee.", "Keiner kennt die Datei.")
    alone = [pivot.translate(Request(sentence), OPTIONS) for sentence in sentences]
    whole = pivot.translate(Request("\n".join(sentences)), OPTIONS)
    assert whole.hypotheses[0].text == "\n".join(one.hypotheses[0].text for one in alone)
    assert whole.pivot == " ".join(one.pivot for one in alone)
    best = whole.hypotheses[0]
    check_spans("\n".join(sentences), best)
    assert pivot.score("\n".join(sentences), tokens=best.tokens).score == pytest.approx(best.score, abs=1e-4)
    request = Request("\n".join(sentences), phrases=[Phrase("Knoten")], prefix="Ein Hund. ")
    for one in pivot.translate(request, OPTIONS).hypotheses:
        assert one.text.startswith("Ein Hund. ") and occurrences(one.text, "Knoten")
    [translated] = pivot.translate_all([Request("\n".join(sentences))], OPTIONS)
    assert texts(translated) == texts(whole) and translated.pivot == whole.pivot
    other = pivot.alternatives(Request("\n".join(sentences)), best, 0, 2, OPTIONS)
    assert all(one.hypothesis.text.endswith(alone[1].hypotheses[0].text) for one in other)


def test_what_crosses_to_other_processes_is_plain_data(translator: Translator) -> None:
    request = Request(SOURCE, split_sentences=False)
    assert pickle.loads(pickle.dumps(request)) == request
    found = translator.translate(Request(SOURCE), OPTIONS)
    assert pickle.loads(pickle.dumps(found)) == found
    with Worker(translator) as worker:
        scored = worker.ask(ScoreQuestion(Request(SOURCE), found.hypotheses[0].text)).result(60)
        assert scored.text == found.hypotheses[0].text
