"""Formats of office programs and of InDesign: ZIP files of XML parts."""
