"""Engines in other processes and on other machines: a client, its messages, and replicas under Ray Serve."""
