"""The HTTP API for other programs: keys and limits, one translation service, and a module for each dialect.

A dialect only converts requests, answers and errors; `admission` decides who may ask, `translations` answers.
"""
