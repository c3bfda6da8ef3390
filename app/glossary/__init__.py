"""Glossaries: terms, their occurrences in a source text, the word forms of their targets, and glossary files.

A `Term` is one entry: source, target and how both are matched. A `Glossary` is one term list of a document, with an id,
a name and an on/off switch. A `TermIndex` finds the places in a text where the terms of one list may occur; a
`TermMatcher` combines several indexes and decides which term wins at each place: its results are `TermHit`s.

model          Term, TermHit, TermMatches, and terms for the opposite language direction
glossary       Glossary, the matcher of all glossaries of a document, and the changes between two states
index/         term_index (TermIndex), matcher (TermMatcher)
lemmas         dictionary forms of words, the inflected forms of a target, and its use in a text
reading/       glossary files -> terms, with a report about every row that was left out
import_report  the changes that an import would make, row by row, before it is applied
writing        a glossary as CSV, TSV or TBX
"""

from app.glossary.glossary import Glossary
from app.glossary.index.matcher import TermMatcher, term_matcher
from app.glossary.model import Term, TermHit, TermMatches

__all__ = ["Glossary", "Term", "TermHit", "TermMatcher", "TermMatches", "term_matcher"]
