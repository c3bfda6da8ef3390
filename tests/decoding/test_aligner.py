"""Word alignment in characters, and what it says of required terms."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine import Phrase, Placement, Request, SearchOptions, Translator, is_word_char
from engine.decoding.aligner import namesakes, repeated_words_in_order, with_alignment
from engine.model import AlignmentHead, LoadedModel, ModelConfig, Transformer
from engine.text import TextCodec, words

SOURCES = (
    "The quick brown fox opens the settings dialog, doesn't it?",
    "10:30 and 3,5 % of C++",
    "Cafe\u0301 or café: %s",
    "a",
)
OPTIONS = SearchOptions(beam=5, nbest=3)


def make_translator(codec: TextCodec, has_head: bool = True, sureness: float = 8) -> Translator:
    torch.manual_seed(17)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 2, "decoder_layers": 1}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, max_pieces=256)
    model = Transformer(config)
    head = AlignmentHead(config.model_size, 16)
    for parameter in (*model.parameters(), *head.parameters()):
        parameter.data.mul_(2)
    head.query.weight.data.mul_(sureness)  # so that there are links
    alignment = head.eval() if has_head else None
    return Translator(LoadedModel.of(config, codec, model.eval(), checksum="0" * 64, alignment=alignment))


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


@pytest.mark.parametrize("source", SOURCES)
def test_links_join_whole_words_of_both_texts_in_the_order_of_the_target(translator, codec, source):
    source_spans = codec.encode(source).spans
    source_words = {(source_spans[a][0], source_spans[b - 1][1]) for a, b in words(source, source_spans)}
    num_links = 0
    for hypothesis in translator.translate(Request(source), OPTIONS).hypotheses:
        spans = hypothesis.token_spans
        target_words = {(spans[a][0], spans[b - 1][1]) for a, b in words(hypothesis.text, spans)}
        for source_start, source_end, target_start, target_end in hypothesis.alignment:
            assert (source_start, source_end) in source_words
            assert (target_start, target_end) in target_words
        in_order = [(link[2], link[0]) for link in hypothesis.alignment]
        assert in_order == sorted(set(in_order))
        num_links += len(in_order)
    assert num_links > 0


def test_weak_links_join_words_without_other_partners_than_punctuation(codec):
    translator = make_translator(codec, sureness=16)
    num_links = 0
    for hypothesis in (h for source in SOURCES for h in translator.translate(Request(source), OPTIONS).hypotheses):
        text = hypothesis.text
        found = [link[:2] for link in hypothesis.weak_alignment]
        assert found == sorted(set(found))
        for link in hypothesis.alignment:
            if any(map(is_word_char, text[link[2] : link[3]])):
                assert all(link[:2] != weak[:2] and link[2:] != weak[2:] for weak in hypothesis.weak_alignment)
        assert all(any(map(is_word_char, text[link[2] : link[3]])) for link in hypothesis.weak_alignment)
        num_links += len(found)
    assert num_links > 0


def test_sentence_alone_is_aligned_as_in_a_batch(translator):
    requests = [Request(source, phrases=[Phrase("Knoten")]) for source in SOURCES]
    together = list(translator.translate_all(requests, OPTIONS))
    for request, among_others in zip(requests, together, strict=True):
        alone = translator.translate(request, OPTIONS)
        assert [h.text for h in alone.hypotheses] == [h.text for h in among_others.hypotheses]
        assert [h.alignment for h in alone.hypotheses] == [h.alignment for h in among_others.hypotheses]


def test_scored_tokens_are_aligned_as_the_search_aligned_them(translator):
    for hypothesis in translator.translate(Request(SOURCES[0]), OPTIONS).hypotheses:
        assert translator.score(SOURCES[0], tokens=hypothesis.tokens).alignment == hypothesis.alignment


@pytest.mark.parametrize("style", [{}, {"domain": "docs"}, {"domain": "docs", "formality": "formal"}])
def test_style_marks_of_a_source_shift_no_link(codec, style):
    """A head that goes by the pieces alone links each word of a text to the same one of that text."""
    config = ModelConfig(
        len(codec.vocabulary), ("en-de",), 32, 2, 48, 1, 1, domains=("docs",), formalities={"en-de": ("formal",)}
    )
    torch.manual_seed(17)
    model, head = Transformer(config), AlignmentHead(config.model_size, config.model_size)
    for part in (head.query, head.key):
        part.bias.data.zero_()
        part.weight.data.copy_(torch.cat([4 * torch.eye(32), torch.zeros(32, 32)], dim=1))
    translator = Translator(LoadedModel.of(config, codec, model.eval(), checksum="0" * 64, alignment=head.eval()))
    text = "The router saves a file when green light turns on."
    spans = codec.encode(text).spans
    places = [(spans[start][0], spans[end - 1][1]) for start, end in words(text, spans)]
    assert translator.score(text, text, **style).alignment == tuple((*place, *place) for place in places)


def test_model_without_alignment_head_leaves_alignment_and_aligned_unset(codec):
    request = Request(SOURCES[0], phrases=[Phrase("Knoten", source_span=(4, 9))])
    for hypothesis in make_translator(codec, has_head=False).translate(request, OPTIONS).hypotheses:
        assert hypothesis.alignment == ()
        assert [(p.aligned, p.doubled) for p in hypothesis.placements] == [(None, ())]


def test_only_terms_with_a_source_span_get_aligned_set(translator):
    request = Request(SOURCES[0], phrases=[Phrase("Knoten", source_span=(4, 9)), Phrase("auf")])
    for hypothesis in translator.translate(request, OPTIONS).hypotheses:
        term, plain = hypothesis.placements
        partners = {link[2:] for link in hypothesis.alignment if link[0] < 9 and link[1] > 4}
        assert term.aligned == any(start < term.end and end > term.start for start, end in partners)
        assert plain.aligned is None


@pytest.mark.parametrize(
    ("target", "links", "expected"),
    [
        ("Robert mag Berlin", [], [(0, 0), (2, 2)]),
        ("Robert mag Berlin", [(0, 1)], [(2, 2)]),  # the head has another partner for the target's word
        ("Robert mag Berlin", [(1, 2)], [(0, 0)]),  # or for the source's
        ("Berlin mag Berlin", [], []),  # which of the two is not said
    ],
)
def test_unlinked_words_that_occur_once_in_both_texts_are_linked(target, links, expected):
    assert namesakes(links, ["Robert", "likes", "Berlin"], target.split()) == expected


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([(0, 0), (1, 3), (3, 3)], [(0, 0), (1, 1), (3, 3)]),  # one place of "save" has no link
        ([(1, 3), (3, 1)], [(1, 3), (3, 1)]),  # each place has one: the head may know that they change places
        ([(1, 3), (3, 3), (2, 3)], [(1, 3), (3, 3), (2, 3)]),  # "save" is linked to another word, too
        ([(0, 0)], [(0, 0)]),  # the texts alone do not say that the two words translate each other
    ],
)
def test_places_of_a_repeated_word_are_linked_in_order_where_one_has_no_link(links, expected):
    source, target = ["Click", "Save", "to", "save", "it"], ["Drücke", "Speichern", "zum", "speichern", "davon"]
    assert sorted(repeated_words_in_order(links, source, target)) == sorted(expected)


def test_words_that_occur_more_often_in_one_text_keep_their_links():
    source, target = ["save", "or", "save"], ["Speichern", "oder", "speichern", "oder", "speichern"]
    assert repeated_words_in_order([(0, 2), (2, 2)], source, target) == [(0, 2), (2, 2)]


# -- terms on made-up alignments: "Open the old file." to German -----------------------------------------------------

SOURCE = "Open the old file."
OPEN, THE, OLD, FILE = (0, 4), (5, 8), (9, 12), (13, 17)


def judge(text: str, links: dict[str, tuple[tuple[int, int], ...]], phrase: Phrase, *spans: tuple[int, int]):
    """The verdict on a phrase that stands at `spans` of a text, its words linked as `links` says."""
    alignment = []
    for word, sources in links.items():
        start = text.index(word)
        alignment += [(*source, start, start + len(word)) for source in sources]
    placements = [Placement(0, text[start:end], start, end) for start, end in spans]
    return [
        (p.aligned, [text[a:b] for a, b in p.doubled])
        for p in with_alignment(placements, [phrase], tuple(alignment), text)
    ]


TERM = Phrase("Datei", source_span=FILE)


@pytest.mark.parametrize(
    ("text", "links", "aligned", "doubled"),
    [
        ("Öffne die alte Datei.", {"die": (THE,), "alte": (OLD,), "Datei": (FILE,)}, True, []),
        # another word has taken its place
        ("Öffne die alte Akte Datei an.", {"alte": (OLD,), "an": (FILE,)}, False, ["an"]),
        ("Öffne den Ordner, alte Datei.", {"Ordner": (FILE,), "Datei": (OLD,)}, False, ["Ordner"]),
        # both stand for it
        ("Öffne den Ordner, alte Datei.", {"Ordner": (FILE,), "Datei": (FILE,)}, True, ["Ordner"]),
        # an article beside it, punctuation, and a word that has a source of its own too
        ("Öffne die Datei.", {"die": (FILE,), "Datei": (FILE,), ".": (FILE,)}, True, []),
        ("Öffne Ordner, alte Datei.", {"Ordner": (FILE, OPEN), "Datei": (FILE,)}, True, []),
        ("Öffne die alte Datei.", {}, False, []),
    ],
)
def test_placement_shows_whether_a_term_is_aligned_or_translated_twice(text, links, aligned, doubled):
    start = text.index("Datei")
    assert judge(text, links, TERM, (start, start + 5)) == [(aligned, doubled)]


def test_second_occurrence_of_a_term_required_twice_is_not_a_double():
    text = "Datei um, alte Datei."
    alignment = ((*FILE, 0, 5), (*FILE, 15, 20))
    placements = [Placement(0, "Datei", 0, 5), Placement(0, "Datei", 15, 20)]
    found = with_alignment(placements, [replace(TERM, count=2)], alignment, text)
    assert [(p.aligned, p.doubled) for p in found] == [(True, ()), (True, ())]


def test_equal_terms_are_placed_at_the_words_aligned_with_them():
    """The translation has turned the two files round."""
    text = "Datei nach Datei"
    source_spans = ((0, 4), (8, 12))
    alignment = ((8, 12, 0, 5), (0, 4, 11, 16))
    phrases = [Phrase("Datei", source_span=span) for span in source_spans]
    placements = [Placement(0, "Datei", 0, 5), Placement(1, "Datei", 11, 16)]
    found = with_alignment(placements, phrases, alignment, text)
    assert [(p.phrase, p.start, p.aligned, p.doubled) for p in found] == [(0, 11, True, ()), (1, 0, True, ())]
