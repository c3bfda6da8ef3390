"""Trains a model: prepare a corpus, train on it, average, evaluate (`python -m engine.train --help`).

`train` and `average` need only torch, numpy and safetensors, so that they run on a bare machine with an accelerator.
"""
