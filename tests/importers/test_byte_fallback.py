"""Everything that a request can ask for, with characters that an imported model spells in bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine import Avoid, Phrase, Request, SearchOptions, Translator
from engine.importers.resolve import convert_folder
from engine.model import load_model
from engine.text import REPLACEMENT, UNK, occurrences
from tests.importers.firefox import CONTROLS, save_firefox
from tests.importers.imported import Imported

pytest.importorskip("sentencepiece")
pytest.importorskip("transformers")
SOURCE = "The Straẞe 😀 is 漢字."
OPTIONS = SearchOptions(beam=8, nbest=3)


@pytest.fixture(scope="module", params=["marian", "firefox", "firefox-two-vocabularies"])
def translator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Translator:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "marian":
        return Imported.make("marian-bytes", folder, ending=6.0).translator
    has_two = request.param == "firefox-two-vocabularies"
    save_firefox(folder / "theirs", ending=6.0, byte_fallback=True, has_two_vocabularies=has_two)
    convert_folder(folder / "theirs", folder / "ours", torch.float32)
    return Translator(load_model(folder / "ours"))


def test_a_source_has_no_unknown_characters(translator: Translator) -> None:
    assert translator.translate(Request(SOURCE), OPTIONS).unknown_source == ()


@pytest.mark.parametrize(
    "texts",
    [("😀",), ("Straẞe",), ("漢字", "der Liste 😀"), ("€😀€",), ("ẞ", "Đorđe Ł"), ("😀 😀",), ("e\u0301\u0323",)],
)
def test_phrases_with_characters_in_bytes_are_met_and_placed(translator: Translator, texts: tuple[str, ...]) -> None:
    result = translator.translate(Request(SOURCE, phrases=tuple(map(Phrase, texts))), OPTIONS)
    assert result.status == "complete" and result.hypotheses
    for hypothesis in result.hypotheses:
        for placement in hypothesis.placements:
            span = placement.start, placement.end
            assert hypothesis.text[slice(*span)] == placement.form
            assert span in occurrences(hypothesis.text, placement.form)
        assert {placement.phrase for placement in hypothesis.placements} == set(range(len(texts)))
        assert UNK not in hypothesis.tokens
        scored = translator.score(SOURCE, tokens=hypothesis.tokens)
        assert scored.text == hypothesis.text and scored.token_spans == hypothesis.token_spans
        assert scored.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-3)


def test_all_kinds_of_constraints_are_met_together(translator: Translator) -> None:
    request = Request(
        SOURCE,
        phrases=(Phrase("Straẞen", forms=("Straẞe",)), Phrase("😀", count=2, max_count=2, boundary="anywhere")),
        avoid=(Avoid("漢"),),
        prefix="Ł 字",
        locked=("für ẞ",),
        suffix="😎",
    )
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete" and result.hypotheses
    for hypothesis in result.hypotheses:
        text = hypothesis.text
        assert text.startswith("Ł 字") and text.endswith("😎") and text.count("😀") == 2 and "漢" not in text
        assert [text[start:end] for start, end in hypothesis.locked] == ["für ẞ", "😎"]
        assert occurrences(text, "Straẞe") or occurrences(text, "Straẞen")


def test_a_prefix_may_end_with_any_character_in_bytes(translator: Translator) -> None:
    for prefix in ("😀", "Die 😀", "Die ẞ", "Die 漢字 ", "€"):
        result = translator.translate(Request(SOURCE, prefix=prefix), OPTIONS)
        assert result.status == "complete" and result.hypotheses
        assert all(hypothesis.text.startswith(prefix.rstrip()) for hypothesis in result.hypotheses)


def test_alternatives_of_a_word_in_bytes_replace_the_whole_character(translator: Translator) -> None:
    request = Request(SOURCE, phrases=(Phrase("der"),))
    (scored,) = [translator.score(SOURCE, "der 😀 und")]
    offset = scored.text.index("😀")
    found = translator.alternatives(request, scored, offset, count=3, options=OPTIONS)
    assert found
    for alternative in found:
        assert alternative.word and alternative.word != "😀" and REPLACEMENT not in alternative.word
        assert alternative.hypothesis.text.startswith("der " + alternative.word)


def test_control_pieces_are_never_written_and_never_read(tmp_path: Path) -> None:
    save_firefox(tmp_path / "theirs", ending=6.0, byte_fallback=True)
    convert_folder(tmp_path / "theirs", tmp_path / "ours", torch.float32)
    model = load_model(tmp_path / "ours")
    controls = {model.codec.id_of(piece) for piece in CONTROLS}
    assert controls <= set(model.codec.specials)
    text = "the __source__ of __done__"
    assert model.source_codec is not None
    assert not controls & set(model.source_codec.encode(text).ids)
    result = Translator(model).translate(Request(text, phrases=(Phrase("das __target__"),)), OPTIONS)
    assert result.status == "complete" and result.unknown_source == ()
    for hypothesis in result.hypotheses:
        assert "das __target__" in hypothesis.text and not controls & set(hypothesis.tokens)
