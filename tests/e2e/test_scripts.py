"""Targets in scripts without spaces: their words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.app.hand_decoder import HandDecoder, ready_model, translation
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen


def answer(
    screen: Screen, decoder: HandDecoder, *texts: str, aligned: tuple[tuple[int, int, int, int], ...] = ()
) -> None:
    """Answers what is asked of the first segment, best first, until that is shown; `aligned` are characters."""

    def is_shown() -> bool:
        for request, _, future in decoder.of(0):
            told = translation(request, *texts)
            if not future.done():
                hypotheses = tuple(replace(hypothesis, alignment=aligned) for hypothesis in told.hypotheses)
                future.set_result(replace(told, hypotheses=hypotheses))
        return screen.proposal_text() == texts[0] and screen.proposal.get_attribute("aria-busy") == "false"

    screen.eventually(is_shown)


def test_words_of_chinese_and_japanese_are_pressed_whole_and_answer_to_the_servers_letters(
    context: BrowserContext, tmp_path: Path
):
    decoder = HandDecoder()
    with serve(ready_model(decoder, direction="en-zh"), tmp_path) as url:
        page = context.new_page()
        screen = Screen(page, url)
        screen.open_text("Open the file.\nNext.\n", waits=False)
        expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
        answer(screen, decoder, "请打开文件。", aligned=((9, 13, 3, 5),))
        expect(screen.words).to_have_text(["请", "打开", "文件"])
        page.keyboard.press("Control+ArrowUp")
        page.keyboard.press("End")
        expect(page.locator(".source .aligned")).to_have_text(["file"])
        expect(page.locator(".hyp .aligned")).to_have_text(["文件"])
        with page.expect_request(lambda request: "alternatives" in (request.post_data or "")) as asked:
            page.keyboard.press("Alt+a")
        assert json.loads(asked.value.post_data or "")["data"]["word"] == 3  # 请 打 开 文 件
        expect(page.locator(".pop .ph b")).to_have_text("文件")
        page.keyboard.press("Escape")
        page.keyboard.press("Space")
        screen.eventually(lambda: [phrase.text for phrase in decoder.of(0)[-1][0].phrases] == ["文件"])
        # Half of what the dictionary would join is pinned; kana are told apart by it, names in katakana are not.
        answer(screen, decoder, "文件夹をファイルサーバーに保存してください。")
        expect(page.locator(".hyp .pin")).to_have_count(1)
        words = screen.words.all_text_contents()
        assert words[:6] == ["文件", "夹", "を", "ファイルサーバー", "に", "保存"]
        assert "".join(words) == "文件夹をファイルサーバーに保存してください"
        screen.check_nothing_went_wrong()
