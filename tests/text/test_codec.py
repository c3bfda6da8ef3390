"""The codec's contract: exact both ways, every character accounted for, nothing lost in silence."""

from __future__ import annotations

import pickle
import random
import string
import subprocess
import sys
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest, ModelError, TrainingError
from engine.text import SPECIAL_PIECES, UNK, UNKNOWN_SURFACE, TextCodec, normalise

# Hypothesis and pytest share the session's codec: it is never changed but for its cache.
ANY_TEXT = st.text(st.characters(exclude_categories=()))
GERMAN = string.printable + "äöüßÄÖÜẞéàç„“”‚‘’»«–—…€§°×\u00a0\u00ad\u2009\u200b\u202f\ufeff￭"

EXACT = [
    # text, why it is hard
    ("„Ja“, sagte sie, ‚warum nicht?‘", "German quotes"),
    ("“Yes,” she said, ‘why not?’", "English quotes"),
    ("\"Yes,\" she 'said'.", "straight quotes, which Moses turns into others"),
    ("»Ja« und «oui»", "guillemets both ways"),
    ("Haupt- und Nebeneingang, E-Mail-Adresse", "hyphens that hang and that join"),
    ("2010–2020 — a dash", "dashes with and without spaces"),
    ("1.000,50 € und 3,5 %, 10:30 Uhr, 1,000.50", "numbers, times, percent"),
    ("Am 1. April, am 2.4., Nr. 5", "ordinals and dates"),
    ("z. B. z.B. d.h. e.g. i.e. U.S. Dr. Who", "abbreviations"),
    ("%s of %d files, %1$s, %(name)s, %.2f", "printf"),
    ("{0} and {name}, ${HOME}, {{ x }}", "braces"),
    ("https://a.example/b?c=d&e=f#g-h_i", "a URL"),
    ("mail to first.last+tag@mail.example.com!", "an address"),
    ("C++, C#, .NET, F#, Node.js", "names with marks"),
    ("cd /etc/apt && ls -la ./*.d | grep -v '^#' > ~/x.txt", "a shell line"),
    ("C:\\Windows\\System32", "backslashes"),
    ("<b>bold</b> &amp; &lt;i&gt; <img src=x onerror=alert(1)>", "markup and entities stay as they are"),
    ("Straße, STRASSE, STRAẞE, größer, Übergröße", "umlauts and sharp s"),
    ("don't, it's, rock 'n' roll, l'eau, Hans' Hut", "apostrophes"),
    ("a\u00a0b\u202fc\u2009d", "no-break and thin spaces"),
    ("  two  spaces   everywhere ", "doubled, leading and trailing spaces"),
    ("tab\tnew line\nreturn\r\n", "white space that is no space"),
    ("soft\u00adhyphen, zero\u200bwidth, \ufeffmark", "characters that do not show"),
    ("a@@ b @@c @@ ￭ x￭ ￭y ￭@@", "our own marks as text"),
    ("<s> </s> <unk> <pad> <en-de> <ph0> <U+0020>", "our own pieces as text"),
    ("DOTMULTI DOTDOTMULTI. THISISPROTECTED000 @-@", "Moses' own marks as text"),
    ("... .. . .... ..... …", "dots"),
    ("--- -- - ___ *** === !!! ?! ;-) :-D", "runs of marks"),
    ("`code` ``more`` ´x´", "backticks and accents"),
    ("10 m² ½ ¼ 3³", "numbers that are not digits"),
    ("", "nothing"),
    (" ", "a space alone"),
]


@pytest.mark.parametrize(("text", "why"), EXACT, ids=[why for _, why in EXACT])
def test_text_comes_back_exactly(codec, text, why):
    assert codec.decode(codec.encode_ids(text)).text == text, why
    assert codec.spells(text), why
    assert codec.respell(text) == codec.normalise(text), why


def test_every_line_of_the_corpus_sample_comes_back_exactly(codec, corpus_sample):
    lines = [line.text for line in corpus_sample]
    restored = [codec.decode(ids).text for ids in map(codec.encode_ids, lines)]
    assert restored == [normalise(line) for line in lines]


@given(st.text(GERMAN))
def test_text_of_ascii_and_german_comes_back_exactly(codec, text):
    encoding = codec.encode(text)
    assert encoding.unknown == ()
    assert codec.decode(encoding.ids).text == codec.normalise(text)
    assert codec.decode(codec.encode_ids(text)).text == normalise(text)


