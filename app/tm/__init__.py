"""Translation memory: what was translated before, found again by exact, similar and contained text."""
