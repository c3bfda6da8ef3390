"""The form of address and the domain that a person chooses: in every request, in the log, and where not known."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.log.store import LogStore
from app.models.style import FORMALITIES, Style, chosen_style
from app.paths import SAMPLES_FOLDER
from app.reports.replay import replay_steps
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.ui.api import Api
from app.workspace.commands import Workspace
from engine import Alternative, Avoid, Datastore, Pricing, Request, StoredPair
from engine.decoding.loop import DecodingJob
from engine.decoding.question_steps import Steps, answer_alone
from engine.interruption import NEVER
from tests.app.hand_decoder import HandDecoder, ready_model, settle, translation

NUMBERS = itertools.count(1)  # of the commands of a page

TEXT = b"Open the {1}settings{/1}.\nThe router saves the file.\nClose it.\n"
KNOWN = {"en-de": ("formal", "informal")}
DOMAINS = ("docs", "software")


class AskedTranslator:
    """Answers what is asked in passing, and keeps how it was asked: the method's name, formality and domain."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, str | None]] = []

    def _keep(self, name: str, request: Request) -> None:
        self.asked.append((name, request.formality, request.domain))

    def price_steps(self, job: DecodingJob) -> Steps[Pricing]:
        yield ()
        request = job.request
        self._keep("price", request)
        answer = translation(request, "frei")
        return Pricing(0.1, (0.1,) * len(request.phrases), (), answer, answer)

    def alternatives_steps(self, job: DecodingJob, *_: Any) -> Steps[tuple[Alternative, ...]]:
        yield ()
        self._keep("alternatives", job.request)
        return ()

    def stored_pair(self, request: Request, *_: Any, **__: Any) -> None:
        self._keep("learn", request)

    def datastore_of(self, pairs: Sequence[StoredPair]) -> Datastore:
        return Datastore("asked", pairs=tuple(pairs))


class AskedDecoder(HandDecoder):
    """One that also answers questions, at once."""

    def __init__(self) -> None:
        super().__init__()
        self.translator = AskedTranslator()

    def ask(self, question: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(answer_alone(question.steps(self.translator, NEVER), lambda _: None))
        return future


class Run:
    """The app from its start to its end, with a model that knows styles, or with one that does not."""

    def __init__(self, log: Path, *, knows: bool = True) -> None:
        self.store = LogStore.open(log)
        self.decoder = AskedDecoder()
        self.sessions = Sessions(self.store, ready_model(self.decoder, KNOWN if knows else {}, DOMAINS), SAMPLES_FOLDER)
        self.api = Api(self.sessions)

    def command(self, workspace: Workspace, name: str, **fields: Any) -> Any:
        message = {
            "token": workspace.token,
            "client": "c",
            "sequence": next(NUMBERS),
            "name": name,
            "since": -1,
            "open": None,
        }
        return self.api.command(OWNER, {**message, "since": -1, "detail_since": -1, **fields})

    def answer(self, workspace: Workspace) -> None:
        """Answers until nothing is asked any more."""
        waiting = True
        while waiting:
            waiting = any(not future.done() for *_, future in self.decoder.requests)
            self.decoder.answer_all()
            settle(workspace)

    def end(self) -> None:
        self.sessions.close()
        self.store.close()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "log.sqlite")
    yield run
    run.end()


def styles_asked(run: Run, first: int = 0) -> dict[str, tuple[str | None, str | None]]:
    """How each source was asked for, from request number `first` on."""
    return {request.source: (request.formality, request.domain) for _, request, _, _ in run.decoder.requests[first:]}


