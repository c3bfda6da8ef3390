"""One segment of an open document: its state, its constraints, and its JSON views for the page."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]  # an object as the page and the log exchange it
