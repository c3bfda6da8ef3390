"""Text utilities: encodings, sentences, words, non-translatable text, access keys."""