def test_new_style_translates_again_all_segments_without_a_translators_text(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    workspace.open(OWNER, 0)
    run.answer(workspace)
    workspace.confirm(OWNER, 1, "Meins.")
    before = [segment.text for segment in workspace.segments]
    assert set(styles_asked(run).values()) == {("formal", None)}, "the default of a project"

    first = len(run.decoder.requests)
    assert run.command(workspace, "choose_style", formality="informal", domain=None)["ok"]
    assert [segment.text for segment in workspace.segments] == before, "the earlier text stays until the answer"
    assert run.decoder.of(0)[-1][1] == "interactive"
    run.answer(workspace)
    assert styles_asked(run, first) == {"Open the settings.": ("informal", None), "Close it.": ("informal", None)}
    assert workspace.segments[1].target == "Meins."

    first = len(run.decoder.requests)
    assert run.command(workspace, "choose_style", formality="informal", domain=None)["ok"]
    assert len(run.decoder.requests) == first, "the same again changes nothing"
    run.command(workspace, "choose_style", formality="formal", domain="docs")
    run.command(workspace, "choose_style", formality=None, domain="docs")
    run.answer(workspace)
    assert set(styles_asked(run, first).values()) == {(None, "docs")}, "the newest choice counts"


def test_prices_alternatives_and_completions_use_the_style(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    workspace.open(OWNER, 0)
    workspace.choose_style(OWNER, Style("formal", "software"))
    workspace.constrain(OWNER, 0, Constraints(pins=("settings",)))
    run.answer(workspace)
    proposal = workspace.segments[0].machine_text
    assert proposal
    workspace.questions.ask_alternatives(0, proposal, "")
    workspace.questions.ask_completion(0, "Öffnen")
    completed = run.decoder.requests[-1][1]
    asked = [*run.decoder.translator.asked, ("completion", completed.formality, completed.domain)]
    assert {name for name, *_ in asked} == {"price", "alternatives", "completion"}
    assert {(formality, domain) for _, formality, domain in asked} == {("formal", "software")}
    logged = [e.payload for e in run.store.events(workspace.session_id) if e.type == "decode_request"]
    assert (logged[-1]["formality"], logged[-1]["domain"]) == ("formal", "software")
    assert logged[-1]["asked"]["formality"] == "formal"


def test_session_continues_in_its_style_and_keeps_its_translations(run: Run, tmp_path: Path) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    workspace.open(OWNER, 0)
    run.answer(workspace)
    workspace.choose_style(OWNER, Style("informal", "docs"))
    workspace.choose_style(OWNER, Style("formal"))
    run.answer(workspace)
    texts, token = [segment.text for segment in workspace.segments], workspace.token
    played = replay_steps((), run.store.events(workspace.session_id))
    logged = [(moment.type, moment.detail) for moment in played if moment.type in ("model", "style")]
    chosen = [("style", "informal · docs"), ("style", "formal")]
    assert logged == [("style", "formal"), ("model", "hand"), *chosen], "the project's default comes first"
    run.end()
    for knows, expected in ((True, texts), (False, [None, None, None])):
        again = Run(tmp_path / "log.sqlite", knows=knows)
        workspace = again.sessions.find(OWNER, token)
        assert workspace.style.chosen == Style("formal")
        assert [segment.text for segment in workspace.segments] == expected, "translations in another style are void"
        assert ("hand does not support" in workspace.problem) == (not knows)
        untouched = again.sessions.open_document(OWNER, b"Another text.\n", "other.txt")
        assert not untouched.problem, "nobody chose its style"
        again.end()
    run.store = LogStore.open(tmp_path / "log.sqlite")  # for the fixture to close


def test_style_that_the_model_does_not_support_is_kept_unsent_and_reported(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    workspace.open(OWNER, 0)
    workspace.choose_style(OWNER, Style("formal", "docs"))
    plain = HandDecoder()
    workspace.model_use.use_model(OWNER, ready_model(plain, domains=("docs",)))
    assert (plain.of(0)[-1][0].formality, plain.of(0)[-1][0].domain) == (None, "docs")
    snapshot = workspace.snapshot(OWNER)
    assert "Your choice is kept for models that support it" in snapshot["problem"]
    shown = {"formality": "formal", "domain": "docs", "requires_numbers": True, "formalities": [], "domains": ["docs"]}
    assert snapshot["model"]["style"] == shown
    workspace.choose_style(OWNER, Style("formal", None))  # what is kept is no hindrance
    assert plain.of(0)[-1][0].domain is None
    with pytest.raises(CommandError, match=r"does not support the formality 'informal' for en-de \(supported: none\)"):
        workspace.choose_style(OWNER, Style("informal", None))
    num_asked = len(plain.requests)
    workspace.choose_style(OWNER, Style(None, None))
    workspace.choose_style(OWNER, Style(None, None))
    assert len(plain.requests) == num_asked, "nothing else is asked for, so nothing is asked anew"
    workspace.model_use.use_model(OWNER, run.sessions.model)
    workspace.choose_style(OWNER, Style("formal", None))
    assert run.decoder.of(0)[-1][0].formality == "formal"
    assert workspace.snapshot(OWNER)["problem"] == ""


def test_document_begun_again_keeps_the_style_that_applies_to_the_direction(run: Run) -> None:
    run.sessions.model.directions = ("en-de", "de-en")
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    workspace.choose_style(OWNER, Style("formal", "docs"))
    turned, same = (run.sessions.restart(OWNER, workspace, direction) for direction in ("de-en", "en-de"))
    assert (turned.style.chosen, turned.problem) == (Style(None, "docs"), "")
    assert same.style.chosen == chosen_style(run.store, same.session_id) == Style("formal", "docs")


def test_pins_terms_and_bans_stay_as_they_are_in_another_style(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    run.sessions.glossary_files.add(OWNER, workspace, b"router\tRouter\n", "terms.tsv")
    workspace.open(OWNER, 1)
    workspace.constrain(OWNER, 1, Constraints(pins=("Datei",), bans=(Avoid("speichern"),)))
    run.answer(workspace)
    first = run.decoder.of(1)[-1][0]
    workspace.choose_style(OWNER, Style("informal", "docs"))
    again = run.decoder.of(1)[-1][0]
    assert {phrase.text for phrase in again.phrases} == {"Datei", "Router"}
    assert again == replace(first, formality="informal", domain="docs")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"formality": "polite", "domain": None}, "invalid value for 'formality'"),
        ({"formality": 1, "domain": None}, "invalid value for 'formality'"),
        ({"formality": None, "domain": ["docs"]}, "invalid value for 'domain'"),
        ({"formality": None, "domain": "law"}, "domain 'law' for en-de (supported: docs, software)"),
    ],
)
def test_unsupported_style_is_refused(run: Run, fields: dict[str, Any], message: str) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    reply = run.command(workspace, "choose_style", **fields)
    assert message in reply["error"]["message"]
    assert chosen_style(run.store, workspace.session_id) == Style("formal"), "as it was"


