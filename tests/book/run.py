#!/usr/bin/env python3
"""The programs of the book: python3 tests/book/run.py BUILD BOOK NAME...

Each program runs in node, and must print what it prints natively, but for the lines in DIFFER. Then some run in a page,
in Chromium. A name is heart or a lesson, such as 05_neural_bigram.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "inspector"))
from chromium import Chromium

# What differs, and why: the line that is expected, and what stands there.
DIFFER = {
    "10_tensors": [("a node has 80 bytes", "a node has 56 bytes", "pointers have 4 bytes")],
    "24_training_well": [("2.426 2.454", "2.426 2.453", "the C library and sums of other vectors round differently")],
}

PAGE = """<!doctype html><meta charset="utf-8"><title>programs</title>{first}
<body>{divs}<script>
const ended = {{}};
document.addEventListener("ran", ({{ detail, target }}) => {{ ended[detail.program] = target.dataset.code; }});
</script><script src="{book}/run.js" defer></script>"""


def expected(name):
    if name != "heart":
        return Path(f"lessons/{name}/expected.txt").read_text()
    return re.sub(r"^(step.*) \|.*$", r"\1", Path("tests/golden/microgpt/gist_builtin.txt").read_text(), flags=re.M)


def in_node(build, book, name):
    """Runs one program and prints a row. Returns whether it printed what it should."""
    path = build / ("heart" if name == "heart" else f"lessons/{name}/main")
    with tempfile.TemporaryDirectory() as pictures:
        begin = time.monotonic()
        done = subprocess.run(["node", "tests/book/run.mjs", path], capture_output=True, text=True,
                              env={**os.environ, "PICTURES": pictures})
        seconds = time.monotonic() - begin
    wanted = expected(name)
    differing = sum(a != b for a, b in zip(wanted.splitlines(), done.stdout.splitlines()))
    why = "".join(f" ({why})" for _, _, why in DIFFER.get(name, []))
    size = (book / f"run/{name}.js").stat().st_size / 1000
    count = len(wanted.splitlines())
    print(f"{name:18} | {seconds:6.1f} s | {count:5} | {differing:9} | {size:4.0f} KB{why}", flush=True)
    for native, here, _ in DIFFER.get(name, []):
        wanted = wanted.replace(native, here)
    if done.returncode == 0 and done.stdout == wanted:
        return True
    print(f"{name}: ended with {done.returncode}, and prints something else\n{done.stderr}", file=sys.stderr)
    return False


class Page:
    """A page with programs, in a browser."""

    def __init__(self, browser, book, folder, *programs, first=""):
        self.browser = browser
        divs = "".join(f'<div class="run" data-program="{program}"></div>' for program in programs)
        path = folder / "page.html"
        path.write_text(PAGE.format(first=first, divs=divs, book=book.resolve().as_uri()))
        browser.open(path)

    def find(self, program, inside=""):
        return f"""document.querySelector('[data-program="{program}"]{inside and " "}{inside}')"""

    def press(self, program):
        self.browser.click(f'[data-program="{program}"] button')

    def text(self, program, inside=""):
        return self.browser.evaluate(f'{self.find(program, inside)}.textContent')

    def choose(self, program, path):
        field = self.browser.call("Runtime.evaluate", expression=self.find(program, "[name=NAMES]"))["result"]
        self.browser.call("DOM.setFileInputFiles", files=[str(path.resolve())], objectId=field["objectId"])

    def run(self, program):
        """Runs a program to its end, and returns its exit code."""
        self.browser.evaluate(f"delete ended[{program!r}]")
        self.press(program)
        assert self.browser.until(f"{program!r} in ended"), f"{program} does not end: {self.text(program)[-500:]}"
        return self.browser.evaluate(f"ended[{program!r}]")


def lessons_print_what_they_show(page):
    for program in ("01_bigram", "05_neural_bigram", "12_split_heads"):
        assert page.run(program) == "0", program
        assert page.text(program, ".output").startswith(expected(program)), program
        assert "to the letter" in page.text(program), page.text(program)[-1000:]
        assert page.browser.evaluate(f"{page.find(program, 'img')}.naturalWidth > 0"), f"{program}: no picture"


def breaks_show_what_changes(page):
    assert page.run("01_bigram/break/smoothing") != "0"
    shown = page.text("01_bigram/break/smoothing", ".difference").splitlines()
    assert any(line.startswith("-") and "all hold" in line for line in shown), shown
    assert any(line.startswith("+") and "check failed" in line for line in shown), shown
    assert page.run("04_tape/break/recursion") != "0"
    assert "+the program crashed:" in page.text("04_tape/break/recursion", ".difference")


def two_run_at_once_and_one_is_stopped(page):
    page.press("heart")
    assert page.browser.until(f"{page.find('heart', '.output')}.textContent.includes('step    1')")
    assert page.run("01_bigram") == "0"
    assert "to the letter" in page.text("01_bigram")
    page.press("heart")
    assert page.text("heart", ".state") == "stopped"
    assert page.run("heart") == "0"
    assert page.text("heart", ".output") == expected("heart") and "to the letter" in page.text("heart")


def own_names_are_read(page, folder):
    page.choose("01_bigram", Path("data/towns.txt"))
    assert page.run("01_bigram") == "0"
    count = len(Path("data/towns.txt").read_text().splitlines())
    assert page.text("01_bigram", ".output").startswith(f"num docs: {count}\n")
    assert "to the letter" not in page.text("01_bigram")
    (folder / "empty.txt").write_text("")
    page.choose("01_bigram", folder / "empty.txt")
    assert page.run("01_bigram") == "1"
    assert "empty.txt" in page.text("01_bigram", ".output"), page.text("01_bigram", ".output")


def a_large_file_is_read(page, folder):
    name = "abcdefghij" * 3
    (folder / "large.txt").write_text("".join(f"{name}{chr(97 + n % 26)}\n" for n in range(50_000_000 // 32)))
    page.choose("01_bigram", folder / "large.txt")
    page.run("01_bigram")
    assert page.text("01_bigram", ".output").startswith("num docs: 1562500\n"), page.text("01_bigram")[:500]


def obstacles_are_said(browser, book, folder):
    page = Page(browser, book, folder, "01_bigram", first="<script>delete window.WebAssembly</script>")
    assert "no WebAssembly" in page.text("01_bigram") and not browser.evaluate(f"!!{page.find('01_bigram', 'button')}")
    page = Page(browser, book, folder, "unknown")
    assert "does not run in the page" in page.text("unknown")


def in_page(book):
    with Chromium() as browser, tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        programs = ("01_bigram", "05_neural_bigram", "12_split_heads", "heart",
                    "01_bigram/break/smoothing", "04_tape/break/recursion")
        page = Page(browser, book, folder, *programs)
        lessons_print_what_they_show(page)
        breaks_show_what_changes(page)
        two_run_at_once_and_one_is_stopped(page)
        own_names_are_read(page, folder)
        a_large_file_is_read(page, folder)
        obstacles_are_said(browser, book, folder)
        assert not browser.errors, browser.errors


def main(build, book, *names):
    build, book = Path(build), Path(book)
    print("program            |  in node | lines | differing | size")
    good = [in_node(build, book, name) for name in names]
    in_page(book)
    print("the programs run in a page, too")
    sys.exit(not all(good))


main(*sys.argv[1:])
