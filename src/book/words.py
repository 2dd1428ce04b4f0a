"""The glossary, lessons/words.md: each term, what it means, and the lesson that introduces it."""
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

LESSON = re.compile(r"^[^.:]{0,30}?\((\d\d)(?:, \d\d)*\)")


@dataclass
class Entry:
    id: str
    lesson: int
    text: str


def read(items):
    """The terms in the <li> of the glossary, as {term: [entries]}. A bold word with a lesson behind it begins an entry;
    other bold words are terms of the same entry. Entries get an id in the page."""
    terms = {}
    for item in items:
        entry = None
        for strong in item:
            lesson = LESSON.match(strong.tail or "") if strong.tag == "strong" else None
            if lesson:
                entry = Entry("word-" + re.sub(r"\W+", "-", strong.text.lower()), int(lesson[1]), "")
                strong.set("id", entry.id)
            if strong.tag == "strong":
                if entry is None:
                    raise SystemExit(f"lessons/words.md: no lesson, such as (05), stands behind '{strong.text}'")
                for term in strong.text.replace("\n", " ").split(", "):
                    terms.setdefault(term, []).append(entry)
            entry.text += ("".join(strong.itertext()) + (strong.tail or "")).replace("\n", " ")
    return terms


class Marker:
    """Links terms in the text of one page to their entries: each once in a section."""

    def __init__(self, terms, lesson, address):
        self.entries = {}
        for term, entries in terms.items():
            for form in forms(term) if min(e.lesson for e in entries) < lesson else ():
                self.entries.setdefault(form, []).extend(e for e in entries if e.lesson < lesson)
        known = "|".join(map(spelling, sorted(self.entries, key=len, reverse=True)))
        self.pattern = re.compile(rf"(?<![\w-])(?:{known or '(?!)'})(?![\w-])")
        self.address = address
        self.seen = set()

    def mark(self, element):
        """The texts of an element become texts and links. Links, code and bold words stay as they are."""
        if element.tag in ("a", "code", "strong", "pre", "summary", "th"):
            return
        children = list(element)
        element.text, links = self.linked(element.text or "")
        element[0:0] = links
        for child in children:
            self.mark(child)
            child.tail, links = self.linked(child.tail or "")
            index = list(element).index(child) + 1
            element[index:index] = links

    def linked(self, text):
        """The text before the first link, and the links, each with the text behind it."""
        before, links, end = text, [], 0
        for found in self.pattern.finditer(text):
            word = " ".join(found[0].split())
            entry = max(self.entries.get(word) or self.entries[word.lower()], key=lambda entry: entry.lesson)
            if entry.id in self.seen:
                continue
            self.seen.add(entry.id)
            between = text[end : found.start()]
            if links:
                links[-1].tail = between
            else:
                before = between
            links.append(ET.Element("a", {"class": "term", "href": f"{self.address}#{entry.id}", "data-entry": entry.text}))
            links[-1].text = found[0]
            end = found.end()
        if links:
            links[-1].tail = text[end:]
        return before, links


def forms(term):
    """A term as it occurs: small, one or several of them. A term with capitals inside, such as BOS, stays as it is."""
    if term[1:] != term[1:].lower():
        return [term]
    term = term.lower()
    one = re.sub(r"(?<![sau])s$", "", term)
    several = one[:-1] + "ies" if re.search("[^aeo]y$", one) else one + ("es" if re.search("(s|x|ch)$", one) else "s")
    return sorted({term, one, several})


def spelling(form):
    """A regular expression for it, whatever its first letter; its words may stand in two lines."""
    first = form[0] if form != form.lower() else f"[{form[0].upper()}{form[0]}]"
    return first + r"\s+".join(map(re.escape, form[1:].split(" ")))