def test_page_shows_the_styles_of_each_model(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    style = run.command(workspace, "models")["model"]["style"]
    offered = {"formalities": list(FORMALITIES), "domains": list(DOMAINS)}
    assert style == {"formality": "formal", "domain": None, "requires_numbers": True, **offered}


@pytest.mark.parametrize("payload", [{}, {"formality": "polite", "domain": 7}, {"formality": ["formal"]}])
def test_imported_log_with_an_unknown_style_is_harmless(run: Run, payload: dict[str, Any]) -> None:
    workspace = run.sessions.open_document(OWNER, TEXT, "text.txt")
    run.store.append(OWNER, workspace.session_id, "style", payload)
    assert chosen_style(run.store, workspace.session_id) == Style()


def test_numbers_are_required_until_a_person_switches_them_off(run: Run) -> None:
    workspace = run.sessions.open_document(OWNER, b"It has 1,250 files.", "text.txt")
    workspace.open(OWNER, 0)

    def phrases() -> list[str]:
        return [phrase.text for phrase in run.decoder.of(0)[-1][0].phrases]

    assert phrases() == ["1.250"]
    assert run.command(workspace, "choose_style", formality=None, domain=None, requires_numbers=False)["ok"]
    assert phrases() == []
    assert not run.command(workspace, "models")["model"]["style"]["requires_numbers"]
    assert chosen_style(workspace.store, workspace.session_id) == Style(requires_numbers=False)
    workspace.choose_style(OWNER, Style())
    assert phrases() == ["1.250"]
