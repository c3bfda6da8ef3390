"""Words that the model did not translate: which ones, by what they are replaced, and what stays as it is."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine import Follow, Phrase, Request, SearchOptions, Translator
from engine.decoding.pipeline import NUM_REPLACED_IN
from engine.decoding.placing import PIECE_REWARD
from engine.decoding.untranslated import MAX_REPLACED, WordReplacer, articles_before, untranslated_words
from engine.interruption import NEVER
from engine.model import LoadedModel, load_model
from engine.model.lexicon import Lexicon, Lexicons
from engine.search.follow import FollowedText, Following, penalty_of
from engine.search.sentence import SentenceResult
from engine.text import EOS
from tests.interruptions import InterruptedBy
from tests.reference.changes import slow_penalty

OPTIONS = SearchOptions(beam=5, nbest=3)
WITH_LEXICON = replace(OPTIONS, lexicon=True)
MADE_UP = ("zyxtal", "quombat", "vexil", "yuggo", "klaxofon")  # words that a model copies, as it cannot know them
FORMS = "Tisch Tische Tisches Stuhl Fenster"
ARTICLES = ("Der", "Die", "Das", "Den", "Dem", "Des")
ENTRIES = {
    "harvest": "Ernte Ernten ernten",
    "farmers": "Bauern",
    "cavalry": "Kavallerie",
    "müller": "miller",
    "crew": "= Besatzung",
}
KNOWN = frozenset({"der", "die", "das", "ernte", "ist", "gut", "server", "in", "küche"})


def found(source: str, text: str, links: Mapping[str, str] | None = None, followed: str = "") -> list[tuple[str, str]]:
    """The untranslated words, each with the first word that may take its place; `links` are aligned words."""
    alignment = []
    for target, word in (links or {}).items():
        a, c = source.index(word), text.index(target)
        alignment.append((a, a + len(word), c, c + len(target)))
    lexicon = Lexicon("en-de", ENTRIES, KNOWN)
    words = untranslated_words(source, text, alignment, lexicon, followed)
    return [(text[word.start : word.end], word.forms[0]) for word in words]


CASES = [
    (("The harvest is good.", "Die harvest ist gut."), [("harvest", "Ernte")], "copied"),
    (("The harvest is good.", "Die Harvest ist gut."), [("Harvest", "Ernte")], "copied, with a capital letter"),
    (("Harvest the wheat.", "Harvest ist gut."), [("Harvest", "Ernte")], "at the beginning of the sentence"),
    (("Mr. Harvest is good.", "Herr Harvest ist gut."), [], "a name"),
    (("Use “harvest” here.", "Nutze „harvest“ hier."), [], "quoted"),
    (("Run harvest_data now.", "Nutze harvest_data jetzt."), [], "part of code"),
    (("The server is good.", "Die server ist gut."), [], "no entry"),
    (("The crew is good.", "Die Crew ist gut."), [], "a word that may stay"),
    (
        ("The crew is good.", "Die Krew ist gut.", {"Krew": "crew"}),
        [("Krew", "Besatzung")],
        "that may stay, but changed",
    ),
    (("Safety and Harvest", "Ernte und Harvest"), [("Harvest", "Ernte")], "in a heading"),
    (("Harvest Foods is good.", "Harvest Foods ist gut."), [], "the first word of a name"),
    (("Harvest said he is good.", "Harvest sagte, er ist gut."), [], "a name, as it says something"),
    (("Good. Harvest told me.", "Gut. Harvest sagte es mir."), [], "a name in the second sentence"),
    (("Farmers said so.", "Farmers sagten das."), [("Farmers", "Bauern")], "a plural that says something"),
    (("The cavalry is good.", "Die Kavalry ist gut.", {"Kavalry": "cavalry"}), [("Kavalry", "Kavallerie")], "made up"),
    (("The cavalry is good.", "Die Server ist gut.", {"Server": "cavalry"}), [], "a word of the language"),
    (("The cavalry is good.", "Die Kavalry ist gut.", {}), [], "made up, for no word that is known"),
    (("The harvest is good.", "Die harvest ist gut.", {}, "Die harvest, gut"), [], "in the text that is followed"),
    (("The harvest is good.", "ist gut: Die. Harvest."), [("Harvest", "Ernte")], "before a full stop"),
    (("A good one (the harvest).", "gut (die harvest)."), [("harvest", "Ernte")], "before a bracket"),
    (("", ""), [], "nothing"),
]


@pytest.mark.parametrize(("given", "expected", "reason"), CASES, ids=[reason for _, _, reason in CASES])
def test_untranslated_words_are_found(given, expected, reason):
    assert found(*given) == expected, reason


def test_forms_get_a_capital_letter_at_the_beginning_of_a_sentence():
    lexicon = Lexicon("en-de", {"frequent": "häufig Häufig"}, KNOWN)
    (word,) = untranslated_words("Frequent rain.", "Frequent ist gut.", (), lexicon)
    assert word.forms == ("Häufig",)


def test_german_sources_have_capital_letters_that_are_no_names():
    lexicon = Lexicon("de-en", ENTRIES, KNOWN)
    (word,) = untranslated_words("Der Müller ist gut.", "The Müller is good.", (), lexicon)
    assert word.forms == ("miller",)


@pytest.fixture(scope="module")
def bundled() -> LoadedModel:
    return load_model("data/models/en-de")


@pytest.fixture(scope="module")
def translator(bundled: LoadedModel) -> Translator:
    entries = [f"en-de\t{word}\t{FORMS}" for word in MADE_UP]
    return Translator(replace(bundled, lexicons=Lexicons.parse((*entries, *map("de\t{}".format, KNOWN)))))


@dataclass(frozen=True)
class Copied:
    """A source with a made-up word, and its translation with the same word."""

    word: str
    source: str
    text: str

    def is_in(self, text: str) -> bool:
        return self.word in text.lower().rstrip(".").split()


@pytest.fixture(scope="module")
def copied(translator: Translator) -> Copied:
    for word in MADE_UP:
        source = f"The {word} is in the kitchen."
        found = Copied(word, source, translator.translate(Request(source), OPTIONS).hypotheses[0].text)
        if found.is_in(found.text):
            return found
    raise AssertionError("the model copies none of the made-up words; find others")


def used_in(text: str) -> set[str]:
    """The words of the lexicon in a text."""
    return set(FORMS.split()) & set(text.rstrip(".").split())


def test_word_is_replaced_by_the_form_that_the_model_finds_most_probable(
    translator: Translator, copied: Copied
) -> None:
    best = translator.translate(Request(copied.source), WITH_LEXICON).hypotheses[0]
    article, _, rest = copied.text.partition(" ")
    assert article in ARTICLES and rest.lower().startswith(copied.word)
    with_form = {form: form + rest[len(copied.word) :] for form in FORMS.split()}
    rated = {form: rating(translator, copied.source, f"{article} {text}") for form, text in with_form.items()}
    chosen = with_form[max(rated, key=rated.__getitem__)]
    texts = [f"{other} {chosen}" for other in ARTICLES]
    assert best.text == max(texts, key=lambda text: rating(translator, copied.source, text))
    [listed] = best.listed
    assert (listed.origin, listed.form) == ("lexicon", best.text[listed.start : listed.end])
    assert listed.form in FORMS.split() and copied.source[slice(*listed.source_span)] == copied.word


def rating(translator: Translator, source: str, text: str) -> float:
    """The log-probability of a text with the reward for its pieces, by the model alone."""
    scored = translator.score(source, text)
    return scored.log_prob + PIECE_REWARD * len(scored.tokens)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Keine Ernte.", "Ernte", ["Kein Ernte.", "Keinen Ernte.", "Keinem Ernte.", "Keiner Ernte.", "Keines Ernte."]),
        ("Wir essen dieses Obst.", "Obst", [f"Wir essen dies{ending} Obst." for ending in ("e", "en", "em", "er")]),
        ("Die gute Ernte.", "Ernte", []),
        ("Die – Ernte.", "Ernte", []),
        ("Ernte.", "Ernte", []),
    ],
)
def test_articles_before_a_word_in_other_forms(text: str, word: str, expected: list[str]) -> None:
    assert articles_before(text, text.index(word)) == expected


def test_hypotheses_have_the_scores_of_their_new_texts_in_the_order_before(
    translator: Translator, copied: Copied
) -> None:
    request = Request(copied.source)
    before, after = (translator.translate(request, options).hypotheses for options in (OPTIONS, WITH_LEXICON))
    assert len({one.text for one in after}) == len(after) and not copied.is_in(after[0].text)
    for one in after:
        scored = translator.score(copied.source, tokens=one.tokens)
        assert one.text == scored.text
        assert one.log_prob == pytest.approx(scored.log_prob, abs=1e-3) == pytest.approx(sum(one.token_log_probs))
        assert one.score == pytest.approx(scored.score, abs=1e-4)
        assert one.token_spans == scored.token_spans and one.alignment == scored.alignment
    ranked = [one.score - one.score_penalty for one in after]
    assert ranked == sorted(ranked, reverse=True)
    assert ranked[0] == pytest.approx(before[0].score)


def test_texts_that_become_equal_are_one(
    translator: Translator, copied: Copied, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = (*translator._codec.encode("Der Tisch ist in der Küche.").ids, EOS)
    monkeypatch.setattr(WordReplacer, "replaced", lambda *_: (pieces, ()))
    options = replace(WITH_LEXICON, nbest=NUM_REPLACED_IN + 1)
    found = translator.translate(Request(copied.source), options).hypotheses
    assert found[0].text == "Der Tisch ist in der Küche." and len(found) == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"avoid": FORMS.split()}, "each of its translations is avoided"),
        ({"prefix": "In"}, "a text that is being typed"),
        ({"direction": "de-en"}, "a direction without a lexicon"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_is_replaced(translator: Translator, copied: Copied, changes: dict[str, object], reason: str) -> None:
    request = replace(Request(copied.source), **changes)
    ours, theirs = (translator.translate(request, options).hypotheses for options in (OPTIONS, WITH_LEXICON))
    assert [one.text for one in ours] == [one.text for one in theirs], reason


def test_required_word_stays(translator: Translator, copied: Copied) -> None:
    request = Request(copied.source, phrases=[Phrase(copied.word, forms=[copied.word.capitalize()])])
    translation = translator.translate(request, WITH_LEXICON)
    assert translation.status == "complete" and copied.is_in(translation.hypotheses[0].text)


def test_only_translations_that_are_not_avoided_are_used(translator: Translator, copied: Copied) -> None:
    (used,) = used_in(translator.translate(Request(copied.source), WITH_LEXICON).hypotheses[0].text)
    other = translator.translate(Request(copied.source, avoid=[used]), WITH_LEXICON).hypotheses[0].text
    assert used_in(other) and used not in used_in(other) and not copied.is_in(other)


def test_word_that_a_followed_text_lacks_is_replaced(translator: Translator, copied: Copied) -> None:
    seen = translator.translate(Request(copied.source), WITH_LEXICON).hypotheses[0].text
    request = Request(copied.source, phrases=[Phrase("jetzt")], follow=Follow(seen, 0.1))
    without, best = (translator.translate(request, options).hypotheses[0] for options in (OPTIONS, WITH_LEXICON))
    assert copied.is_in(without.text) and used_in(best.text) and "jetzt" in best.text
    followed = FollowedText(tuple(translator._codec.encode(followed_by(translator, request)).ids), 0.1)
    assert best.change_penalty == pytest.approx(slow_penalty(followed, best.tokens, EOS))


def followed_by(translator: Translator, request: Request) -> str:
    """The followed text with the phrases in it."""
    prepared = translator.pipeline.with_phrases_placed(translator.pipeline.prepare(request), NEVER)
    assert prepared.followed is not None
    return translator._codec.decode(prepared.followed.pieces).text


def test_word_of_a_followed_text_stays(translator: Translator, copied: Copied) -> None:
    request = Request(copied.source, phrases=[Phrase("jetzt")], follow=Follow(copied.text, 4.0))
    assert copied.is_in(translator.translate(request, WITH_LEXICON).hypotheses[0].text)


def test_prefix_of_a_followed_text_stays_and_costs_nothing(translator: Translator, copied: Copied) -> None:
    seen = translator.translate(Request(copied.source), WITH_LEXICON).hypotheses[0].text
    prefix = f"Hier: {copied.word} und"
    request = Request(copied.source, prefix=prefix, follow=Follow(seen, 0.1))
    best = translator.translate(request, WITH_LEXICON).hypotheses[0]
    assert best.text.startswith(prefix)
    free = translator.translate(replace(request, prefix=prefix, follow=Follow(best.text, 4.0)), WITH_LEXICON)
    assert free.hypotheses[0].change_penalty == 0.0


def test_new_texts_have_no_more_pieces_than_the_model_writes(translator: Translator, copied: Copied) -> None:
    prepared = translator.pipeline.prepare(Request(copied.source))
    lexicon = Lexicon("en-de", {copied.word: "Tisch Küchentischplatten"}, KNOWN)
    read = translator.pipeline.reader(prepared)
    codec, text = translator._codec, f"Ein {copied.word} ist in der Küche."
    num_pieces, lengths = len(codec.encode(text).ids), set()
    for limit in range(num_pieces - 5, num_pieces + 8):
        replaced = WordReplacer(prepared, lexicon, codec, read, limit, NEVER).replaced(text, ())
        pieces = replaced and replaced[0]
        assert pieces is None or len(pieces) <= limit
        lengths.add(pieces and len(pieces))
    assert None in lengths and len(lengths) > 1


def test_only_the_first_of_many_words_are_replaced(translator: Translator, copied: Copied) -> None:
    prepared = translator.pipeline.prepare(Request(copied.source))
    read = translator.pipeline.reader(prepared)
    lexicon = Lexicon("en-de", {copied.word: "Tisch"}, KNOWN)
    replacer = WordReplacer(prepared, lexicon, translator._codec, read, 512, NEVER)
    replaced = replacer.replaced(" ".join([copied.word] * (MAX_REPLACED + 2)), ())
    assert replaced is not None
    text = translator._codec.decode(replaced[0]).text
    assert text.split() == ["Tisch"] * MAX_REPLACED + [copied.word] * 2
    assert [text[one.start : one.end] for one in replaced[1]] == ["Tisch"] * MAX_REPLACED


def test_interrupted_replacement_leaves_the_words(translator: Translator, copied: Copied) -> None:
    pipeline, request = translator.pipeline, Request(copied.source)
    result = search_result(translator, request)
    stopped = pipeline.translation(
        request, pipeline.prepare(request), result, WITH_LEXICON, InterruptedBy(lambda: "deadline")
    )
    assert stopped.hypotheses[0].text == copied.text


def search_result(translator: Translator, request: Request) -> SentenceResult:
    """The result of the search, as the decoding loop passes it to the pipeline."""
    results: list[SentenceResult] = []
    translation = translator.pipeline.translation
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            translator.pipeline, "translation", lambda *given: (results.append(given[2]), translation(*given))[1]
        )
        translator.translate(request, OPTIONS)
    return results[0]


def test_cost_of_changes_is_that_of_the_definition() -> None:
    rng = random.Random(3)
    for _ in range(200):
        followed, written = (tuple(rng.choices(range(4), k=rng.randint(0, 6))) for _ in range(2))
        text = FollowedText(followed, 0.5)
        assert penalty_of(text, (), written) == slow_penalty(text, (*written, EOS), EOS)
        start = rng.randint(0, len(written))
        whole = Following({0: text}, 1).start(np.array([0]), [written[:start]])
        assert (start < len(written)) or penalty_of(text, written, written) == Following({0: text}, 1).end_penalties(
            np.array([0]), whole
        )
