"""Reading glossary files of any format: the terms, and a report about every row that was left out."""
