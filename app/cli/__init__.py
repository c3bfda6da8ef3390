"""The commands without a browser: translate a document, and statistics, export, import and backup of the log."""
