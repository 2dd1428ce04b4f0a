"""What every mistake of every lesson did when it ran: tests/museum.py BUILD prints lessons/25_museum/seen.tsv."""
import re
import sys
from pathlib import Path


def loss(printed, watch):
    """What the group of `watch` matches in the last line that it matches."""
    return (re.findall(watch, printed, re.M) or ["-"])[-1] if watch else "-"


print("lesson", "bug", "right", "with it", "checks that fail", "the first", "what the bug is", sep="\t")
for patch in sorted(Path("lessons").glob("*/break/*.patch"), key=lambda path: (path.parts[1], path.stem)):
    at = Path(sys.argv[1]) / patch.with_suffix("")
    lesson, bug, text = patch.parts[1], patch.stem, patch.read_text()
    watch = "".join(re.findall("^watch: (.*)$", text, re.M))
    expected, printed = Path("lessons", lesson, "expected.txt").read_text(), (at / "printed.txt").read_text()
    if printed == expected:
        sys.exit(f"{patch}: it changes nothing")
    right, broken = loss(expected, watch), loss(printed, watch)
    if watch and right == "-":
        sys.exit(f"{patch}: the lesson does not print {watch}")
    failed = re.findall("^check failed: (.*)$", printed, re.M)
    if not failed and (at / "code.txt").read_text() != "0\n":
        broken, failed = "crash", []
    print(lesson, bug, right, broken, len(failed), (failed or [""])[0], text.split("\n")[0], sep="\t")
