"""A fixed slice of the fuzzer; `python -m tests.fuzz --minutes N` tries random new cases."""

from __future__ import annotations

import pytest

from app.errors import DocumentError
from tests.fuzz.readers import Reader, problem_of, readers, readers_with_models

READERS = readers()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_samples_are_read_and_damaged_copies_are_read_or_rejected(reader: Reader):
    check(reader)


@pytest.mark.full
def test_damaged_models_and_requests_are_used_or_rejected():
    pytest.importorskip("transformers")
    for reader in readers_with_models().values():
        check(reader)


def check(reader: Reader) -> None:
    for sample in reader.samples:
        reader.read(sample)
    for number in range(8):
        assert problem_of(reader.read, reader.case(number)) is None, (
            f"python -m tests.fuzz --case {reader.name}:{number}"
        )


def test_crashing_reader_is_reported_but_rejecting_one_is_not():
    def broken(data: bytes) -> None:
        data.decode("ascii")

    def rejecting(_: bytes) -> None:
        raise DocumentError("not this")

    cases = [READERS["txt"].case(number) for number in range(40)]
    assert {type(problem_of(broken, data)) for data in cases} == {type(None), UnicodeDecodeError}
    assert all(problem_of(rejecting, data) is None for data in cases)
    assert cases == [READERS["txt"].case(number) for number in range(40)]
