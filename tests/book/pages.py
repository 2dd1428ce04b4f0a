#!/usr/bin/env python3
"""Checks the pages of the book without a browser, beside the READMEs of which they are made.

    tests/book/pages.py build/book     from the project's root"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

MEGABYTE = 1_000_000
VOID = {"meta", "link", "img", "input", "br", "hr"}


class Page(HTMLParser):
    """What a check asks of a page: its addresses, its anchors, its blocks."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.ids, self.links, self.loaded, self.open = set(), [], [], []
        self.headings, self.lines, self.quotes, self.typed, self.runs, self.answers = [], {}, [], [], [], 0
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        if tag not in VOID:
            self.open.append((tag, of))
        if "id" in of:
            assert of["id"] not in self.ids, f"{self.path}: two elements are called {of['id']}"
            self.ids.add(of["id"])
        if tag == "a":
            self.links.append(of["href"])
        if tag in ("img", "script", "link") and of.get("loading") != "lazy":
            self.loaded.append(of.get("src") or of["href"])
        if tag == "img":
            self.links.append(of["src"])
            assert of.get("alt"), f"{self.path}: the picture {of['src']} has no text in its place"
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag == "kbd":
            self.typed.append("")
        if tag == "figure":
            self.quotes.append(["", ""])
        if of.get("class") == "run":
            self.runs.append(of["data-program"])
        self.answers += of.get("class") == "answer"

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"{self.path}: </{tag}> ends what it did not begin"
        self.open.pop()

    def handle_data(self, text):
        tags = {tag for tag, _ in self.open}
        if tags & {"h1", "h2", "h3"} and "nav" not in tags:
            self.headings[-1] += text
        if "kbd" in tags:
            self.typed[-1] += text
        if "figure" in tags and "pre" in tags:
            self.quotes[-1][1] += text
        elif "figure" in tags and "a" in tags:
            self.quotes[-1][0] = self.open[-1][1]["href"]
        line = next((of["id"] for tag, of in self.open if tag == "span" and of.get("id", "").startswith("L-")), None)
        if line:
            self.lines[line] = self.lines.get(line, "") + text


class Book:
    def __init__(self, folder):
        self.folder = folder
        self.inspected = {path.resolve(): path for path in folder.glob("inspect/*.html")}  # whose # says more than a place
        pages = [path for path in sorted(folder.rglob("*.html")) if path.resolve() not in self.inspected]
        self.pages = {path.resolve(): Page(path) for path in pages}

    def page(self, name):
        return self.pages[(self.folder / f"{name}.html").resolve()]


def outward(text):
    """The addresses of other hosts in a text."""
    return set(re.findall(r"\b(?:https?|wss?)://[^\s\"'<>)]+", text))


def check_links(book):
    count = 0
    for page in book.pages.values():
        for address in page.links + page.loaded:
            if "://" in address:
                continue
            file, _, anchor = address.partition("#")
            target = (page.path.parent / file).resolve() if file else page.path.resolve()
            assert target.is_file(), f"{page.path}: there is no {address}"
            assert target in book.inspected or not anchor or anchor in book.pages[target].ids, f"{page.path}: nothing is called {address}"
            count += 1
    return count


def check_hosts(book, readmes):
    """Nothing is loaded from elsewhere. Links that leave the book are those of the READMEs."""
    known = set().union(*(outward(path.read_text(encoding="utf-8")) for path in readmes))
    for page in book.pages.values():
        assert not any("//" in address for address in page.loaded), f"{page.path} loads something from another host"
        away = {address for address in page.links if "://" in address}
        assert away <= known, f"{page.path}: no README links to {away - known}"
    for path in [*book.folder.glob("*.js"), *book.folder.glob("*.css")]:
        found = outward(path.read_text(encoding="utf-8")) - known
        assert not found, f"{path} names other hosts: {found}"


def check_sizes(book):
    whole = sum(path.stat().st_size for path in book.folder.rglob("*") if path.is_file())
    assert whole < 20 * MEGABYTE, f"the book has {whole} bytes"
    cover = book.page("index")
    at_once = [cover.path, *(cover.path.parent / address for address in cover.loaded)]
    first = sum(path.stat().st_size for path in at_once)
    assert first < 150_000, f"the first page loads {first} bytes: {[path.name for path in at_once]}"
    return whole, first


def blocks(text, info):
    return re.findall(rf"^```{info}\n(.*?)^```", text, flags=re.M | re.S)


def plain(heading):
    return re.sub(r"[`*]", "", heading)


def check_readme(book, path):
    """A page has all that its README has."""
    name = path.stem if path.name != "README.md" else path.parent.name or "index"
    page = book.page(name)
    text = path.read_text(encoding="utf-8")
    for heading in re.findall(r"^#{1,3} (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M):
        assert plain(heading) in page.headings, f"{page.path} has no heading '{plain(heading)}'"
    typed = [line for block in blocks(text, "gdb") for line in block.splitlines() if line.startswith("(gdb) ")]
    assert page.typed == typed, f"{page.path}: its walks are not those of {path}"
    assert [code for _, code in page.quotes] == blocks(text, "cpp"), f"{page.path}: its code is not that of {path}"
    for address, code in page.quotes:
        file, _, line = address.partition("#")
        shown = book.pages[(page.path.parent / file).resolve()].lines[line]
        assert shown.strip() == code.split("\n")[0].strip(), f"{page.path}: {address} is not where this stands: {code}"
    expected = [name] * bool(re.match(r"\d\d_", name))
    expected += ["heart"] * (name == "index" and (book.folder / "run.js").exists())  # else nothing runs in the page
    assert sorted(page.runs) == sorted(expected), f"{page.path}: programs run at {page.runs}, not at {expected}"
    questions = re.findall(r"^(\d)\. ", (text.split("\n## Predict")[1:] or [""])[0].split("\n```sh\n")[0], flags=re.M)
    marked = sorted(re.findall(r"^<!-- answer (\d) -->$", text, flags=re.M))
    wanted = questions or ["1"] * ("\n## Predict" in text)
    assert marked == wanted, f"{path}: it marks answers {marked} by <!-- answer 1 -->, but asks {wanted}"
    asked = len(re.findall(r"^\*\*Predict\.\*\*|^## Predict", text, flags=re.M))
    assert page.answers == asked, f"{page.path}: {page.answers} answers wait for a guess, and {path} asks for {asked}"


def main():
    book = Book(Path(sys.argv[1]))
    lessons = [path.parent / "README.md" for path in Path("lessons").glob("[0-9]*/main.cpp")]
    readmes = [Path("README.md"), Path("src/README.md"), Path("lessons/claims.md"), Path("lessons/mine/README.md"),
               Path("lessons/words.md"), Path("src/program/README.md"),
               Path("src/debug/README.md"), *sorted(lessons)]
    links = check_links(book)
    check_hosts(book, readmes)
    whole, first = check_sizes(book)
    for path in readmes:
        check_readme(book, path)
    print(f"book: {len(book.pages)} pages, {links} links; {whole / MEGABYTE:.1f} MB, of "
          f"which the first page loads {first // 1000} KB")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        raise SystemExit(f"check-book: {failure}") from None
