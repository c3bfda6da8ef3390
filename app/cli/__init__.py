"""What `python -m app COMMAND` does without a browser: translate a document, and look after the log."""
