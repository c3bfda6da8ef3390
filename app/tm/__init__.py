"""Translation memory: earlier translations, found by exact, similar or contained source text."""
