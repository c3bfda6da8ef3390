"""One document being post-edited: its commands, its decode requests, its terms and its translation memory."""
