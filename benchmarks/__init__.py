"""Benchmarks of the app and the engine, each run as `python -m benchmarks.NAME`; README.md describes them."""
