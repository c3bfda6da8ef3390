"""Text without a document: encodings, sentences, words, placeholders, access keys."""
