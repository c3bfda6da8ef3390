"""Engines in other processes and on other machines: a client, what it sends, and replicas under Ray Serve."""
