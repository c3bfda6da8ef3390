"""The parts of the engine's command line: JSON lines to requests, translations to JSON lines."""
