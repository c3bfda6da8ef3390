"""The page's own files: their content and kind, and what a browser that has them already is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.ui.static_files import StaticFiles


@pytest.fixture
def files(tmp_path: Path) -> StaticFiles:
    (tmp_path / "static" / "core").mkdir(parents=True)
    (tmp_path / "static" / "core" / "texts.js").write_text("export const a = 'ä';", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return StaticFiles(tmp_path / "static")


@pytest.fixture
def client(files: StaticFiles) -> TestClient:
    return TestClient(files)


def test_file_comes_with_its_kind(client: TestClient) -> None:
    answer = client.get("/core/texts.js")
    assert answer.text == "export const a = 'ä';"
    assert answer.headers["content-type"].partition(";")[0].endswith("/javascript")


@pytest.mark.parametrize(
    "path", ["/", "/core", "/core/", "/other.js", "/../secret.txt", "/core/%2e%2e/%2e%2e/secret.txt"]
)
def test_what_is_not_a_file_of_the_folder_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_browser_that_has_the_file_gets_no_second_copy(client: TestClient) -> None:
    mark = client.get("/core/texts.js").headers["etag"]
    again = client.get("/core/texts.js", headers={"if-none-match": f'W/{mark}, "other"'})
    assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == mark
    assert client.get("/core/texts.js", headers={"if-none-match": '"other"'}).status_code == 200


def test_only_the_address_with_the_right_version_is_kept_by_browsers(client: TestClient, files: StaticFiles) -> None:
    whole = client.get("/core/texts.js")
    kept = client.get(f"/{files.version}/core/texts.js")
    earlier = client.get("/v-0123456789abcdef/core/texts.js")
    assert kept.content == earlier.content == whole.content
    assert "immutable" in kept.headers["cache-control"]
    assert "cache-control" not in whole.headers and "cache-control" not in earlier.headers
    assert client.get(f"/{files.version}/other.js").status_code == 404


def test_version_changes_with_the_content_and_the_name_of_a_file(files: StaticFiles, tmp_path: Path) -> None:
    folder = tmp_path / "static"
    versions = [files.version, StaticFiles(folder).version]
    (folder / "core" / "texts.js").write_text("export const a = 'b';", encoding="utf-8")
    versions.append(StaticFiles(folder).version)
    (folder / "core" / "texts.js").rename(folder / "core" / "other.js")
    versions.append(StaticFiles(folder).version)
    assert versions[0] == versions[1] and len(set(versions)) == 3
