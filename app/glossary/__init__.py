"""Glossaries: terms, where they stand in a source, which forms their targets take, and the files they come in.

terms        one entry, and what may be said of it
folding      texts without the differences that never tell terms apart
term_index   numbered terms with their index, which costs little to change
matching     where terms stand in a text, in one pass; the longest wins
lemmas       words in their dictionary form, and the forms that a target may take
rows         entries of any file checked one by one: errors, repeats, conflicts
review       capitals that only begin a row, and what a model cannot spell
files        an upload's bytes -> terms and a report, whatever the format
tables, spreadsheet, utx, tbx, tmx   one module for each kind of file
termbases    the glossaries of a document: their order, their numbered terms, what changed
storage      terms in the log's tables
"""

from app.glossary.index.matching import Glossary, Terminology
from app.glossary.terms import Term, TermHit, TermMatches

__all__ = ["Glossary", "Term", "TermHit", "TermMatches", "Terminology"]
