"""The policy that tells browsers which scripts may run."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Any

from app.ui.content_policy import PageSender, hashes_of, policy


def test_no_script_but_files_of_the_server_may_run():
    scripts = next(part for part in policy().decode().split("; ") if part.startswith("script-src"))
    assert scripts == "script-src 'self'"


def test_page_is_sent_whole_with_the_hash_of_each_inline_script():
    page = b"<script>one()</script><script type=module src=x></script><script data-gradio-mode>two()</script>"
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def reply() -> None:
        sender = PageSender(send)
        await sender({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await sender({"type": "http.response.body", "body": page[:20], "more_body": True})
        await sender({"type": "http.response.body", "body": page[20:]})

    asyncio.run(reply())
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in (b"one()", b"two()")]
    expected = policy("".join(f" 'sha256-{digest}'" for digest in digests))
    assert sent == [
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"a", b"b"), (b"content-security-policy", expected)],
        },
        {"type": "http.response.body", "body": page},
    ]


def test_page_of_many_unfinished_scripts_is_read_in_linear_time():
    assert hashes_of(b"<script" * 200_000) == hashes_of(b"<script>" * 200_000) == ""
