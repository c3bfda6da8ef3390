"""Tokens give the text back exactly, whatever it holds, and a word has the same tokens everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import is_word_char, normalise
from engine.text.tokens import JOINER, Token, chunk_tokens, cut, escape, is_escaped

ANY_TEXT = st.text(st.characters(exclude_categories=())).map(normalise)
# Dense in everything that has a rule.
RULED = st.text("aß1²\u0301.,-`'’&<>@_￭ \t\u00a0\u200b\ud800漢“()", max_size=16).map(normalise)


def tokenise(text: str) -> list[Token]:
    return [token for _, chunk in cut(text) for token in chunk_tokens(chunk)]


def detokenise(tokens: list[Token]) -> str:
    text = ""
    for i, token in enumerate(tokens):
        needs_space = i > 0 and not tokens[i - 1].glues_right and not token.glues_left
        text += " " * needs_space + token.text
    return text


def spelt(text: str) -> str:
    """The tokens of `text` as a person reads them."""
    return " ".join(
        escape(token.text)
        if is_escaped(token.text[0])
        else (JOINER if token.glues_left else "") + token.text + (JOINER if token.glues_right else "")
        for token in tokenise(text)
    )


TABLE = [
    # text, tokens, why
    ("Ein Haus.", "Ein Haus ￭.", "joiners stand on the mark"),
    ("(ein Haus)", "(￭ ein Haus ￭)", "on either side of the words"),
    ("„Ja“, sagte er.", "„￭ Ja ￭“ ￭, sagte er ￭.", "between two marks, on the right one"),
    ("“Yes,” he said", "“￭ Yes ￭, ￭” he said", "English quotes"),
    ("»Ja«", "»￭ Ja ￭«", "guillemets"),
    ("E-Mail", "E ￭-￭ Mail", "a hyphen is a mark, so that Mail is always Mail"),
    ("Haupt- und", "Haupt ￭- und", "also where it ends a word"),
    ("--option", "- ￭-￭ option", "or begins one"),
    ("1.000,5", "1.000,5", "a number is one token"),
    ("3,5 %", "3,5 %", "the space is kept"),
    ("a,b", "a ￭,￭ b", "commas hold only numbers"),
    ("10:30", "10 ￭:￭ 30", "colons nothing"),
    ("v1.2.3", "v1.2.3", "dots hold words too"),
    ("e.g. usw. und", "e.g ￭. usw ￭. und", "a last dot always comes off, whatever follows"),
    ("Am 1. April", "Am 1 ￭. April", "after numbers too"),
    ("Ende...", "Ende ￭...", "an ellipsis is one mark"),
    ("Ende.....", "Ende ￭... ￭. ￭.", "more dots are more marks"),
    ("%s {0} $HOME", "%￭ s {￭ 0 ￭} $￭ HOME", "placeholders"),
    ("C++", "C ￭+ ￭+", "names with marks"),
    (".NET", ".￭ NET", "on the left"),
    ("it's l’eau", "it ￭'￭ s l ￭’￭ eau", "apostrophes of any kind"),
    ("snake_case", "snake ￭_￭ case", "the underscore is a mark"),
    ("`code`", "`￭ code ￭`", "Moses leaves backticks on words; we do not"),
    ("m² x̱ 漢字", "m² x̱ 漢字", "no cut between two word characters"),
    ("a\u00a0b", "a <U+00A0> b", "odd spaces are visible"),
    ("a  b", "a <U+0020> <U+0020> b", "two spaces are"),
    (" a ", "<U+0020> a <U+0020>", "spaces at the ends are"),
    ("a \tb", "a <U+0020> <U+0009> b", "a space beside another white space is"),
    ("a￭", "a <U+FFED>", "the joiner as text is not the joiner"),
    ("a@@ b", "a ￭@ ￭@ b", "nor is @@ a continuation"),
    ("<s>", "<￭ s ￭>", "nor can text write a special piece"),
    ("DOTMULTI", "DOTMULTI", "a word that Moses would turn into a dot"),
    ("DOTMULTI.", "DOTMULTI ￭.", "beside marks too"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("text", "tokens", "why"), TABLE, ids=[row[0] for row in TABLE])
def test_tokens_equal_the_table(text, tokens, why):
    assert spelt(text) == tokens, why


@given(ANY_TEXT | RULED)
def test_tokens_give_the_text_back(text):
    assert detokenise(tokenise(text)) == text


@given(ANY_TEXT | RULED)
def test_spans_of_chunks_are_correct_and_skip_only_single_spaces(text):
    end = 0
    for start, chunk in cut(text):
        assert text[start : start + len(chunk)] == chunk
        assert text[end:start] in ("", " ")
        assert "".join(token.text for token in chunk_tokens(chunk)) == chunk
        end = start + len(chunk)
    assert end == len(text)


@given(ANY_TEXT | RULED)
def test_words_never_carry_a_joiner_and_never_touch(text):
    tokens = tokenise(text)
    for token in tokens:
        assert token.is_word == is_word_char(token.text[0]) == is_word_char(token.text[-1])
        assert not (token.is_word and (token.glues_left or token.glues_right))
        assert token.is_word or len(token.text) == 1 or token.text == "..."


@given(ANY_TEXT | RULED, ANY_TEXT | RULED)
def test_texts_side_by_side_have_the_tokens_that_they_have_alone(left, right):
    if left[-1:].isspace() or right[:1].isspace() or is_escaped(left[-1:] or " ") or is_escaped(right[:1] or " "):
        left, right = "a", "b"  # there the space is no plain one
    assert tokenise(f"{left} {right}") == tokenise(left) + tokenise(right)


@given(
    st.sampled_from(["Haus", "größer", "m²", "3,5", "v1.2", "e.g", "漢字"]), st.text("()„“,.;:!?-'\"/`…", max_size=4)
)
def test_word_is_one_token_with_any_surrounding_marks(word, marks):
    texts = [token.text for token in tokenise(marks + word + marks)]
    assert word in texts


def test_every_alphanumeric_character_is_a_word_character():
    """`chunk_tokens` takes the short way for str.isalnum; it must agree with the classes of boundaries.py."""
    assert not [code for code in range(0x20000) if chr(code).isalnum() and not is_word_char(chr(code))]
