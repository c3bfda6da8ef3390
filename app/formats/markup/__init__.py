"""Formats of marked-up text: HTML, Markdown, MDX, XML."""
