"""Checks of texts with much of one sign."""

from __future__ import annotations

import time

import pytest

from app.checks import findings_in

MAX_SECONDS = 20  # of processor time; it takes a fraction of one where it is not squared


@pytest.mark.parametrize("text", ['"', "a ", "1,", "%s", "<", "{", "Word-", "http://a.b/", "a.", "_a", "$a", "("])
def test_checks_of_a_long_text_take_no_squared_time(text: str):
    size = 50_000 // len(text)
    began = time.process_time()
    findings_in(text * size + "a", text * size + "b", "en-de")
    assert time.process_time() - began < MAX_SECONDS
