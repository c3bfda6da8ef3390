"""Inline tags: stripped before translation, put back by word alignment; what must not be translated is protected."""
