"""One segment of an open document: its state, its constraints, and its JSON views for the page."""
