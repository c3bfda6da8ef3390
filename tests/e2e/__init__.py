"""Browser tests. Those of a process share one browser and one app, which end before tests of another folder begin."""