@given(ANY_TEXT)
def test_unknown_characters_are_reported_and_the_rest_is_returned(codec, text):
    text = codec.normalise(text)  # so that spans speak of the same characters
    encoding = codec.encode(text)
    reported = {i for start, end in encoding.unknown for i in range(start, end)}
    restored = []
    for piece_id, (start, end) in zip(encoding.ids, encoding.spans, strict=True):
        is_reported = piece_id == UNK
        assert {i in reported for i in range(start, end)} == {is_reported}
        restored.append(text[start:end] if is_reported else codec.surfaces[piece_id])
    assert "".join(restored) == "".join(text[start:end] for start, end in encoding.spans)
    assert codec.spells(text) == (not reported) == (codec.respell(text) == text)


@given(ANY_TEXT | st.text(GERMAN))
def test_spans_tile_the_text_given_but_for_white_space_and_invisible_characters(codec, text):
    end = 0
    for span in codec.encode(text).spans:
        assert codec.normalise(text[end : span[0]]) == ""
        assert span[0] <= span[1]
        end = span[1]
    assert codec.normalise(text[end:]) == ""


@given(ANY_TEXT | st.text(GERMAN))
def test_a_text_has_the_pieces_of_its_plain_form(codec, text):
    assert codec.encode(text).ids == codec.encode(codec.normalise(text)).ids


@given(st.text("abz1Ａ, \t\u00a0\u2009\u200b\u00ad\u2010\u2011\u212b"))
def test_each_piece_covers_the_given_characters_that_it_reads(codec, text):
    encoding = codec.encode(text)
    for piece_id, span in zip(encoding.ids, encoding.spans, strict=True):
        assert codec.normalise(text[slice(*span)]) == codec.surfaces[piece_id]


def test_spans_speak_of_the_text_as_given_also_where_letters_were_composed(codec):
    text = "Ka\u0308se, o\u0308d"
    encoding = codec.encode(text)
    words = "".join(text[start:end] for start, end in encoding.spans)
    assert words == text.replace(" ", "")
    assert codec.decode(encoding.ids).text == "Käse, öd"


@given(st.data())
def test_decoding_follows_the_contract_for_any_pieces(codec, data):
    ids = data.draw(st.lists(st.integers(0, len(codec.vocabulary) - 1), max_size=12))
    text = ""
    for i, piece_id in enumerate(ids):
        if i > 0 and not codec.glues_right[ids[i - 1]] and not codec.glues_left[piece_id]:
            text += " "
        text += codec.surfaces[piece_id]
    decoding = codec.decode(ids)
    assert decoding.text == text
    assert [decoding.text[start:end] for start, end in decoding.spans] == [codec.surfaces[i] for i in ids]


@given(ANY_TEXT | st.sampled_from(SPECIAL_PIECES))
def test_text_never_encodes_to_a_special_piece(codec, text):
    specials = [i for i in codec.encode(text).ids if i in codec.specials]
    assert set(specials) <= {UNK}


def test_special_pieces_are_transparent(codec):
    ids = codec.encode_ids("Hello, world.")
    assert codec.decode([1, *ids, 2]).text == "Hello, world."


@given(ANY_TEXT)
def test_training_reads_a_plain_text_as_decoding_does(codec, text):
    text = codec.normalise(text)
    assert tuple(codec.encode_ids(text)) == codec.encode(text).ids


@given(st.text(GERMAN), st.floats(0, 1), st.integers(0, 9))
def test_dropout_changes_pieces_but_never_the_text(codec, text, dropout, seed):
    assert codec.decode(codec.encode_ids(text, dropout, random.Random(seed))).text == normalise(text)


@given(ANY_TEXT, st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 3))
def test_other_pieces_can_be_sampled_from_canonical_ones_without_the_text(codec, text, dropout, seed):
    rng, anew = random.Random(seed), []
    for item in codec.words_and_marks(codec.encode_ids(text)):
        is_word = isinstance(item, str)
        anew += codec.vocabulary.ids_of(codec.merges.split(item, dropout, rng)) if is_word else [item]
    if codec.spells(text):
        assert anew == codec.encode_ids(text, dropout, random.Random(seed))


