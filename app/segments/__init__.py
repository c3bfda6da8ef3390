"""One segment at work: its state, what is asked for it, and how the page shows it."""
