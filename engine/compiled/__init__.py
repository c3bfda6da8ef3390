"""The compiled core for CPUs, in C++: encoder, decoder and the tree of prefixes; how it is built, found and called."""
