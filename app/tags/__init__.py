"""Inline tags and other non-translatable text: removed before translation and restored by word alignment."""
