#!/usr/bin/env python3
"""Uses the book as a reader would: guesses, steps, and looks up words. In Chromium, and in Firefox and WebKit if they
are installed.

    tests/book/reader.py build/book"""
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent / "inspector"))
from chromium import Chromium
from webdriver import Firefox, WebKit

LESSON = "01_bigram.html"
SHOWN = "document.querySelector('.answer').open"


def claim(holds, what):
    if not holds:
        raise SystemExit(f"check-book: not so: {what}")


class Reader:
    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = folder

    def open(self, page, hash=""):
        self.browser.open(self.folder / page, hash)

    def ask(self, expression):
        return self.browser.evaluate(expression)


def guess(reader):
    reader.open(LESSON)
    claim(not reader.ask(SHOWN), "what a program prints is covered before a guess")
    reader.browser.click(".guess input")
    reader.browser.type("about 5")
    reader.browser.click(".answer > summary")
    claim(reader.browser.until(SHOWN), "it is shown afterwards")
    claim("about 5" in reader.browser.text("#answer-1"), "the guess stands where its answer does")
    reader.open("05_neural_bigram.html", "#how-sure-are-we")
    claim(reader.ask(SHOWN), "an address that leads into an answer shows it")
    reader.open("02_gradient.html")
    reader.ask("document.querySelector('.run').dispatchEvent(new CustomEvent('ran', { bubbles: true }))")
    claim(reader.ask(SHOWN), "a program that has run shows what it prints")


def walk(reader):
    reader.open(LESSON)
    steps = "document.querySelector('.session-box').querySelectorAll('.step:not([hidden])').length"
    claim(reader.ask(steps) == 0 and reader.browser.text(".session-box button") == 'Type "stops count" (1 of 5)',
          "a walk begins with a command to type")
    reader.browser.click(".session-box button")
    claim(reader.ask(steps) == 1, "a step shows it, and what it prints")
    reader.browser.click(".session-box button")
    reader.browser.click(".session-box input")
    reader.browser.type("one")
    reader.browser.press("Enter")
    claim("$2 = 0\nYou guessed: one" in reader.browser.text(".session-box pre"), "a guess stands beside it")
    at = reader.ask("(at => [at.getAttribute('href'), at.target])(document.querySelector('.session-box .at'))")
    line = 1 + Path("lessons/01_bigram/main.cpp").read_text().split("// stop: count")[0].count("\n")
    claim(at == [f"code/lessons/01_bigram/main.cpp.html#L-{line}", "code"], f"{at}, not a window with line {line}")


def look_up(reader):
    reader.open("08_multi_head.html")
    reader.ask("document.querySelector('.term').focus()")
    shown = reader.ask("[document.activeElement.dataset.entry, getComputedStyle(document.activeElement, '::after').content]")
    claim(shown[0].startswith("Attention (07)") and shown[1] != "none", f"a term shows its entry, not {shown}")


def look_inside(reader):
    """Each invitation opens a model as it says."""
    count = 0
    for page in sorted(reader.folder.glob("[0-9]*.html")):
        if "invitation" not in page.read_text(encoding="utf-8"):
            continue
        reader.open(page.name)
        address = reader.ask("document.querySelector('.invitation a').getAttribute('href')")
        reader.open(*re.split("(?=#)", address))
        asked = dict(part.split("=") for part in address.split("#")[1].split("&"))
        shown = reader.ask("[state.text, state.tab]")
        claim(shown == [asked["text"].replace("%3D", "="), asked["tab"]],
              f"{page.name} opens the inspector where it says, and not {shown}")
        claim(not reader.browser.errors, f"{address} opens without an error: {reader.browser.errors}")
        count += 1
    claim(count == 6, "six lessons open a model")


def widths(reader):
    """Every page, from a phone to a wide screen, without an error or a request to anywhere else."""
    pages = sorted(path.name for path in reader.folder.glob("*.html"))
    for width in (320, 390, 1024, 1920):
        reader.browser.resize(width, 900)
        for page in pages:
            reader.open(page)
            claim(reader.ask("document.documentElement.scrollWidth <= innerWidth"), f"{page} fits in {width} pixels")
            claim(not reader.browser.errors, f"{page} opens without an error: {reader.browser.errors}")
            away = [url for url in reader.browser.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
            claim(not away, f"{page} asks for nothing from a network: {away}")
    return len(pages)


def keyboard(reader):
    """Nothing but Tab, Enter, Escape and letters."""
    def go_to(selector):
        for _ in range(500):
            reader.browser.press("Tab")
            if reader.ask(f"document.activeElement.matches({selector!r})"):
                return
        claim(False, f"the keyboard reaches {selector}")

    reader.open(LESSON)
    go_to(".guess input")
    reader.browser.type("yes")
    go_to(".answer > summary")
    reader.browser.press("Enter")
    claim(reader.ask(SHOWN), "a key uncovers an answer")
    go_to(".session-box button")
    reader.browser.press("Enter")
    reader.browser.press("Enter")
    go_to(".at")


def without_scripts(reader):
    with TemporaryDirectory() as folder:
        text = (reader.folder / LESSON).read_text(encoding="utf-8")
        (Path(folder) / LESSON).write_text(re.sub("<script.*?</script>", "", text), encoding="utf-8")
        shutil.copy(reader.folder / "book.css", folder)
        reader.browser.open(Path(folder) / LESSON)
        hidden = reader.ask("[...document.querySelectorAll('main *')].filter((e) => !e.closest('details, .run') && !e.offsetParent).length")
        claim(hidden == 0, "without scripts all text is there")


def use(browser, folder):
    reader = Reader(browser, folder)
    for act in (guess, walk, look_up):
        act(reader)
        claim(not browser.errors, f"there are no errors: {browser.errors}")
    print(f"book: {type(browser).__name__}: guessing, running, stepping and looking up work", flush=True)
    return reader


def main():
    folder = Path(sys.argv[1]).resolve()
    with Chromium(width=1440, height=900) as browser:
        reader = use(browser, folder)
        look_inside(reader)
        count = widths(reader)
        reader.browser.resize(1440, 900)
        keyboard(reader)
        without_scripts(reader)
    print(f"book: {count} pages fit, at four widths", flush=True)
    for kind in (Firefox, WebKit):
        if kind.find_command():
            with kind() as browser:
                use(browser, folder)
        else:
            print(f"book: no {kind.__name__} here, so it is not tried; try: apt-get install {kind.PACKAGES}")


if __name__ == "__main__":
    main()
