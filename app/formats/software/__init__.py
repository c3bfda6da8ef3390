"""Formats of texts of software: keys with texts, plural forms and placeholders."""
