"""Roles and members of projects: what belongs to another project does not exist, whichever way a person asks."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.__main__ import main, with_api
from app.access.actor import OWNER, Actor
from app.errors import CommandError, LogError
from app.formats.archive import pack
from app.glossary import Term
from app.log.people import People
from app.log.store import LogStore
from app.monitoring import Metrics
from app.paths import SAMPLES_FOLDER
from app.projects import ProjectDraft
from app.reports.exports import EXPORTS
from app.serving.gateway import ApiGateway, error_reply_of
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.commands import COMMANDS
from app.ui.glossary_api import QUESTIONS
from app.ui.page import _functions
from app.ui.server import Doors, build_server
from app.ui.sign_in import SignIn
from app.workspace.workspace_exports import ALL_MEMORY, DOCUMENTS
from tests.app.formats.srx_samples import srx
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.test_people import TOKEN, URL

ANA, BEN, WEBLATE = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Weblate")

SECRET = "Geheimnis"
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Old door.</seg></tuv>'
    f'<tuv xml:lang="de"><seg>Alte {SECRET}tür.</seg></tuv></tu></body></tmx>'
)
NETWORK = {"download_model", "fetch_model", "look_up_model", "published_models"}
_SEQUENCE = count(1)


@pytest.fixture
def sessions(store: LogStore) -> Iterator[Sessions]:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    yield sessions
    sessions.close()


class Office:
    """Ana manages a project with a document, terms and a memory; Ben is a translator in no project."""

    def __init__(self, sessions: Sessions, folder: Path) -> None:
        self.sessions = sessions
        self.store = sessions.store
        self.people = sessions.store.people
        self.people.put("Ana", "manager")
        self.people.put("Ben", "translator")
        first = sessions.open_document(ANA, b"One.\n", "own.txt")
        sessions.projects.create(ANA, first, ProjectDraft(f"{SECRET}projekt", f"{SECRET}kunde"), "en-de")
        self.other_session = sessions.open_document(ANA, b"Four.\n", "four.txt").session_id
        self.workspace = sessions.open_document(ANA, f"Open the {SECRET} door.\n".encode(), f"{SECRET}.txt")
        self.project = self.workspace.project.id
        self.workspace.edit(ANA, 0, f"{SECRET}tür auf", "typed")
        self.workspace.comment(ANA, 0, f"{SECRET}?")
        self.workspace.confirm(ANA, 0, f"{SECRET}tür auf.")
        self.workspace.glossaries.put(ANA, f"{SECRET}begriffe", [Term("door", f"{SECRET}tür")])
        self.glossary = self.workspace.terms.glossaries[0].id
        self.workspace.glossaries.share(ANA, self.glossary)
        self.workspace.memory.import_memory(ANA, TMX.encode(), f"{SECRET}.tmx")
        self.bundle = sessions.bundles.begin_archive(ANA, pack({f"{SECRET}.txt": b"Two.\n"}), f"{SECRET}.zip")
        self.packed = sessions.bundles.pack(ANA, [self.workspace.session_id])["key"]
        rules = srx('<rule break="yes"><beforebreak>a</beforebreak><afterbreak>b</afterbreak></rule>')
        sessions.segmentation.choose(ANA, self.workspace, self.project, rules, f"{SECRET}.srx")
        self.keys = ApiFile.beside(folder / "log.sqlite")

    @cached_property
    def page(self) -> Doors:
        """The page without the API."""
        sign_in = SignIn(TOKEN, self.keys.person_with, passwords=Passwords(self.keys))
        return build_server(Api(self.sessions), host="127.0.0.1", port=7860, sign_in=sign_in)

    @cached_property
    def front(self) -> ApiGateway:
        """The page and the API."""
        return with_api(self.page, self.sessions, self.keys, Metrics(self.sessions))

    @property
    def numbers(self) -> dict[str, Any]:
        """Ana's numbers for the fields of messages."""
        return {
            "session": self.workspace.session_id,
            "documents": [self.workspace.session_id],
            "project": self.project,
            "into": self.project,
            "bundle": self.bundle["bundle"],
            "entry": self.bundle["files"][0]["entry"],
            "glossary": self.workspace.terms.glossaries[0].id,
            "words": SECRET[:4],
            "find": SECRET[:4],
            "kind": "all-memory.tmx",
        }

    def everything(self) -> str:
        """All rows of the log that are of Ana's project, to see whether anybody has changed them."""
        queries = (
            "SELECT * FROM project WHERE id = :project",
            "SELECT * FROM member WHERE project_id = :project",
            "SELECT * FROM term_base JOIN term_base_term ON id = term_base_id WHERE project_id = :project",
            "SELECT * FROM memory_entry WHERE project_id = :project",
            "SELECT * FROM segment WHERE session_id = :session",
            "SELECT * FROM event WHERE session_id = :session",
        )
        values = {"project": self.project, "session": self.workspace.session_id}
        return str([self.store.connection.rows("read the log", query, values) for query in queries])


