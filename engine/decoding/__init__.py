"""Between requests and the search: constraints as pieces, cached encodings, the decoding loop, results as text."""
