#!/usr/bin/env python3
"""Makes room for a lesson, or takes one out, and renumbers the lessons behind it: folders, pictures, every reference.
    lessons/renumber.py NN NAME    lessons/NN_name is copied to the new lesson's folder; the old lesson NN is now NN + 1
    lessons/renumber.py NN         takes lesson NN out, unless something still refers to it"""
import re
import subprocess
import sys
from pathlib import Path

GAP = r"(?: |\n[ /#*>]*)"  # a reference may go on in the next line, also in that of a comment
NUMBER = r"\d\d(?!\d|[.,]\d)"
NEXT = rf"(?:\s\([^()\d]*\))?(?:,{GAP}(?:(?:and|or){GAP})?|{GAP}(?:and|or|to){GAP}){NUMBER}"
REFERENCE = re.compile("|".join([
    rf"(?i:lessons){GAP}{NUMBER}(?:{NEXT})*",  # lessons NN and NN (attention, heads), NN, and NN to NN
    rf"(?i:lesson)(?:{GAP}|[-_])?{NUMBER}",  # Lesson NN, make lesson-NN, lessonNN::
    rf"(?:[Ee]xercise[ -]|solution-|session-|\bL=){NUMBER}",
    r"(?<![\w.])\d\d_(?=[a-z])",  # NN_name, NN_picture.svg
    r"(?<=\[)\d\d(?=\]\(lessons/)",  # the table of lessons in README.md
    rf"\*\*(?:,? \w+)*\s+\({NUMBER}(?:, {NUMBER})*\)",  # its glossary: **Head** (NN)
]))


def git(*command):
    return subprocess.run(["git", *command], check=True, capture_output=True, text=True).stdout


def renumbered(text, move):
    """The text, with the new number of each lesson that it refers to. It stays as long as it is."""
    return REFERENCE.sub(lambda found: re.sub(r"\d\d", lambda n: f"{move(int(n[0])):02}", found[0]), text)


def mentions(texts, at):
    """Where the lesson is referred to, also among others, as in "lessons NN to NN"."""
    found = [(path, " ".join(words.split())) for path, text in texts.items() for words in REFERENCE.findall(text)]
    return [f"{path}: {words}" for path, words in found
            if f"{at:02}" in words or any(int(a) < at < int(b) for a, b in re.findall(r"(\d\d) to (\d\d)", words))]


def insert(texts, at, name):
    """Adds the lesson's files, and its lines where all lessons are listed. Says what is left to do."""
    new, before = f"{at:02}_{name}", f"{at - 1:02}"
    print(f"To write: TODOs, README.md's glossary, end of lesson {before}.", *mentions(texts, at), sep="\nTo check: ")
    for path in [path for path in texts if path.startswith("lessons/NN_name/")]:
        texts[path.replace("NN_name", new)] = texts[path].replace("NN", f"{at:02}")
    row = f"\n| [{at:02}](lessons/{new}/README.md) | TODO | `make lesson-{at:02}` | < 1 s | TODO |"
    texts["README.md"] = re.sub(rf"\n\| \[{before}\].*", rf"\g<0>{row}", texts["README.md"])
    texts[".vscode/launch.json"] = re.sub(rf'( *)"{before}_\w+"', rf'\g<0>,\n\1"{new}"', texts[".vscode/launch.json"])


def remove(texts, at):
    """Takes the lesson's lines out where all are listed. Ends the program if something else refers to it."""
    texts["README.md"] = re.sub(rf"\n\| \[{at:02}\].*", "", texts["README.md"])
    texts[".vscode/launch.json"] = re.sub(rf',\n *"{at:02}_\w+"', "", texts[".vscode/launch.json"])
    if left := [mention for mention in mentions(texts, at) if f"{at:02}" in mention.split(": ")[1]]:
        sys.exit("\n".join([f"these refer to lesson {at:02}:", *left]))


def main(at, name=None):
    if git("status", "--porcelain"):
        sys.exit("commit your changes first, so that git reset --hard undoes this")
    old = {path: Path(path).read_bytes().decode() for path in git("grep", "-lI", "", ":!tests/golden").splitlines()}
    new = {path: text for path, text in old.items() if name or not path.startswith(f"lessons/{at:02}_")}
    if not name:
        remove(new, at)
    move = (lambda n: n + (n >= at)) if name else (lambda n: n - (n > at))
    new = {renumbered(path, move): renumbered(text, move) for path, text in new.items()}
    if name:
        insert(new, at, name)
    for path in old.keys() - new.keys():
        git("rm", "--quiet", path)
    for path in [path for path in new if old.get(path) != new[path]]:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(new[path].encode())
    git("add", "--all")


if not re.fullmatch(r"(0[2-9]|[1-9]\d)( [a-z]\w*)?", " ".join(sys.argv[1:])):
    sys.exit(__doc__)
main(int(sys.argv[1]), *sys.argv[2:])
