"""A README as a page of the book (book.py): converted by cmark-gfm, then made into what a browser shows."""
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import source
from session import Walk

PICTURES = (".svg", ".webp", ".png")


class Readme:
    """path is that of the file from the project's root; name is the page's, without .html."""

    def __init__(self, path):
        self.path = path
        self.folder = path.parent
        self.name = (self.folder.name or "index") if path.name == "README.md" else path.stem
        number = re.match(r"\d\d(?=_)", self.name)
        self.lesson = int(number[0]) if number else None
        html = subprocess.run(["cmark-gfm", "--unsafe", "--full-info-string", "-e", "table", path], check=True,
                              capture_output=True, text=True).stdout
        html = re.sub(r"<!-- (answer) (\d+) -->", r'<p id="\1-\2"></p>', html)
        try:
            self.main = ET.fromstring(f"<main>{html}</main>")
        except ET.ParseError as error:
            raise SystemExit(f"{path}: a tag that is not closed where it was opened ({error})") from None
        self.title = text_of(first(self.main.iter("h1"), f"{path}: it has no title"))
        self.headings = []  # (level, id, text); the id is the anchor that GitHub gives a heading
        for heading in self.main:
            if heading.tag in ("h1", "h2", "h3"):
                anchor = re.sub(r"[^\w\- ]", "", text_of(heading).lower()).replace(" ", "-")
                taken = sum(re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", known) is not None for _, known, _ in self.headings)
                heading.set("id", f"{anchor}-{taken}" if taken else anchor)
                self.headings.append((int(heading.tag[1]), heading.get("id"), text_of(heading)))


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def first(found, problem):
    """The first of what was looked for in a README; if it is not there, that is said."""
    for each in found:
        return each
    raise SystemExit(problem)


def replace(root, old, new):
    """Puts a new element, or several, in the place of an old one."""
    new = new if isinstance(new, list) else [new]
    parent = next(element for element in root.iter() if old in list(element))
    new[-1].tail = old.tail
    index = list(parent).index(old)
    parent[index : index + 1] = new


# --- Links and pictures -----------------------------------------------------------------------------------------------


def redirect(readme, site):
    """Leads every link to a page of the book, and every picture to its copy."""
    for image in readme.main.iter("img"):
        image.set("src", site.picture(path_from(readme, image.get("src"))))
        image.attrib |= site.size_of(image.get("src"))
    for link in readme.main.iter("a"):
        address, _, anchor = link.get("href").partition("#")
        if not address or "://" in address:
            continue
        path = path_from(readme, address)
        link.set("href", site.page_of(path) + ("#" + anchor if anchor else ""))
        if path.suffix in source.CODE:
            link.set("target", "code")


def path_from(readme, address):
    path = Path(os.path.normpath(readme.folder / address))
    if not path.exists():
        raise SystemExit(f"{readme.path}: there is no {path}, to which it links")
    return path


# --- Blocks of code ---------------------------------------------------------------------------------------------------


def show_blocks(readme, site):
    """Colours code, links what is quoted to its line, makes walks of gdb blocks, and places for programs to run in."""
    walk = Walk(readme.folder)
    link = lambda path, line: f"{site.page_of(path)}#L-{line}"
    for pre in list(readme.main.iter("pre")):
        code = pre[0]
        language = code.get("class", "").removeprefix("language-")
        if language == "gdb":
            replace(readme.main, pre, walk.shown(code.text, link))
            continue
        pre.set("class", language)
        runs = language == "sh" and re.fullmatch(rf"make lesson-{readme.lesson or 0:02}(?: TIMES=1)?", code.text.strip())
        if language in ("cpp", "sh", "diff"):
            pre[0] = source.coloured(code.text, language)
        code.attrib.clear()
        place = source.quoted_from(code.text, readme.folder) if language == "cpp" else None
        if place:
            figure = ET.Element("figure")  # a copy, with a line above that leads to where its code stands
            where = {"href": link(*place), "target": "code"}
            ET.SubElement(ET.SubElement(figure, "figcaption"), "a", where).text = f"{place[0].name}, line {place[1]}"
            ET.SubElement(figure, "pre", pre.attrib).extend(list(pre))
            replace(readme.main, pre, figure)
        if runs and readme.main.find(".//div[@class='run']") is None:
            place = ET.Element("div", {"class": "run", "data-program": readme.name, "data-label": "Run"})
            replace(readme.main, pre, [pre, place])


# --- Guesses ----------------------------------------------------------------------------------------------------------


def ask_first(readme):
    """Wraps each question and its answer: the part behind the command in "Predict, then run", and what stands behind a
    paragraph that begins with Predict. The answer is folded, and guess 2 stands where a README says <!-- answer 2 -->."""
    children = list(readme.main)
    for i, element in enumerate(children):
        if element.tag == "h2" and text_of(element).startswith("Predict"):
            wrap_run(readme, children[i + 1 :])
        elif element.tag == "p" and len(element) and element[0].tag == "strong" and element[0].text == "Predict.":
            wrap_question(readme, children[i:])


def wrap_run(readme, part):
    """The answer is the rest of the section behind the first command, or else the section behind that."""
    split = first((i + 1 for i, element in enumerate(part) if element.get("class") == "sh"),
                  f"{readme.path}: no command in a sh block follows the heading that begins with Predict")
    split = first((i for i in range(split, len(part)) if part[i].get("class") != "run"),
                  f"{readme.path}: no answer follows the command below the heading that begins with Predict")
    end = first((i for i in range(split + 1, len(part)) if part[i].tag == "h2"),
                f"{readme.path}: no section follows the answer to Predict")
    questions = [item for element in part[:split] if element.tag == "ol" for item in element]
    asked = [element for element in part[:split] if element.tag == "p" and "?" in text_of(element)]
    wrap(readme, part[:split], part[split:end], questions or asked[-1:])


def wrap_question(readme, part):
    folded = part[1:] and part[1].tag == "details"
    ends = (i for i, element in enumerate(part) if i > 1 and (folded or element.tag in ("h2", "h3", "hr")))
    end = first(ends, f"{readme.path}: no section follows the answer to **Predict.**")
    wrap(readme, part[:1], part[1:end], part[:1])


def wrap(readme, before, after, questions):
    index = list(readme.main).index(before[0])
    for element in before + after:
        readme.main.remove(element)
    for question in questions:
        question.set("class", "question")
    whole = ET.Element("div", {"class": "predict"})
    whole.extend(before)
    if after[0].tag == "details":
        after[0].set("class", "answer")
        whole.extend(after)
    else:
        answer = ET.SubElement(whole, "details", {"class": "answer"})
        ET.SubElement(answer, "summary").text = "What it prints"
        answer.extend(after)
    readme.main.insert(index, whole)
