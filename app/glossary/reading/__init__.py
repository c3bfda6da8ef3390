"""Glossary files of any format to terms, with a report of every row that was left out."""
