#!/usr/bin/env python3
"""Makes a book of the READMEs: pages that a browser opens from a folder, without a network.

    src/book/book.py build/book build/release/inspected     from the project's root

The second folder has the models that lessons open in the inspector."""
import json
import re
import shutil
import sys
import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path
from string import Template

HERE = Path(__file__).parent
NEEDED = "make book needs cmark-gfm and Pygments: apt-get install cmark-gfm python3-pygments"
try:
    import inspected
    import readme
    import source
    import words
except ImportError as error:
    raise SystemExit(f"{NEEDED} ({error})") from None


class Site:
    """Knows where everything lies in the book, and copies or writes what pages lead to."""

    def __init__(self, out, pages):
        self.out = out
        self.pages = {page.path: page for page in pages}
        self.template = Template((HERE / "page.html").read_text(encoding="utf-8"))
        self.sources = {}  # the files and folders that have a page, in the order of their discovery
        self.written = set()

    def page_of(self, path):
        """The address of a page: that of a README, or that of a file or folder of sources."""
        for readme_path in (path, path / "README.md"):
            if readme_path in self.pages:
                return self.pages[readme_path].name + ".html"
        if path not in self.sources:
            self.sources[path] = None
            for inside in sorted(path.iterdir()) if path.is_dir() else ():
                if inside.suffix not in readme.PICTURES and inside.name != "__pycache__":
                    self.page_of(inside)
        return f"code/{path}/index.html" if path.is_dir() else f"code/{path}.html"

    def picture(self, path):
        copy = self.out / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        return str(path)

    def size_of(self, picture):
        """A drawing's width and height, so that text does not move when it arrives; and the least width at which the
        smallest letters in it have 10 pixels."""
        if not picture.endswith(".svg"):
            return {"style": "--least: 44rem"}  # a page of the program
        text = Path(picture).read_text(encoding="utf-8")
        size = re.finditer(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', text)
        width, height = readme.first(size, f"{picture}: its <svg> must have a width and a height, in pixels").groups()
        smallest = min(map(float, re.findall(r'font-size="([\d.]+)"', text)), default=float("inf"))
        return {"width": width, "height": height, "style": f"--least: {float(width) * 10 / smallest:.0f}px"}

    def write(self, address, **parts):
        path = self.out / address
        path.parent.mkdir(parents=True, exist_ok=True)
        absent = {"run": "", "turn": "", "path": "", "lessons": parts["root"] + "index.html#the-lessons"}
        text = self.template.substitute(absent | parts)
        path.write_text(text, encoding="utf-8")
        self.written.add(path)


def html(element):
    return ET.tostring(element, encoding="unicode", method="html")


# --- The list of the pages on every page ------------------------------------------------------------------------------


def parts_of(cover):
    """The parts of the course, {number of a part's first lesson: its title}, from the tables of the cover."""
    parts = {}
    for title, table in zip(cover.main, list(cover.main)[1:]):
        number = table.tag == "table" and re.match(r"\d\d", readme.text_of(table.find("tbody")))
        if number:
            parts[int(number[0])] = readme.text_of(title.find("strong")).rstrip(".")
    return parts


def path_list(pages, parts, current):
    """The <nav> with all pages; below the current one are its headings."""
    lines = ['<nav id="path" aria-label="All pages">']
    for page in pages:
        if page.lesson in parts:
            lines.append(f"<h2>{escape(parts[page.lesson])}</h2>")
        number = f"<span>{page.lesson:02}</span> " if page.lesson else ""
        name = escape(re.sub(r"^Lesson \d\d: ", "", page.title))
        here = ' aria-current="page"' if page is current else ""
        lines.append(f'<a href="{page.name}.html"{here}>{number}<span>{name}</span></a>')
        if page is current:
            below = [f'<li><a href="#{id}">{escape(text)}</a></li>' for level, id, text in page.headings if level == 2]
            lines[-1] += f"<ul>{''.join(below)}</ul>"
    return "\n".join(lines) + "\n</nav>\n"


def turn(pages, page):
    """Links to the page before and the page behind."""
    at = pages.index(page)
    links = ['<nav class="turn" aria-label="Before and after">']
    if at > 0:
        links.append(f'<a href="{pages[at - 1].name}.html" rel="prev">← {escape(pages[at - 1].title)}</a>')
    if at + 1 < len(pages):
        links.append(f'<a href="{pages[at + 1].name}.html" rel="next">{escape(pages[at + 1].title)} →</a>')
    return "\n".join(links) + "\n</nav>\n"


# --- Pages ------------------------------------------------------------------------------------------------------------


def finish(page, site, terms):
    """Makes of a converted README what its page shows."""
    readme.redirect(page, site)
    readme.show_blocks(page, site)
    readme.ask_first(page)
    last = 0 if page.name in ("index", "words") else page.lesson or 100
    marker = words.Marker(terms, last, "words.html")
    for element in page.main:
        if element.tag == "h2":
            marker.seen.clear()
        if element.tag not in ("h1", "h2", "h3"):
            marker.mark(element)
    for wide in [*page.main.iter("table"), *page.main.iter("img")]:
        box = ET.Element("span" if wide.tag == "img" else "div", {"class": "wide"})
        readme.replace(page.main, wide, box)
        wide.tail = None
        box.append(wide)
    for cell in list(page.main.iter("th")):
        if not readme.text_of(cell):
            cell.tag = "td"  # a heading without a text is none
    for element in page.main.iter():
        if element.tag in ("th", "td", "code") and len(readme.text_of(element)) < 15:
            element.set("class", "short")  # stays in one line
    if page.name == "index":
        for image in page.main.iter("img"):
            image.set("loading", "lazy")


def begin(cover, pages, run):
    """The first screen of the book: what it is, and the model itself, to be trained; no advice to read the book. `run`
    says which programs run in the page."""
    advice = "To install nothing at all"
    cover.main.remove(readme.first((p for p in cover.main if readme.text_of(p).startswith(advice)),
                                   f"{cover.path}: there is no paragraph that begins with '{advice}'"))
    text = "This book shows C++ programmers, by small programs, how a GPT works."
    made = []
    if run.exists():
        programs = json.loads(re.match("const bookPrograms = (.*);", run.read_text(encoding="utf-8"))[1])
        absent = " and ".join(f"lesson {page.lesson:02}" for page in pages if page.lesson and page.name not in programs)
        text += f" Its programs run in the page{absent and f' (all but those of {absent})'}."
        made.append(ET.Element("div", {"class": "run", "data-program": "heart", "data-label": "Train a GPT here"}))
    text += (' To change them yourself, take the project: in <code>microgpt.zip</code> it is the folder '
             '<code>project</code>. There type <code>make setup train</code>; <a href="#start">Start</a> says more.')
    cover.main[1:1] = [ET.fromstring(f"<p>{text}</p>"), *made]


def lead_to_exercise(page, site):
    """Behind the command that tests the reader's code: what that takes, and what can be read without it."""
    texts = list(map(readme.text_of, page.main))
    command = f"make exercise-{page.lesson:02}"
    at = readme.first((i + 1 for i, text in enumerate(texts) if command in text),
                      f"{page.path}: its text or an sh block must say {command}")
    exercise, solution = (f'<a href="{site.page_of(page.folder / name)}" target="code"><code>{name}</code></a>'
                          for name in ("exercise.cpp", "solution.cpp"))
    page.main.insert(at + texts[at - 1].endswith(":"), ET.fromstring(
        '<p>This takes a compiler and the project: <a href="index.html#start">Start</a> says how to get them. '
        f"Without them, read {exercise}, write your answer on paper, and compare it with {solution}.</p>"))


def write_sources(site):
    """A page for each file and folder that a page leads to."""
    for path in site.sources:
        address = site.page_of(path)
        root = "../" * address.count("/")
        above = [named(site, parent, root) for parent in list(path.parents)[-2::-1]]
        text = f'<h1>{" / ".join([*above, path.name])}</h1>\n'
        if path.is_file():
            text += html(source.numbered(path))
        else:
            text += "".join(f"<p>{named(site, p, root)}</p>\n" for p in site.sources if p.parent == path)
        site.write(address, title=str(path), root=root, name="", kind="source", text=text)


def named(site, path, root):
    """The name of a file or folder, with a link if it has a page."""
    has_page = path in site.sources or path / "README.md" in site.pages
    return f'<a href="{root}{site.page_of(path)}">{path.name}</a>' if has_page else path.name


def main():
    out, models = map(Path, sys.argv[1:])
    if not shutil.which("cmark-gfm"):
        raise SystemExit(NEEDED)
    out.mkdir(parents=True, exist_ok=True)
    lessons = sorted(path.with_name("README.md") for path in Path("lessons").glob("[0-9]*/main.cpp"))
    others = ["lessons/mine/README.md", "lessons/claims.md", "lessons/words.md",
              "src/program/README.md", "src/debug/README.md", "src/README.md"]
    pages = [readme.Readme(path) for path in [Path("README.md"), *lessons, *map(Path, others)]]
    site = Site(out, pages)
    glossary = readme.first((page for page in pages if page.name == "words"), "there is no lessons/words.md")
    terms = words.read(glossary.main.iter("li"))
    parts = parts_of(pages[0])
    for page in pages:
        finish(page, site, terms)
        inspected.invite(page, models, out)
        if page.lesson:
            lead_to_exercise(page, site)
    run = out / "run.js"  # none if there is no compiler for programs that run in the page
    begin(pages[0], pages, run)
    for page in pages:
        site.write(f"{page.name}.html", title=escape(page.title), root="", name=page.name, kind="text",
                   text="".join(map(html, page.main)), run='<script src="run.js" defer></script>\n' * run.exists(),
                   lessons="#path", turn=turn(pages, page), path=path_list(pages, parts, page))
    write_sources(site)
    for name in ("book.css", "book.js"):
        shutil.copyfile(HERE / name, out / name)
    for stale in set(out.rglob("*.html")) - set(out.glob("inspect/*")) - site.written:
        stale.unlink()
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{out}/index.html: {len(pages)} pages, {len(site.sources)} of source, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
