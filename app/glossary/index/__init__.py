"""Where the terms of a glossary occur in a text."""
