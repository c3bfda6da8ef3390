"""Settings for all tests."""

from hypothesis import settings

# No deadlines: a slow machine is no wrong answer. The rest is hypothesis' own profile, in CI the one that repeats.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
