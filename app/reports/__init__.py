"""Reports on a session: statistics, exported files, replay, and the translated document."""