def test_words_of_a_line_have_the_pieces_that_they_have_alone(codec, corpus_sample):
    """Runs of whole words between spaces, 5 of each line: no exception, as spaces cut all context."""
    rng = random.Random(7)
    for line in corpus_sample:
        words = normalise(line.text).split(" ")
        pieces = [codec.encode_ids(word) for word in words]
        assert codec.encode_ids(" ".join(words)) == list(chain(*pieces))
        for _ in range(5):
            start = rng.randrange(len(words))
            end = rng.randrange(start, len(words)) + 1
            assert codec.encode_ids(" ".join(words[start:end])) == list(chain(*pieces[start:end]))


@pytest.mark.parametrize(
    "around", ["{}.", "({})", "„{}“", "{},", "'{}'", "{}-Paket", "Paket-{}", "/{}/", "{}:", "<b>{}</b>"]
)
@pytest.mark.parametrize("word", ["Haus", "größer", "error", "3,5", "e.g", "2.0"])
def test_word_beside_marks_has_its_own_pieces(codec, word, around):
    inside, alone = codec.encode_ids(around.format(word)), codec.encode_ids(word)
    assert any(inside[i : i + len(alone)] == alone for i in range(len(inside)))


def test_unknown_characters_are_named_and_shown(codec):
    encoding = codec.encode("Das 漢字 und 🦜!")
    assert encoding.unknown == ((4, 6), (11, 12))
    assert not codec.spells("漢字")
    assert codec.respell("ein 🦜 da") == f"ein {UNKNOWN_SURFACE} da"


def test_codec_survives_saving_loading_and_pickling(codec, tmp_path):
    codec.save(tmp_path / "new folder")
    loaded = TextCodec.load(str(tmp_path / "new folder"))
    sent = pickle.loads(pickle.dumps(codec))
    text = "Übergrößenträger, e.g. 1.000 of them."
    assert loaded == codec == sent
    assert loaded.encode(text) == codec.encode(text) == sent.encode(text)


def test_files_of_different_models_are_refused(codec, tmp_path):
    codec.save(tmp_path)
    path = tmp_path / "bpe.codes"
    path.write_text(path.read_text(encoding="utf-8") + "qq qq</w>\n", encoding="utf-8")
    line = len(codec.merges.merges) + 2
    with pytest.raises(ModelError, match=rf"bpe\.codes line {line}: 'qqqq' is not in vocabulary\.txt; use two files"):
        TextCodec.load(tmp_path)


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere.vocabulary\.txt: cannot be read"):
        TextCodec.load(tmp_path / "nowhere")


@pytest.mark.parametrize("piece_id", [-1, 10**6])
def test_id_out_of_range_is_an_error(codec, piece_id):
    with pytest.raises(InvalidRequest, match=rf"piece id {piece_id} is out of range"):
        codec.decode([piece_id])


def test_learning_gives_the_number_of_pieces_asked_for_and_no_piece_twice(codec):
    assert 1990 <= len(codec.vocabulary) <= 2000
    assert len(set(codec.vocabulary.pieces)) == len(codec.vocabulary)


def test_learning_does_not_depend_on_the_order_of_lines(corpus_sample):
    lines = [line.text for line in corpus_sample[:300]]
    assert TextCodec.learn(lines, 1000) == TextCodec.learn(reversed(lines), 1000)


def test_codec_learned_without_text_spells_ascii_and_german():
    poor = TextCodec.learn([], num_pieces=1000)
    assert poor.spells(GERMAN)
    assert len(poor.vocabulary) < 1000


def test_rare_characters_are_left_out_and_frequent_ones_taken():
    lines = ["Ħ ж", "Ħ", "\ud800 \ud800"]
    codec = TextCodec.learn(lines, num_pieces=1000, min_char_count=2)
    assert [codec.spells(char) for char in "Ħж"] == [True, False]


def test_too_few_pieces_for_the_characters_is_an_error():
    with pytest.raises(TrainingError, match=r"num_pieces is 100, but the characters alone take \d+; ask for more"):
        TextCodec.learn(["text"], num_pieces=100)


def test_endless_text_without_spaces_is_encoded_exactly(codec):
    text = "ab.c-" * 20_000 + "x" * 50_000
    assert codec.respell(text) == text


def test_importing_needs_neither_moses_nor_subword_nmt():
    """A machine that only trains has torch and numpy; ids and their names must be at hand there."""
    code = "import sys, engine.text; print(sorted({'sacremoses', 'subword_nmt'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