@pytest.fixture
def office(sessions: Sessions, tmp_path: Path) -> Iterator[Office]:
    office = Office(sessions, tmp_path)
    yield office
    office.keys.close()


class Browser:
    """The browser of a person, with all that was shown in it."""

    def __init__(self, office: Office, name: str, **options: Any) -> None:
        self.client = TestClient(office.front, base_url=URL, client=("127.0.0.1", 50_000))
        _, self.key = office.keys.create(name, signs_in=True, **options)
        assert self.client.post("/sign-in", data={"token": self.key}, follow_redirects=False).status_code == 303
        found = re.search(r'"components":\s*\[\{"id":\s*(\d+)', self.client.get("/").text)
        assert found
        self.component = int(found[1])
        self.seen: list[str] = []

    def call(self, function: str, message: dict[str, Any]) -> dict[str, Any]:
        """Calls a function of the server as the page does."""
        sent = {"data": message, "component_id": self.component, "fn_name": function, "session_hash": "page"}
        reply = self.client.post("/gradio_api/component_server", json=sent)
        assert reply.status_code == 200, reply.text
        self.seen.append(reply.text)
        answer: dict[str, Any] = reply.json()
        assert "sent an invalid value for" not in reply.text, (function, message, reply.text)
        return answer

    def request(self, method: str, path: str, **content: Any) -> int:
        """Sends a request; the status of the reply."""
        reply = self.client.request(method, path, follow_redirects=False, **content)
        self.seen += [reply.text, reply.content.decode("utf-16-le", "replace"), str(reply.headers)]
        return reply.status_code


def example(schema: dict[str, Any], definitions: dict[str, Any], numbers: dict[str, Any], name: str = "") -> Any:
    """A value that a field accepts; for some names, one of `numbers`."""
    if name in numbers and schema.get("type") != "object":
        return numbers[name]
    if "$ref" in schema:
        return example(definitions[schema["$ref"].rpartition("/")[2]], definitions, numbers)
    if "anyOf" in schema:
        return example(schema["anyOf"][0], definitions, numbers, name)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "integer":
            return 0
        case "boolean":
            return True
        case "array":
            return []
        case "object":
            fields = schema.get("properties", {})
            return {key: example(fields[key], definitions, numbers, key) for key in schema.get("required", fields)}
        case _:
            encoded = schema.get("contentEncoding") == "base64"
            return base64.b64encode(b"Text.\n").decode() if encoded else "en-de" if name == "direction" else "text"


