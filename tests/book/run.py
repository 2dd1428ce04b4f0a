#!/usr/bin/env python3
"""The programs of the book: python3 tests/book/run.py BUILD BOOK NAME...

Each program runs natively and in a page, one after another: in Chromium, and in Firefox and WebKit if they are
installed. It must print the same everywhere, but for the lines in DIFFER. Then the page is used as it should not be. A
name is heart or a lesson, such as 05_neural_bigram; BUILD has the native programs.
"""
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "inspector"))
from chromium import Chromium
from webdriver import Firefox, WebKit

# What differs, and why: the line that is expected, and what stands there.
DIFFER = {
    "10_tensors": [("a node has 80 bytes", "a node has 56 bytes", "pointers have 4 bytes")],
    "24_training_well": [("2.426 2.454", "2.426 2.453", "the C library and sums of other vectors round differently")],
}
ENDLESS = base64.b64encode(gzip.compress(b"for (;;);")).decode()


class Page:
    """A page of the book in which any program can be put."""

    def __init__(self, browser, book):
        self.browser = browser
        browser.open(book / "index.html")
        browser.evaluate("""window.ended = {}, addEventListener("ran", ({ detail, target }) =>
            (ended[detail.program] = target.dataset.code))""")

    def put(self, program):
        self.browser.evaluate(f"""document.querySelector("main").replaceChildren(
            make("div", {{ className: "run" }})), document.querySelector(".run").dataset.program = {json.dumps(program)}""")
        self.browser.evaluate("prepareRuns()")

    def press(self):
        self.browser.click(".run button")

    def text(self, inside):
        """The text of a part; of the output without what goes to stderr."""
        return self.browser.evaluate(f"""[...document.querySelector({json.dumps(inside)}).childNodes]
            .filter((part) => part.className !== "error").map((part) => part.textContent).join("")""")

    def choose(self, name, content):
        """Puts a file into the field for it; its bytes are a JavaScript expression. A field takes dropped files, too."""
        self.browser.evaluate(f"""(() => {{
            const chosen = new DataTransfer();
            chosen.items.add(new File([{content}], {json.dumps(name)}));
            document.querySelector(".run [name=NAMES]").files = chosen.files;
        }})()""")

    def run(self, program=None):
        """Runs a program to its end. Returns its exit code, and the seconds that it took."""
        if program:
            self.put(program)
        self.browser.evaluate("ended = {}")
        self.press()
        end = time.monotonic() + 600
        while not self.browser.until("Object.keys(ended).length"):
            assert time.monotonic() < end, f"{program} does not end"
        return self.browser.evaluate("Object.values(ended)[0]"), self.text(".run .state")


def native(build, name):
    """What a program prints natively, and the seconds that it took."""
    path = build / (name if name == "heart" else f"lessons/{name}/main")
    with tempfile.TemporaryDirectory() as pictures:
        begin = time.monotonic()
        done = subprocess.run([path, "data/names.txt"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True, env={**os.environ, "PICTURES": pictures})
        return done.stdout, time.monotonic() - begin


def everywhere(build, pages, name):
    """Runs one program in each page and prints a row."""
    expected, seconds = native(build, name)
    took, differing, wrong = [], 0, []
    wanted = expected
    for line, here, _ in DIFFER.get(name, []):
        wanted = wanted.replace(line, here)
    for page in pages:
        code, state = page.run(name)
        printed = page.text(".run .output")
        took.append(state)
        differing = max(differing, sum(a != b for a, b in zip(expected.splitlines(), printed.splitlines())))
        if code != "0" or printed != wanted:
            wrong.append(f"{name} in {type(page.browser).__name__}: ended with {code}, and prints something else")
    why = "".join(f" ({why})" for _, _, why in DIFFER.get(name, []))
    cells = [f"{seconds:.1f} s", *took, str(len(expected.splitlines())), str(differing)]
    print(f"{name:18}" + "".join(f" | {cell:>9}" for cell in cells) + why, flush=True)
    return wrong


def training_is_seen(page):
    page.run("heart")
    assert page.browser.until("document.querySelector('.mean')?.points.length === 1000"), "the curve has not 1,000 steps"
    names = page.browser.evaluate("[...document.querySelectorAll('.names li')].map((name) => name.textContent).join(' ')")
    assert names.startswith("carana kare ") and len(names.split()) == 20, names
    assert "to the letter" in page.text(".run")


def what_does_not_end_is_stopped(page):
    page.browser.evaluate(f"""bookPrograms.endless = false, load["run/endless"] = Promise.resolve(
        {{ loader: "{ENDLESS}", wasm: "{ENDLESS}", files: {{}} }})""")
    page.browser.evaluate("""window.stopped = 0, Worker.prototype.terminate = ((terminate) => function () {
        stopped++;
        terminate.call(this);
    })(Worker.prototype.terminate)""")
    page.put("endless")
    page.press()
    assert page.browser.until("document.querySelector('.run .state').textContent > '0.4'"), "the page does not live"
    page.press()
    assert page.text(".run .state") == "stopped" and page.browser.evaluate("stopped") == 1, "its worker still runs"


def lists_of_all_kinds_are_read(page):
    page.put("01_bigram")
    towns = Path("data/towns.txt").read_text()
    page.choose("towns.txt", json.dumps(towns))
    assert page.run()[0] == "0"
    assert page.text(".run .output").startswith(f"num docs: {len(towns.splitlines())}\n"), page.text(".run .output")[:200]
    assert "to the letter" not in page.text(".run")
    for program in ("01_bigram", "heart"):
        page.put(program)
        page.choose("empty.txt", "")
        assert page.run()[0] == "1"
        assert "empty.txt" in page.browser.text(".run .error"), page.browser.text(".run")
    page.put("01_bigram")
    page.choose("large.txt", f"('{'abcdefghij' * 3}q\\n').repeat({50_000_000 // 32})")
    page.run()
    assert page.text(".run .output").startswith("num docs: 1562500\n"), page.text(".run")[:500]


def obstacles_are_said(page):
    page.put("unknown")
    assert "does not run in the page" in page.text(".run")


def main(build, book, *names):
    build, book = Path(build), Path(book).resolve()
    kinds = [Chromium, *(kind for kind in (Firefox, WebKit) if kind.find_command())]
    browsers = [kind() for kind in kinds]
    try:
        pages = [Page(browser, book) for browser in browsers]
        print(" | ".join([f"{'program':18}", f"{'native':>9}", *(f"{kind.__name__:>9}" for kind in kinds), "    lines",
                          "differing"]), flush=True)
        wrong = [line for name in names for line in everywhere(build, pages, name)]
        for page in pages:
            for use in (training_is_seen, what_does_not_end_is_stopped, lists_of_all_kinds_are_read,
                        obstacles_are_said):
                use(page)
            assert not page.browser.errors, page.browser.errors
            print(f"{type(page.browser).__name__}: training, stopping and lists of names work", flush=True)
    finally:
        for browser in browsers:
            browser.__exit__()
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
