"""Two models through a language between: which pairs are offered, downloaded, used, kept and refused."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from app.__main__ import main as run_command
from app.access.actor import OWNER
from app.cli.models_command import pair_lines
from app.errors import CommandError
from app.log.store import LogStore
from app.models.loading import SEARCH, ModelHandle
from app.models.pivot_models import PivotModels
from app.models.published_models import PublishedModels
from app.paths import SAMPLES_FOLDER
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.model_results import ModelSuggestion, PairOffers
from app.workspace.commands import Workspace
from engine import (
    ModelEntry,
    PivotTranslator,
    Request,
    Translator,
    cache_folder,
    describe_model,
    install_model,
)
from engine.model import ModelConfig, Transformer, save_weights
from engine.text import TextCodec
from tests.app.models.registry_server import Registry, serving
from tests.app.ui.test_protocol import has_shape

NUMBERS = itertools.count(1)  # of the commands of a page

TABLE = b"pt\tde\nAbra a porta.\t\nFeche 3 portas {0}.\t\n"


def entry(name: str, *directions: str, problem: str = "") -> ModelEntry:
    return ModelEntry(name, Path("/models") / name, "cached", directions, problem=problem)


def pairs_of(published: PublishedModels, *entries: ModelEntry) -> PivotModels:
    return PivotModels(lambda: {f"cached/{one.name}": one for one in entries}, published)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as registry:
        yield registry


@pytest.fixture
def empty(tmp_path: Path) -> PublishedModels:
    """A list that was never read."""
    return PublishedModels("http://127.0.0.1:1/models.json", tmp_path)


PT_EN, EN_DE, FR_EN = entry("a", "pt-en"), entry("b", "en-de"), entry("c", "fr-en", "en-fr")


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([PT_EN, EN_DE], {"pt": ["de"]}),
        ([PT_EN], {}),
        ([PT_EN, entry("b", "en-de", problem="it is broken")], {}),
        ([PT_EN, EN_DE, entry("d", "pt-de")], {}),  # a single model has it
        ([PT_EN, EN_DE, FR_EN], {"fr": ["de"], "pt": ["de", "fr"]}),
        ([entry("many", *(f"pt-l{n}" for n in range(300)), "pt-de"), PT_EN, EN_DE], {}),  # "many" has it
        ([entry("both", "en-pt", "pt-en")], {}),  # not from a language to itself
        ([entry("x", "por_Latn-eng_Latn"), EN_DE], {"pt": ["de"]}),
        ([entry("x", "zho_Hant-eng_Latn"), entry("y", "zho_Hans-eng_Latn"), EN_DE], {"zh": ["de"], "zh_hant": ["de"]}),
    ],
)
def test_pairs_of_models_are_offered_if_no_single_model_has_the_languages(
    entries: list[ModelEntry], expected: dict[str, list[str]], empty: PublishedModels
) -> None:
    pairs = pairs_of(empty, *entries)
    assert pairs.pairs() == expected
    for source, targets in expected.items():
        for target in targets:
            best = pairs.best(f"{source}-{target}")
            assert best is not None and best.is_installed
            assert pairs.find(best.key) == best
    assert pairs.best("pt-ja") is None


def test_english_is_preferred_between_and_installed_models_to_downloads(registry: Registry, tmp_path: Path) -> None:
    registry.publish("pt-en")
    registry.publish("en-de")
    registry.publish("es-fr")
    published = PublishedModels(registry.address, tmp_path)
    published.update()
    through_spanish = [entry("s", "pt-es"), entry("t", "es-de")]
    best = pairs_of(published, *through_spanish).best("pt-de")
    assert best is not None and best.language == "es" and best.num_missing_bytes == 0
    best = pairs_of(published, *through_spanish, PT_EN, EN_DE).best("pt-de")
    assert best is not None and best.language == "en" and best.name == "a + b"
    best = pairs_of(published, EN_DE).best("pt-de")
    assert best is not None and [part.key for part in best.parts] == ["cached/firefox-pt-en-tiny", "cached/b"]
    assert best.num_missing_bytes == published.known().find("firefox-pt-en-tiny").num_bytes  # type: ignore[union-attr]
    assert pairs_of(published).best("es-fr") is None, "a published model has it"
    assert pairs_of(published, EN_DE).find(best.key) is None, "a download needs a person's request"
    assert pairs_of(published, EN_DE).find(best.key, may_download=True) == best


@pytest.mark.parametrize(
    "key",
    [
        "", "pivot", "pivot|pt-en|en-de|cached/a", "pivot|pt-en|en-de|cached/a|cached/gone",
        "pivot|pt-en|en-fr|cached/a|cached/b", "pivot|pt-en|en-de|cached/a|cached/../b",
        "pivot|pt-en|en-de|cached/a|cached/b|cached/b",
    ],
)  # fmt: skip
def test_keys_that_name_no_pair_are_not_found(key: str, empty: PublishedModels) -> None:
    assert pairs_of(empty, PT_EN, EN_DE).find(key, may_download=True) is None


def save_model(folder: Path, codec: TextCodec, direction: str, seed: int) -> Path:
    """A model with random weights. The codec has no pieces for directions other than English and German."""
    config = ModelConfig(
        len(codec.vocabulary), (direction,), model_size=8, num_heads=2, feed_forward_size=8, encoder_layers=1,
        decoder_layers=1, direction_pieces={direction: None},
    )  # fmt: skip
    torch.manual_seed(seed)
    folder.mkdir(parents=True)
    codec.save(folder)
    config.save(folder / "config.json")
    save_weights(folder / "model.safetensors", Transformer(config))
    return folder


class Office:
    """The app with a start model (en-de), a model pt-en in the cache if it is installed, and a registry."""

    def __init__(self, folder: Path, codec: TextCodec, registry: Registry) -> None:
        self.models = folder / "made"
        save_model(self.models / "en-de", codec, "en-de", 1)
        save_model(self.models / "pt-en", codec, "pt-en", 2)
        self.log = folder / "log.sqlite"
        self.registry = registry
        self.start()

    def start(self) -> None:
        self.store = LogStore.open(self.log)
        self.first = ModelHandle(self.models / "en-de")
        self.first.load_in_background()
        self.first.wait()

        def install(folder: Path, name: str, texts: Mapping[str, str]) -> Path:
            return install_model(self.models / "pt-en", name, texts)

        published = PublishedModels(self.registry.address, install=install)
        self.sessions = Sessions(self.store, self.first, SAMPLES_FOLDER, published=published)
        self.sessions.models.catalog._known = lambda: [
            describe_model(self.models / "en-de", "bundled"),
            *(describe_model(folder, "cached") for folder in self.installed()),
        ]
        self.api = Api(self.sessions)

    @staticmethod
    def installed() -> list[Path]:
        return sorted(cache_folder().iterdir()) if cache_folder().is_dir() else []

    def install(self) -> None:
        shutil.copytree(self.models / "pt-en", cache_folder() / "firefox-pt-en-tiny")

    def stop(self) -> None:
        self.sessions.close()
        self.first.close()
        self.store.close()

    def open(self) -> Workspace:
        return self.sessions.open_document(OWNER, TABLE, "table.tsv")

    def ask(self, workspace: Workspace, name: str, **fields: object) -> dict:
        message = {
            "token": workspace.token,
            "client": "c",
            "sequence": next(NUMBERS),
            "name": name,
            "since": -1,
            "open": None,
        }
        return self.api.command(OWNER, {**message, "since": -1, "detail_since": -1, **fields})


def wait_until(workspace: Workspace, is_reached: Callable[[], bool]) -> None:
    reached = threading.Event()
    workspace.subscribe(OWNER, lambda: is_reached() and reached.set())
    assert is_reached() or reached.wait(60)


@pytest.fixture
def office(tmp_path: Path, codec: TextCodec, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    made = Office(tmp_path, codec, registry)
    yield made
    made.stop()


def test_document_is_translated_through_english_and_the_log_has_both_models(office: Office) -> None:
    office.install()
    opened = office.open()
    offer = office.sessions.model_offer(OWNER, opened)
    has_shape(offer, ModelSuggestion)
    assert offer is not None
    assert (offer["direction"], offer["pivot"], offer["num_bytes"]) == ("pt-de", "en", 0)
    offers = office.ask(opened, "model_pairs", direction="pt-de")["result"]
    has_shape(offers, PairOffers)
    pair = offers["pair"]
    assert (pair["is_fit"], pair["is_current"], pair["is_installed"]) == (False, False, True)
    refused = office.ask(opened, "switch_model", key=pair["key"])["error"]["message"]
    assert refused == "firefox-pt-en-tiny + en-de translates pt-de, not en-de."

    workspace = office.sessions.restart(OWNER, opened, "pt-de", pair["key"])
    workspace.open(OWNER, 1)
    wait_until(workspace, lambda: workspace.segments[1].shown is not None)
    shown = workspace.snapshot(OWNER)["model"]
    assert (shown["state"], shown["pivot"], shown["name"]) == ("ready", "en", "firefox-pt-en-tiny + en-de")
    workspace.constrain(OWNER, 1, Constraints(pins=("Fahrrad",)))
    wait_until(workspace, lambda: not workspace.segments[1].is_pending and workspace.segments[1].has_prices)
    segment = workspace.segments[1]
    assert segment.decoded is not None and segment.decoded.best is not None
    for text in ("Fahrrad", "{0}"):
        assert text in segment.decoded.best.text
    assert "{0}" in workspace.snapshot(OWNER, open_index=1)["segment"]["between"]
    events = list(office.store.events(workspace.session_id))
    results = [event.payload for event in events if event.type == "decode_result" and event.payload["hypotheses"]]
    assert all({"pivot", "pivot_score"} <= result.keys() for result in results)
    assert any("{0}" in result["pivot"] for result in results)
    requests = [event.payload for event in events if event.type == "decode_request"]
    first, second = requests[-1]["model"].split("+")
    assert second == office.first.checksum and first != second
    assert office.ask(workspace, "model_pairs")["result"]["pair"]["is_current"]
    with pytest.raises(CommandError, match="translates an open document"):
        office.sessions.models.remove("cached/firefox-pt-en-tiny")

    token = workspace.token
    office.stop()
    office.start()
    again = office.sessions.find(OWNER, token)
    again.model.wait()
    assert (again.model.state, again.model.pivot) == ("ready", "en")
    office.stop()
    shutil.rmtree(cache_folder())
    office.start()
    again = office.sessions.find(OWNER, token)
    assert again.model is office.first
    assert "firefox-pt-en-tiny + en-de was removed" in again.problem


def test_missing_model_of_a_pair_is_downloaded_and_both_are_used(office: Office, codec: TextCodec) -> None:
    office.registry.publish("pt-en")
    save_model(office.models / "de-pt", codec, "de-pt", 3)
    shutil.move(office.models / "de-pt", cache_folder() / "de-pt")  # so that the document can be in another direction
    office.sessions.models.catalog.published.update()
    opened = office.sessions.open_document(OWNER, b"Open the door.\n", "text.txt")
    pairs = office.ask(opened, "model_pairs")["result"]
    assert pairs["pairs"] == {"de": ["en"], "en": ["pt"], "pt": ["de"]}
    assert pairs["direction"] in ("de-en", "en-pt"), "the document's has a single model, so the first is shown"
    offered = office.ask(opened, "model_pairs", direction="pt-de")["result"]["pair"]
    assert [part["is_installed"] for part in offered["parts"]] == [False, True]
    assert offered["parts"][0]["licence"] == "MPL-2.0"
    assert len(office.registry.requests) == 1, "the list alone"

    assert office.ask(opened, "switch_model", key=offered["key"])["ok"]
    wait_until(opened, lambda: opened.snapshot(OWNER)["model"]["offered"] is not None)
    shown = opened.snapshot(OWNER)["model"]["offered"]
    assert (shown["key"], shown["directions"]) == (offered["key"], ["pt-de"])
    assert "firefox-pt-en-tiny" in [folder.name for folder in office.installed()]
    workspace = office.sessions.restart(OWNER, opened, "pt-de", offered["key"])
    workspace.model.wait()
    assert (workspace.model.state, workspace.model.pivot) == ("ready", "en")


def test_commands_list_names_the_two_models(office: Office) -> None:
    office.install()
    assert pair_lines(office.sessions.models.catalog.pivots, "pt-de") == [
        "  two models, through en: firefox-pt-en-tiny (installed), then en-de (installed)"
    ]
    assert pair_lines(office.sessions.models.catalog.pivots, "en-de") == []
    assert json.dumps(office.sessions.models.catalog.pivots.pairs()) == '{"pt": ["de"]}'


def test_command_translate_uses_two_models_one_after_the_other(
    codec: TextCodec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = save_model(tmp_path / "pt-en", codec, "pt-en", 1)
    second = save_model(tmp_path / "en-de", codec, "en-de", 2)
    (tmp_path / "a.txt").write_text("Open the door.\n", encoding="utf-8")
    (tmp_path / "terms.csv").write_text("source,target\ndoor,Haus\n", encoding="utf-8")
    command = ["translate", str(tmp_path / "a.txt"), "--beam", "2"]
    both = ["--model", str(first), "--then", str(second)]
    glossary = ["-o", str(tmp_path / "terms.txt"), "--glossary", str(tmp_path / "terms.csv")]
    assert run_command([*command, *both]) == 0
    assert run_command([*command, *both, *glossary]) == 0
    chain = PivotTranslator(Translator.load(first), Translator.load(second), "pt-en", "en-de")
    expected = chain.translate(Request("Open the door.", "pt-de"), replace(SEARCH, beam=2, nbest=1)).hypotheses[0].text
    assert (tmp_path / "a.de.txt").read_text(encoding="utf-8") == f"{expected}\n"
    assert "Haus" not in expected and "Haus" in (tmp_path / "terms.txt").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run_command([*command, "--model", str(second), "--then", str(first)]) == 2
    assert (
        "en-de translates en-de, and pt-en translates pt-en: the second model must translate" in capsys.readouterr().err
    )
    assert run_command([*command, *both, "--direction", "pt-fr"]) == 2
    assert "does not support 'pt-fr'; it translates pt-de" in capsys.readouterr().err
