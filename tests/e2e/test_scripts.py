"""Targets in scripts without spaces and in right-to-left scripts: words, keys, text direction."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.app.hand_decoder import HandDecoder, ready_model, translation
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

MEASURE_TYPED = """line => {
  const range = document.createRange();
  range.selectNodeContents(line.firstChild);
  return range.getBoundingClientRect().width;
}"""


def answer(
    screen: Screen, decoder: HandDecoder, *texts: str, aligned: tuple[tuple[int, int, int, int], ...] = ()
) -> None:
    """Replies to requests for the first segment, best hypothesis first, until it is shown; `aligned` are characters."""

    def is_shown() -> bool:
        for request, _, future in decoder.of(0):
            answer = translation(request, *texts)
            if not future.done():
                hypotheses = tuple(replace(hypothesis, alignment=aligned) for hypothesis in answer.hypotheses)
                future.set_result(replace(answer, hypotheses=hypotheses))
        return screen.text() == texts[0] and screen.box.get_attribute("aria-busy") == "false"

    screen.eventually(is_shown)


def test_chinese_and_japanese_words_are_pinned_whole_at_the_servers_offsets(tabs: BrowserContext, tmp_path: Path):
    decoder = HandDecoder()
    with serve(ready_model(decoder, direction="en-zh"), tmp_path) as url, closing(tabs.new_page()) as page:
        screen = Screen(page, url)
        screen.open_text("Open the file.\nNext.\n", waits=False)
        expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
        answer(screen, decoder, "请打开文件。", aligned=((9, 13, 3, 5),))
        expect(screen.words).to_have_text(["请", "打开", "文件"])
        screen.point_at("文件")
        expect(page.locator(".source .aligned")).to_have_text(["file"])
        page.keyboard.press("Control+ArrowUp")
        expect(page.locator(".field .aligned")).to_have_text(["文件"])
        page.keyboard.press("Escape")
        with page.expect_request(lambda request: "alternatives" in (request.post_data or "")) as asked:
            page.keyboard.press("Alt+a")
        assert json.loads(asked.value.post_data or "")["data"]["before"] == "请打开"
        expect(page.locator(".pop .ph b")).to_have_text("文件")
        page.keyboard.press("Escape")
        page.keyboard.press("Alt+p")
        screen.eventually(lambda: [phrase.text for phrase in decoder.of(0)[-1][0].phrases] == ["文件"])
        # Half of what the dictionary would join is pinned; kana are set apart by it, names in katakana are not.
        answer(screen, decoder, "文件夹をファイルサーバーに保存してください。")
        expect(page.locator(".field .pin")).to_have_count(1)
        words = screen.words.all_text_contents()
        assert words[:6] == ["文件", "夹", "を", "ファイルサーバー", "に", "保存"]
        assert "".join(words) == "文件夹をファイルサーバーに保存してください"
        screen.check_nothing_went_wrong()


def test_arabic_is_shown_right_to_left_with_latin_words_left_to_right(tabs: BrowserContext, tmp_path: Path):
    decoder = HandDecoder()
    with serve(ready_model(decoder, direction="en-ar"), tmp_path) as url, closing(tabs.new_page()) as page:
        screen = Screen(page, url)
        press = page.keyboard.press
        screen.open_text("You can press %s later.\nNext.\n", waits=False)
        expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
        texts = ["يمكنك الضغط على %s لاحقًا.", "يمكنك الضغط على %s الآن.", "يمكنك الضغط على %s قريبًا."]
        answer(screen, decoder, *texts)
        screen.wait_for_proposal()
        for text in (screen.field, page.locator(".nb .tx").first):
            expect(text).to_have_css("direction", "rtl")
        for place in (page.locator(".field .asis"), page.locator(".nb .bx").first, page.locator(".source .asis")):
            expect(place).to_have_text("%s")
            expect(place).to_have_css("direction", "ltr")
        edges = page.locator(".nb .tx").evaluate_all("texts => texts.map(text => text.getBoundingClientRect().right)")
        assert len(edges) == 3 and len(set(edges)) == 1
        screen.pin("الضغط على")
        screen.eventually(lambda: screen.pins() == ["الضغط على"])
        expect(page.locator("li[data-pin] span[lang].pin")).to_have_css("direction", "rtl")
        answer(screen, decoder, *texts)
        # What is offered behind typed text does not change its letters, and is taken by the arrow that leads on.
        screen.type_text("يمكن")
        alone = page.locator(".field .cm-line").evaluate(MEASURE_TYPED)

        def is_offered() -> bool:
            """Answers what is asked, again where a newer request has replaced it."""
            for request, _, future in decoder.of("completion"):
                if not future.done():
                    found = translation(request, texts[0])
                    best = replace(found.hypotheses[0], token_log_probs=(0.0,))
                    future.set_result(replace(found, hypotheses=(best,)))
            return page.locator(".ghost").text_content() == "ك الضغط على %s لاحقًا."

        screen.eventually(is_offered)
        assert page.locator(".field .cm-line").evaluate(MEASURE_TYPED) == alone
        press("Control+ArrowLeft")
        screen.expect_text("يمكنك")
        press("Control+ArrowLeft")
        screen.expect_text("يمكنك الضغط")
        screen.check_nothing_went_wrong()
