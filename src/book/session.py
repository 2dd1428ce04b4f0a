"""A README's walk in the debugger, as the book shows it: each command, what it prints, and where the program stands."""
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import source

MOVES = ("continue", "next", "step", "finish", "reverse-", "who-wrote", "run", "up", "down")
PLACE = re.compile(r" at ((?:lessons|src)/\S+):(\d+)$")


class Walk:
    """Follows the gdb blocks of one README, one after the other. Where the program stands is said only if the output
    names it, or if one stop is set and the program went on to it."""

    def __init__(self, folder):
        self.folder = folder
        self.stops = []
        self.place = None  # (path, line, text)

    def shown(self, text, link):
        """A <pre> with an element for each command and what it printed. link(path, line) is the address of a line."""
        pre = ET.Element("pre", {"class": "session"})
        for step in re.split(r"^(?=\(gdb\) )", text, flags=re.M):
            if not step:
                continue
            command, _, output = step.partition("\n")
            span = ET.SubElement(pre, "span", {"class": "step"})
            typed = ET.SubElement(span, "kbd")
            typed.text, typed.tail = command, "\n" + output
            if self.follow(command.removeprefix("(gdb) "), output):
                path, line, code = self.place
                at = ET.SubElement(span, "a", {"class": "at", "href": link(path, line), "target": "code"})
                at.text, at.tail = f"{path.name}:{line}  {code}", "\n"
        return pre

    def follow(self, command, output):
        """Whether the program has moved to a place that is known now."""
        if command.startswith("stops "):
            self.stops = command.split()[1:]
        if command.startswith("tbreak"):
            self.stops = []
        named = next(filter(None, map(PLACE.search, output.splitlines())), None)
        if named:
            path, line = Path(named[1]), int(named[2])
            self.place = (path, line, "".join(source.lines_of(path)[line - 1 : line]))
        elif command.startswith(MOVES):
            goes_on = command.startswith("continue") and len(self.stops) == 1
            self.place = source.stop_line(self.stops[0], self.folder) if goes_on else None
        return self.place is not None and (named is not None or command.startswith(MOVES))
