"""Marian's model files: what was written is read, and no damaged file gets further than a clear error."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.importers.marian_binary import INT8, read_marian_binary, read_unpacked
from tests.importers.firefox import Item, settings_item, write_binary

SETTINGS = "type: transformer\ndim-emb: 8\n"


def sample_items() -> list[Item]:
    rng = np.random.default_rng(1)
    return [
        Item("Wemb", rng.integers(-127, 128, (5, 8), dtype=np.int8), 50.5),
        Item("bias", rng.standard_normal((1, 5)).astype(np.float32)),
        settings_item(SETTINGS),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_binary(tmp_path / "model.enpt.bin", sample_items())
    return tmp_path / "model.enpt.bin"


shapes = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple)


@st.composite
def random_items(draw: st.DrawFn) -> list[Item]:
    names = draw(st.lists(st.text("abcW_12:", min_size=1, max_size=20), unique=True, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    items = []
    for name in names:
        shape, kind = draw(shapes), draw(st.sampled_from(["float32", "int8", "intgemm8"]))
        if kind == "float32":
            items.append(Item(name, rng.standard_normal(shape).astype(np.float32)))
        else:
            multiplier = None if kind == "int8" else float(np.float32(rng.uniform(0.01, 1000)))
            items.append(Item(name, rng.integers(-127, 128, shape, dtype=np.int8), multiplier))
    return [*items, settings_item(SETTINGS)]


@given(items=random_items())
def test_a_file_is_read_as_it_was_written(items: list[Item], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("binary") / "model.bin"
    write_binary(path, items)
    found = read_marian_binary(path)
    assert found.settings == SETTINGS
    assert list(found.items) == [item.name for item in items[:-1]]
    for item in items[:-1]:
        read = found.items[item.name]
        assert np.array_equal(read.values.numpy(), item.values)
        assert read.multiplier == (item.multiplier or 1.0)
        expected = item.values.astype(np.float32) / np.float32(item.multiplier or 1.0)
        assert np.array_equal(read.weights().numpy(), expected)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_have_the_same_content(path: Path, suffix: str) -> None:
    content = path.read_bytes()
    packed = gzip.compress(content) if suffix == ".gz" else zstandard.compress(content)
    compressed = path.with_name(path.name + suffix)
    compressed.write_bytes(packed)
    assert read_unpacked(compressed) == content
    assert read_marian_binary(compressed).settings == SETTINGS

    for damaged in (packed[: len(packed) // 2], b"\0" * 100, packed[:-30] + bytes(20) + packed[-10:]):
        compressed.write_bytes(damaged)
        with pytest.raises(ModelError, match=rf"model\.enpt\.bin\{suffix}.*download the file again"):
            read_marian_binary(compressed)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"model.bin{suffix}"
    path.write_bytes((gzip if suffix == ".gz" else zstandard).compress(bytes(10**7)))
    with pytest.raises(ModelError, match=r"has more than 3000000 bytes unpacked; use another model"):
        read_unpacked(path, most_bytes=3_000_000)


def test_a_file_cut_anywhere_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for size in range(len(whole) - len(SETTINGS) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError, match=r"model\.enpt\.bin: .*download the file again"):
            read_marian_binary(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(ModelError, match="1 bytes follow the last item; download"):
        read_marian_binary(path)


HEAD = 16  # bytes before the items' heads, each of which has 32
NAMES = HEAD + 3 * 32
SHAPES = NAMES + len("Wemb\0bias\0special:model.yml\0")
DAMAGE = (  # position, format, value, message
    (0, "<Q", 2, r"not a Marian model of version 1 \(it begins with the number 2\)"),
    (8, "<Q", 0, "claims 0 items; between 1 and 10000"),
    (8, "<Q", 2**63, "claims 9223372036854775808 items; between 1 and 10000"),
    (8, "<Q", 4, "the name of item 0 is .*ASCII and a zero byte"),
    (HEAD, "<Q", 2**64 - 1, "name of item 0 claims 18446744073709551615 bytes"),
    (HEAD, "<Q", 1, "name of item 0 claims 1 bytes"),
    (HEAD + 8, "<Q", 0x4102, "'Wemb' has the type 0x4102; float32, int8 and intgemm8"),
    (HEAD + 8, "<Q", 0x0808, "'Wemb' has the type 0x808"),
    (HEAD + 16, "<Q", 0, "'Wemb' claims 0 dimensions"),
    (HEAD + 16, "<Q", 2**40, "'Wemb' claims 1099511627776 dimensions"),
    (HEAD + 24, "<Q", 2**62, r"item 'Wemb' needs 4611686018427387904 bytes at byte \d+, \d+ are left"),
    (HEAD + 24, "<Q", 43, r"item 'Wemb' of shape \(5, 8\) needs 44 bytes and claims 43"),
    (NAMES + 4, "<B", 65, "name of item 0 is b'WembA'; ASCII and a zero byte"),
    (NAMES, "<B", 200, "name of item 0 is .*ASCII"),
    (NAMES, "<4s", b"bias", "two items are named 'bias'"),
    (SHAPES, "<i", -5, r"'Wemb' has the shape \(-5, 8\); positive sizes"),
    (SHAPES, "<i", 0, r"'Wemb' has the shape \(0, 8\); positive sizes"),
    (SHAPES, "<ii", (2**31 - 1, 2**31 - 1), r"'Wemb' of shape .* needs 4611686014132420613 bytes and claims 256"),
    (SHAPES + 5 * 4, "<Q", 2**64 - 1, "the gap before the data needs 18446744073709551615 bytes"),
)


@pytest.mark.parametrize(("position", "layout", "value", "message"), DAMAGE)
def test_a_number_that_cannot_be_right_is_named(
    path: Path, position: int, layout: str, value: object, message: str
) -> None:
    content = bytearray(path.read_bytes())
    struct.pack_into(layout, content, position, *(value if isinstance(value, tuple) else (value,)))
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_marian_binary(path)


@given(changes=st.lists(st.tuples(st.integers(0, 450), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_changed_bytes_give_a_model_or_a_model_error(
    changes: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("binary") / "model.bin"
    write_binary(path, sample_items())
    content = bytearray(path.read_bytes())
    for position, value in changes:
        content[position] = value
    path.write_bytes(content)
    try:
        read_marian_binary(path)
    except ModelError as error:
        assert str(path) in str(error)  # noqa: PT017 (either outcome is right)


VALUES = (
    (Item("bias", np.array([1, np.nan], np.float32)), "'bias' contains a value that is not a finite number"),
    (Item("W", np.zeros(3, np.int8), float("inf")), "'W' has the multiplier inf; a positive number"),
    (Item("W", np.zeros(3, np.int8), -1.0), "'W' has the multiplier -1.0"),
    (Item("W", np.zeros(3, np.int8), float("nan")), "'W' has the multiplier nan"),
    (Item("W", np.zeros(3, np.int8), 1e-45), "'W' has the multiplier 1.4"),
)


@pytest.mark.parametrize(("item", "message"), VALUES)
def test_values_that_no_model_has_are_refused(tmp_path: Path, item: Item, message: str) -> None:
    write_binary(tmp_path / "model.bin", [item, settings_item(SETTINGS)])
    with pytest.raises(ModelError, match=message):
        read_marian_binary(tmp_path / "model.bin")


def test_a_file_without_settings_is_refused(tmp_path: Path) -> None:
    write_binary(tmp_path / "model.bin", sample_items()[:-1])
    with pytest.raises(ModelError, match=r"has no settings \(special:model\.yml\); take a model exported by"):
        read_marian_binary(tmp_path / "model.bin")
    settings = Item("special:model.yml", np.array([-1, -1, 0], np.int8))
    assert settings.kind == INT8
    write_binary(tmp_path / "model.bin", [settings])
    with pytest.raises(ModelError, match=r"special:model\.yml is not UTF-8 .*download the file again"):
        read_marian_binary(tmp_path / "model.bin")


def test_a_file_that_is_missing_or_only_a_pointer_is_named(path: Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"model\.enpt\.bin is only a Git LFS pointer; run `git lfs pull`"):
        read_marian_binary(path)
    path.unlink()
    with pytest.raises(ModelError, match=r"model\.enpt\.bin cannot be read"):
        read_marian_binary(path)
