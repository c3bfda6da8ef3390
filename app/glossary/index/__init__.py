"""Search for glossary terms in a text: normalization, an index of terms, and the choice between matches."""
