"""What is made of the log's events: figures, replays, files to take away, and a log read in again."""
