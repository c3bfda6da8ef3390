"""Files of the largest sizes that somebody may try, and what it costs to read them."""
