"""Which requests the server answers: its own page's, whatever address it listens on."""

from __future__ import annotations

import pytest

from app.ui.own_pages import OwnPages, is_loopback

LOCAL, OPEN = OwnPages.of("127.0.0.1"), OwnPages.of("0.0.0.0", ("Pinpoint.example",))


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.0.1.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("Localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("::ffff:192.168.1.2", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback_addresses_are_known(host: str, is_local: bool):
    assert is_loopback(host) is is_local


@pytest.mark.parametrize(
    ("headers", "at_loopback", "at_all_addresses"),
    [
        ({"host": "localhost:7860"}, True, True),
        ({"host": "127.0.0.1:7860", "origin": "http://127.0.0.1:7860"}, True, True),
        ({"host": "[::1]:7860", "origin": "http://[::1]:7860"}, True, True),
        ({"host": "192.168.1.2:7860", "origin": "http://192.168.1.2:7860"}, False, True),
        ({"host": "pinpoint.example", "origin": "https://pinpoint.example"}, False, True),  # a proxy with --allow-host
        # Pages of other sites, and their names that resolve to this computer.
        ({"host": "127.0.0.1:7860", "origin": "http://evil.example"}, False, False),
        ({"host": "127.0.0.1:7860", "origin": "http://127.0.0.1:8000"}, False, False),
        ({"host": "127.0.0.1:7860", "origin": "null"}, False, False),
        ({"host": "127.0.0.1:7860", "origin": "file://127.0.0.1:7860"}, False, False),
        ({"host": "evil.example:7860"}, False, False),
        ({"host": "evil.example:7860", "origin": "http://evil.example:7860"}, False, False),
        # Malformed.
        ({}, False, False),
        ({"host": ""}, False, False),
        ({"host": "[::1"}, False, False),
        ({"host": "127.0.0.1:many"}, False, False),
        ({"host": "user@127.0.0.1"}, False, False),
        ({"host": "127.0.0.1/x"}, False, False),
        ({"host": "127.0.0.1", "origin": "http://[::1"}, False, False),
    ],
)
def test_only_requests_of_the_own_page_are_answered(headers: dict[str, str], at_loopback: bool, at_all_addresses: bool):
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    assert (LOCAL.sent(sent), OPEN.sent(sent)) == (at_loopback, at_all_addresses)


def test_repeated_headers_are_refused():
    assert not LOCAL.sent([(b"host", b"127.0.0.1"), (b"host", b"evil.example")])
    assert not LOCAL.sent(
        [(b"host", b"127.0.0.1"), (b"origin", b"http://evil.example"), (b"origin", b"http://127.0.0.1")]
    )
