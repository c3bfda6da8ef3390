"""Formats with translations beside their sources: XLIFF, translation memories, tables."""
