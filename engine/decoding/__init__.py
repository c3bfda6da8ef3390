"""From requests to the search and back: constraints in pieces, cached encodings, the decoding loop, results as text."""
