"""The block for nginx in the guide for administrators, in front of the app, with a stand-in of oauth2-proxy."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from typing import Any

import httpx
import pytest

from app.access.actor import OWNER
from app.log.store import LogStore
from app.serving.keys import ApiFile
from engine.text import TextCodec
from tests.e2e.conftest import ForkedApp, save_random_model
from tests.hard.page_client import PageClient

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx on this machine: apt install nginx-light")

ROOT = Path(__file__).resolve().parents[3]
NAME, TOKEN, ANA = "translate.example.org", "token-of-the-owner-for-a-test", "ana@example.org"
ADDRESS = "127.0.0.2"  # of browsers and programs; the proxy has 127.0.0.1
# The files are in a folder of the test.
CONFIGURATION = """
daemon off; user root; pid {folder}/nginx.pid; error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{https_port} ssl;
        server_name {name};
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
{block}
    }}
}}
"""


def documented_block(port: int, sign_in_port: int = 4180) -> str:
    """The block of the guide, with the token and the ports of the test."""
    guide = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
    found = re.search(r"With nginx:\n\n((?:    .*\n|\n)+)", guide)
    assert found
    block = dedent(found[1])
    for documented, used in (("Bearer TOKEN", f"Bearer {TOKEN}"), (":7860", f":{port}"), (":4180", f":{sign_in_port}")):
        assert documented in block
        block = block.replace(documented, used)
    return block


class SignInHandler(BaseHTTPRequestHandler):
    """Who has a cookie is signed in under its value, as with oauth2-proxy after a visit to the provider."""

    def do_GET(self) -> None:
        cookie = SimpleCookie(self.headers.get("cookie", "")).get("_oauth2_proxy")
        self.send_response(401 if cookie is None else 202)
        if cookie is not None:
            self.send_header("X-Auth-Request-Email", cookie.value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Site:
    """A server behind nginx. `url` and `https_url` are the addresses that browsers see."""

    url: str
    https_url: str
    log: Path
    key: str

    def client(self, person: str = "", **headers: str) -> httpx.Client:
        """A browser at nginx, in which this person is signed in."""
        port = self.url.rpartition(":")[2]
        cookies = {"_oauth2_proxy": person} if person else {}
        given = {"Host": f"{NAME}:{port}", **headers}
        address = f"http://127.0.0.1:{port}"
        transport = httpx.HTTPTransport(local_address=ADDRESS)
        return httpx.Client(base_url=address, cookies=cookies, headers=given, transport=transport, timeout=60)

    def program(self, key: str = "", **headers: str) -> httpx.Client:
        """A program at nginx, which sends its key."""
        return self.client(Authorization=f"Bearer {key or self.key}", **headers)


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def nginx(folder: Path, ports: dict[str, int], block: str) -> Iterator[None]:
    assert NGINX
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)
    file = folder / "nginx.conf"
    file.write_text(CONFIGURATION.format(folder=folder, name=NAME, block=block, **ports), encoding="utf-8")
    with (folder / "errors.txt").open("wb") as errors:
        process = subprocess.Popen([NGINX, "-c", str(file), "-p", str(folder)], stderr=errors)
    try:
        end = time.monotonic() + 60
        while True:
            assert process.poll() is None and time.monotonic() < end, (folder / "errors.txt").read_text()
            try:
                socket.create_connection(("127.0.0.1", ports["port"]), 1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, codec: TextCodec) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    log = folder / "log.sqlite"
    with closing(ApiFile.beside(log)) as keys:
        key = keys.create("Program", may_export=True)[1]
    log.with_name("log.sqlite.token").write_text(TOKEN, encoding="utf-8")
    log.with_name("log.sqlite.token").chmod(0o600)
    model = save_random_model(folder / "random-en-de", codec)
    flags = ("--api", "--person-header", "X-Forwarded-User", "--trust-proxy", "127.0.0.1", "--allow-host", NAME)
    app = ForkedApp(model, log, *flags)
    sign_in = ThreadingHTTPServer(("127.0.0.1", 0), SignInHandler)
    threading.Thread(target=sign_in.serve_forever, daemon=True).start()
    ports = {"port": free_port(), "https_port": free_port()}
    try:
        with nginx(folder, ports, documented_block(int(app.url.rpartition(":")[2]), sign_in.server_port)):
            yield Site(f"http://{NAME}:{ports['port']}", f"https://{NAME}:{ports['https_port']}", log, key)
    finally:
        app.stop()
        sign_in.shutdown()
        sign_in.server_close()


def page_client(browser: httpx.Client) -> PageClient:
    client = PageClient("http://127.0.0.1")
    client._http = browser
    return client


def test_only_people_whom_the_proxy_signs_in_see_the_page_under_their_name(site: Site) -> None:
    with site.client() as nobody, site.client(ANA, Origin=site.url) as browser:
        for path in ("/", "/status", "/download/x/jsonl"):
            assert nobody.get(path).status_code == 401
        page = browser.get("/")
        assert page.status_code == 200 and "<script" in page.text
        client = page_client(browser)
        client.begin("from-ana.txt")
        client.command("edit", segment=0, text="Von Ana", origin="typed")
    with closing(LogStore.open(site.log)) as store:
        (session,) = (each for each in store.sessions(OWNER) if each.document_name == "from-ana.txt")
        persons = {event.payload.get("person") for event in store.events(session.id) if event.type == "insert"}
    assert persons == {ANA}


def test_name_and_token_that_a_browser_sends_count_for_nothing(site: Site) -> None:
    forged = {"X-Forwarded-User": "ben@example.org", "Authorization": "Bearer wrong"}
    with site.client(**forged) as nobody, site.client(ANA, **forged) as browser:
        assert nobody.get("/").status_code == 401
        assert ANA in json.dumps(page_client(browser).call("hello", token=None))


def test_page_of_another_site_is_refused(site: Site) -> None:
    with site.client(ANA, Origin="http://evil.example") as browser:
        reply = browser.post("/gradio_api/component_server", json={})
    assert reply.status_code == 403


def test_behind_https_the_cookie_is_secure(site: Site) -> None:
    port = site.https_url.rpartition(":")[2]
    cookies, headers = {"_oauth2_proxy": ANA}, {"Host": f"{NAME}:{port}", "Origin": site.https_url}
    with httpx.Client(base_url=f"https://127.0.0.1:{port}", cookies=cookies, headers=headers, verify=False) as browser:
        assert browser.get("/").status_code == 200
        reply = browser.post("/sign-in", data={"token": TOKEN})
    assert reply.status_code < 400, reply.text
    assert all("Secure" in each for each in reply.headers.get_list("set-cookie"))


def test_large_files_are_uploaded_through_the_proxy(site: Site) -> None:
    comment = b"x" * 2000
    rows = b"source\ttarget\tcomment\n" + b"".join(b"door %d\tTor %d\t%s\n" % (n, n, comment) for n in range(1000))
    document = b"Press the button.\n\n" * 100 + b" " * 2_500_000
    with site.client(ANA) as browser, site.program() as program:
        token = page_client(browser).greet()
        assert len(rows) > 1.5 * 2**20
        reply = browser.post(f"/glossary/{token}?file=terms.tsv", content=rows, headers={"Content-Type": "text/plain"})
        assert reply.status_code == 200, reply.text
        sent = program.post("/api/v1/documents", data={"target": "de"}, files={"file": ("large.txt", document)})
        assert sent.status_code in (200, 201), sent.text
        too_large = program.post("/api/v1/translate", content=b" " * 41 * 2**20)
        assert too_large.status_code == 413 and "nginx" in too_large.text


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("POST", "/api/v1/translate", {"json": {"source": "en", "target": "de", "texts": ["Open it."]}}),
        ("GET", "/api/v1/usage", {}),
        ("POST", "/api/v1/jobs", {"json": {"source": "en", "target": "de", "texts": ["Open it."]}}),
        ("POST", "/translate", {"json": {"source": "en", "target": "de", "q": "Open it."}}),
        ("GET", "/languages", {}),
        ("GET", "/listPairs", {}),
        ("GET", "/tmserver/en/de/unit/Open", {}),
    ],
)
def test_programs_use_their_own_keys_through_the_proxy(
    site: Site, method: str, path: str, content: dict[str, Any]
) -> None:
    if path == "/translate":
        content = {"json": {**content["json"], "api_key": site.key}}
    with site.program() as program, site.program("pinpoint-wrong") as other:
        reply = program.request(method, path, **content)
        assert reply.status_code in (200, 201), reply.text
        if path.startswith(("/api", "/tm")):
            assert other.request(method, path, **content).status_code == 401


def test_deepl_key_goes_through_the_proxy(site: Site) -> None:
    with site.client(Authorization=f"DeepL-Auth-Key {site.key}") as program:
        assert program.get("/v2/usage").status_code == 200


def test_all_addresses_of_the_api_are_in_the_block(site: Site) -> None:
    with site.program() as program:
        paths = program.get("/api/v1/openapi.json").json()["paths"]
        found = re.search(r"location ~ (\S+) \{", documented_block(1))
        assert found and len(paths) > 40
        assert [path for path in paths if not re.match(found[1], path)] == []


def test_events_are_sent_at_once(site: Site) -> None:
    with site.client(ANA) as browser, site.program() as program:
        client = page_client(browser)
        client.begin("events.txt")
        with closing(LogStore.open(site.log)) as store:
            (number,) = (each.id for each in store.sessions(OWNER) if each.document_name == "events.txt")
        with program.stream("GET", f"/api/v1/sessions/{number}/events?after=0") as reply:
            assert reply.headers["content-type"].startswith("text/event-stream")
            lines = reply.iter_lines()
            client.command("comment", segment=1, text="Sofort")
            began = time.monotonic()
            assert any("Sofort" in line for line in lines)
            assert time.monotonic() - began < 20  # a buffer of nginx would keep it until the stream ends


def test_address_with_two_slashes_is_one_of_the_api(site: Site) -> None:
    with site.program() as program:
        assert program.get(f"{program.base_url}/listPairs").status_code == 200  # as OmegaT sends it


def test_address_of_a_client_is_the_one_that_nginx_sees(site: Site) -> None:
    with closing(ApiFile.beside(site.log)) as keys:
        here = keys.create("Here", networks=[ADDRESS])[1]
        elsewhere = keys.create("Elsewhere", networks=["203.0.113.0/24"])[1]
    forged = {"X-Forwarded-For": "203.0.113.7"}
    with site.program(here, **forged) as program, site.program(elsewhere, **forged) as other:
        assert program.get("/api/v1/usage").status_code == 200
        assert other.get("/api/v1/usage").status_code == 403