def messages(office: Office, token: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each command and each question about glossaries with Ana's numbers: (function, message)."""
    for function, models in (("command", COMMANDS), ("glossary", QUESTIONS)):
        for name, model in models.items():
            schema = model.model_json_schema()
            message = example(schema, schema.get("$defs", {}), office.numbers)
            fields = {key: text for key, text in schema["properties"].items() if "enum" not in str(text)}
            optional = {key: number for key, number in office.numbers.items() if key in fields}
            own = {"token": token, "client": "page", "sequence": next(_SEQUENCE)} if function == "command" else {}
            is_command = function == "command"
            message |= optional | {"token": token} | own | ({"name": name} if is_command else {"ask": name})
            yield function, message | ({"since": -1, "open": 0, "detail_since": -1} if is_command else {})


def test_other_people_cannot_see_or_change_a_project_in_any_way(office: Office):
    before, token = office.everything(), office.workspace.token
    ben = Browser(office, "Ben", may_export=True)
    own = ben.call("hello", {"token": None, "language": "en"})
    assert own["ok"] and own["token"] != token
    assert ben.call("hello", {"token": token, "language": "en"})["token"] == own["token"], "as for an unknown token"

    called = {function.__name__ for function in _functions(Api(office.sessions))}
    assert called == {
        "hello", "command", "changes", "alternatives", "places", "completion", "revision", "record", "preview",
        "glossary",
    }  # fmt: skip
    position = {"token": token, "since": -1, "open": 0, "detail_since": -1, "language": "en"}
    segment = {"token": token, "segment": 0, "text": "x", "language": "en"}
    questions = [
        ("changes", position),
        ("alternatives", {**segment, "before": "", "locked": []}),
        ("places", {**segment, "pin": "x"}),
        ("completion", segment),
        ("revision", {**segment, "prefix": "", "locked": []}),
        ("record", {"token": token, "view": "report", "language": "en"}),
        ("record", {"token": token, "view": "replay", "language": "en"}),
        ("preview", {"token": token, "language": "en"}),
        *messages(office, token),
    ]
    for function, message in questions:
        reply = ben.call(function, message)
        assert reply["error"]["kind"] == "unknown_session", message
    for function, message in messages(office, own["token"]):
        if message.get("name") not in NETWORK:
            ben.call(function, message)

    kinds = [*DOCUMENTS, *ALL_MEMORY, *EXPORTS]
    values = {
        "token": [token, own["token"]],
        "kind": kinds,
        "glossary": [str(office.numbers["glossary"])],
        "ending": ["csv"],
        "number": [str(office.workspace.session_id)],
        "project": [str(office.project)],
        "key": [office.packed],
        "shown": ["attention"],
    }
    page_paths = filled([route for route in routes(office.page.app.routes) if "{" in route], values)
    assert {f"/download/{token}/memory.tmx", f"/download/{own['token']}/segmentation/{office.project}"} <= set(
        page_paths
    )
    for path in page_paths:
        method = "GET" if path.startswith("/download/") else "POST"
        fields = {"file": "x.csv", "upload": "u", "percents": "1"}
        status = ben.request(method, path, params=fields, content=b"" if method == "GET" else b"a")
        assert method == "POST" or status == 404 or own["token"] in path, path

    bearer = {"authorization": f"Bearer {ben.key}"}
    api_paths = [route for route in routes(office.front.api.routes) if error_reply_of(route)]
    for path in filled(api_paths, {**values, "number": [*values["number"], "x"]}):
        for method in ("GET", "POST", "DELETE"):
            if not path.endswith("/events"):
                ben.request(method, path, headers=bearer)
    session = f"/api/v1/sessions/{office.workspace.session_id}"
    assert ben.request("GET", f"{session}/events", headers=bearer) == 404
    assert ben.request("GET", f"{session}/log.jsonl", headers=bearer) == 404
    form = {"target": "de", "source": "en", "project": str(office.project)}
    upload = {"file": ("a.txt", b"Old door.\n")}
    assert ben.request("POST", "/api/v1/documents", headers=bearer, data=form, files=upload) == 400
    for path in ("/status", "/healthz", "/"):
        assert ben.request("GET", path) == 200

    shown = [text for text in ben.seen if SECRET in text]
    assert not shown, shown[0][:2000]
    assert office.everything() == before and SECRET in before
    ana = Browser(office, "Ana")
    assert ana.request("GET", f"/download/{token}/memory.tmx") == 200 and SECRET in ana.seen[0], "and a member has it"


@pytest.mark.parametrize(
    ("role", "is_member", "expected"),
    [
        ("translator", False, set()),
        ("translator", True, {"see"}),
        ("reviewer", True, {"see"}),
        ("manager", False, {"create"}),
        ("manager", True, {"see", "create", "edit", "matches", "delete document", "delete"}),
        ("administrator", False, {"see", "create", "edit", "matches", "delete document", "delete", "remove model"}),
    ],
)
def test_role_and_membership_allow(office: Office, role: Any, is_member: bool, expected: set[str]):
    sessions, project = office.sessions, office.project
    office.people.put("Ben", role)
    if is_member:
        office.people.join("Ben", [project])
    draft = ProjectDraft("Neu")
    sessions.welcome(BEN, None)
    own = sessions.open_document(BEN, b"Own.\n", "own.txt")
    unshown = office.workspace if is_member or role == "administrator" else own
    actions = {
        "see": lambda: office.store.load_session(BEN, office.workspace.session_id),
        "create": lambda: sessions.projects.create(BEN, own, draft, "en-de"),
        "edit": lambda: sessions.projects.edit(BEN, own, project, ProjectDraft("Anders")),
        "matches": lambda: sessions.projects.choose_matches(BEN, unshown, 80, 2, 2) if unshown is not own else fail(),
        "delete document": lambda: sessions.delete_document(BEN, office.other_session, besides=own),
        "remove model": lambda: office.people.access(BEN).check_administers(),
        "delete": lambda: sessions.delete_project(BEN, own, project, other_of(sessions, project)),
    }
    done = {name for name, action in actions.items() if succeeds(action)}
    assert done == expected


def fail() -> None:
    raise CommandError("not even seen")


def other_of(sessions: Sessions, project: int) -> int | None:
    """Another project, which takes the documents of a deleted one."""
    return next((one.project.id for one in sessions.store.projects(OWNER) if one.project.id != project), None)


def succeeds(action: Any) -> bool:
    try:
        action()
    except (CommandError, LogError):
        return False
    return True


def test_before_anybody_has_a_role_everybody_sees_everything(sessions: Sessions):
    anas = sessions.open_document(ANA, b"One.\n", "a.txt")
    assert sessions.find(BEN, anas.token) is anas and sessions.documents(BEN)["documents"]
    sessions.projects.edit(BEN, anas, anas.project.id, ProjectDraft("Unser"))


def test_restrictions_stay_when_the_last_person_with_a_role_is_removed(office: Office):
    office.people.remove("Ana")
    office.people.remove("Ben")
    assert office.store.sessions(WEBLATE) == []
    assert len(office.store.sessions(OWNER)) >= 2, "of the owner"
    assert office.people.all() == [] and office.people.members(office.project) == []


def test_membership_counts_at_once_for_a_page_that_is_open(office: Office):
    office.people.join("Ben", [office.project])
    ben = Browser(office, "Ben")
    position = {"token": office.workspace.token, "since": -1, "open": 0, "detail_since": -1}
    assert ben.call("changes", position)["document"]["name"] == f"{SECRET}.txt"
    other = LogStore.open(office.store.path)  # as the command does
    other.people.leave("Ben", [office.project])
    other.close()
    deadline = time.monotonic() + 60
    while ben.call("changes", position)["ok"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ben.call("changes", position)["error"]["kind"] == "unknown_session"


def test_page_that_waits_gets_nothing_after_the_sign_in_ends(office: Office):
    office.people.join("Ben", [office.project])
    ben = Browser(office, "Ben")
    (key,) = [each for each in office.keys.keys() if each.name == "Ben"]  # noqa: SIM118 (no mapping)
    version = office.workspace.snapshot(OWNER)["version"]
    position = {"token": office.workspace.token, "since": version, "open": 0, "detail_since": version}
    sent = {"data": position, "component_id": ben.component, "fn_name": "changes", "session_hash": "page"}
    with ThreadPoolExecutor(1) as executor:
        waiting = executor.submit(ben.client.post, "/gradio_api/component_server", json=sent)
        time.sleep(0.6)
        assert not waiting.done()
        office.keys.revoke(key.id)
        office.workspace.edit(ANA, 0, f"{SECRET} danach", "typed")
        reply = waiting.result(60)
    assert reply.status_code == 401 and SECRET not in reply.text


def test_first_document_of_a_person_goes_into_a_project_of_their_own(office: Office):
    workspace = office.sessions.open_document(BEN, b"Two.\n", "b.txt")
    again = office.sessions.open_document(BEN, b"Three.\n", "c.txt")
    assert workspace.project.name == "Ben" and again.project.id == workspace.project.id
    assert office.people.members(workspace.project.id) == ["Ben"]
    office.sessions.projects.edit(BEN, workspace, workspace.project.id, ProjectDraft("Bens"))


def test_matches_come_only_from_projects_that_all_members_see(office: Office):
    """What is filled in from the memory is seen by everybody who sees the document."""
    sessions = office.sessions
    sessions.projects.create(ANA, office.workspace, ProjectDraft("Gemeinsam"), "en-de")
    first = sessions.projects.overview(ANA)["projects"][0]
    common = sessions.open_document(ANA, b"Old door.\n", "common.txt")
    assert common.project.id == first["id"]

    def texts() -> list[str]:
        return [row["target"] for row in common.memory.matches(OWNER, 0)["matches"]]

    assert texts() == [f"Alte {SECRET}tür."]
    office.people.join("Ben", [common.project.id])
    assert texts() == [] and common.memory.concordance("door")["rows"] == []
    office.people.join("Ben", [office.project])
    assert texts() == [f"Alte {SECRET}tür."]
    office.people.leave("Ben", [office.project])
    office.people.put("Ben", "administrator")
    assert texts() == [f"Alte {SECRET}tür."], "administrators see all projects"


def test_archive_is_not_repacked_for_who_does_not_see_all_its_documents(office: Office):
    sessions = office.sessions
    files = {"a.txt": b"One.\n", f"{SECRET}2.txt": b"Two.\n"}
    bundle = sessions.bundles.begin_archive(ANA, pack(files), "job.zip")
    opened = [sessions.bundles.open_entry(ANA, bundle["bundle"], one["entry"]) for one in bundle["files"]]
    sessions.projects.create(ANA, office.workspace, ProjectDraft("Bens Teil"), "en-de")
    part = sessions.projects.overview(ANA)["projects"][0]["id"]
    sessions.move_document(ANA, opened[0]["session"], part)
    assert sessions.bundles.pack(ANA, [opened[0]["session"]])["num_unchanged"] == 1
    office.people.join("Ben", [part])
    packed = sessions.bundles.pack(BEN, [opened[0]["session"]])
    assert packed["num_unchanged"] == 0 and SECRET.encode() not in sessions.bundles.packed(BEN, packed["key"]).data
    groups = sessions.bundles.choices(BEN, opened[0]["session"])["groups"]
    assert all(SECRET not in row["path"] for one in groups for row in one["documents"])
    with pytest.raises(CommandError):
        sessions.bundles.packed(ANA, packed["key"])


def test_command_gives_roles_and_projects(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    log = tmp_path / "log.sqlite"
    store = LogStore.open(log)
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    project = sessions.open_document(OWNER, b"One.\n", "a.txt").project.id
    place = ["--log", str(log)]

    def run(*arguments: str) -> str:
        assert main([*arguments, *place]) == 0
        return "".join(capsys.readouterr())

    assert "From now on" in run("keys", "create", "Ana", "--sign-in", "--role", "manager")
    assert "manager" in run("keys", "create", "Ana", "--sign-in"), "a second key keeps the role"
    assert "no projects yet" in run("people", "add", "Ben")
    assert f"projects {project}" in run("people", "add", "Cem", "--project", str(project))
    run("people", "join", "Ben", str(project))
    assert "Ben, Cem" in run("people", "projects")
    run("people", "leave", "Ben", str(project))
    listed = [json.loads(line) for line in run("people", "list", "--json").splitlines()]
    assert listed == [
        {"name": "Ana", "role": "manager", "projects": []},
        {"name": "Ben", "role": "translator", "projects": []},
        {"name": "Cem", "role": "translator", "projects": [project]},
    ]
    assert "translator     Cem (projects 1)" in run("people", "list")
    assert "Revoked: 2 keys." in run("people", "remove", "Ana")
    file = ApiFile.beside(log)
    assert all(key.revoked for key in file.keys())  # noqa: SIM118 (no mapping)
    file.close()
    for wrong in (["join", "Ben", "99"], ["join", "Dan", "1"], ["leave", "Ben", "1"], ["remove", "Dan"], ["add", " "]):
        assert main(["people", *wrong, *place]) == 2, wrong
    assert [person.name for person in People(store.connection).all()] == ["Ben", "Cem"]
    sessions.close()
    store.close()


def test_key_of_a_program_acts_in_its_own_name(office: Office):
    """Its events name it, and its project is its own; once there are roles, it sees nothing else."""
    project = office.sessions.projects.add_unchosen(WEBLATE, "Weblate (API)", "en-de")
    assert [one.project.id for one in office.store.projects(WEBLATE)] == [project.id]
    assert office.store.sessions(WEBLATE) == []
    _, key = office.keys.create("Weblate", may_export=True)
    client = TestClient(office.front, base_url=URL, client=("127.0.0.1", 50_000))
    bearer = {"authorization": f"Bearer {key}"}
    form = {"target": "de", "source": "en"}
    sent = client.post("/api/v1/documents", headers=bearer, data=form, files={"file": ("a.txt", b"Hello.\n")})
    assert sent.status_code == 201, sent.text
    (session,) = client.get("/api/v1/sessions", headers=bearer).json()["sessions"]
    assert client.get(f"/api/v1/sessions/{session['id']}/log.csv", headers=bearer).status_code == 200
    events = list(office.store.events(session["id"]))
    assert events[0].payload["person"] == "Weblate"
    own = f"/api/v1/documents/{sent.json()['id']}"
    office.people.leave("Weblate", [sent.json()["project"]])
    assert client.get("/api/v1/documents", headers=bearer).json()["documents"] == []
    assert client.get(own, headers=bearer).status_code == 404
    office.people.put("Weblate", "administrator")
    assert client.get(own, headers=bearer).status_code == 200, "it is not forgotten meanwhile"
    assert len(client.get("/api/v1/sessions", headers=bearer).json()["sessions"]) > 1


def routes(given: Any) -> list[str]:
    """The paths of routes, with their parameters."""
    found = []
    for route in given:
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        found += routes(inner) if inner else [getattr(route, "path", "")]
    return found


def filled(found: list[str], values: dict[str, list[str]]) -> list[str]:
    """Each path with each value of its parameters."""
    for name, given in values.items():
        found = [path.replace(f"{{{name}}}", value) for path in found for value in given]
    return sorted({re.sub(r"\{[^}]*\}", "x", path) for path in found})


def test_members_are_chosen_by_project_managers(office: Office):
    members, workspace = office.sessions.members, office.workspace
    assert members.view(ANA, office.project)["others"] == [{"name": "Ben", "role": "translator"}]
    members.add(ANA, workspace, office.project, "Ben")
    found = members.view(ANA, office.project)
    assert [one["name"] for one in found["members"]] == ["Ana", "Ben"] and found["others"] == []
    for wrong in ("Nobody", ""):
        with pytest.raises(CommandError):
            members.add(ANA, workspace, office.project, wrong)
    with pytest.raises(CommandError, match="your own"):
        members.remove(ANA, workspace, office.project, "Ana")
    assert office.sessions.find(BEN, workspace.token) is workspace
    for action in (members.view, lambda actor, number: members.remove(actor, workspace, number, "Ana")):
        with pytest.raises(CommandError, match="Only managers"):
            action(BEN, office.project)
    members.remove(ANA, workspace, office.project, "Ben")
    with pytest.raises(CommandError):
        office.sessions.find(BEN, workspace.token)
    logged = [event.payload for event in office.store.events(workspace.session_id) if event.type == "project"]
    assert [(one["change"], one["member"], one["person"]) for one in logged[-2:]] == [
        ("join", "Ben", "Ana"),
        ("leave", "Ben", "Ana"),
    ]


def test_log_of_a_document_does_not_name_another_project(office: Office):
    """Its members read it, and a manager changes several projects with one document open."""
    sessions = office.sessions
    sessions.projects.create(ANA, office.workspace, ProjectDraft("Gemeinsam"), "en-de")
    common = sessions.open_document(ANA, b"New door.\n", "common.txt")
    office.people.join("Ben", [common.project.id])
    sessions.projects.edit(ANA, common, office.project, ProjectDraft(f"{SECRET}2", f"{SECRET}kunde"))
    sessions.projects.choose(ANA, common, office.project)
    sessions.projects.edit(ANA, common, common.project.id, ProjectDraft("Gemeinsam 2"))
    log = sessions.exports.make(BEN, sessions.find(BEN, common.token), "log.jsonl").data.decode()
    assert SECRET not in log and "Gemeinsam 2" in log


def test_document_is_assigned_to_a_member_by_a_project_manager(office: Office):
    members, session = office.sessions.members, office.workspace.session_id

    def assignee() -> str:
        return next(one.assignee for one in office.store.sessions(OWNER) if one.id == session)

    with pytest.raises(CommandError, match="not a member"):
        members.assign(ANA, session, "Ben")
    members.add(ANA, office.workspace, office.project, "Ben")
    members.assign(ANA, session, "Ben")
    assert assignee() == "Ben"
    rows = {row["session"]: row["assignee"] for row in office.sessions.documents(BEN)["documents"]}
    assert rows[session] == "Ben"
    with pytest.raises(CommandError, match="Only managers"):
        members.assign(BEN, session, "Ana")
    last = office.store.last_event(session, "project")
    logged = {"person": "Ana", "change": "assign", "project": office.project, "member": "Ben"}
    assert last is not None and last.payload == logged
    office.people.leave("Ben", [office.project])
    assert assignee() == ""
    with pytest.raises(LogError):
        members.assign(BEN, session, "")
