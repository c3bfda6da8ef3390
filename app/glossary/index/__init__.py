"""Search for glossary terms in a text: an index of terms, and the choice between matches."""
