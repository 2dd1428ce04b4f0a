"""Named stops: the lines of a lesson that end in // stop: NAME."""
import re

import breakpoints
import program
from command import Command


def named_stops():
    """{name: (line number, code)}"""
    with open(program.source_of_main(), encoding="utf-8") as source:
        lines = enumerate(source, start=1)
        matches = [(number, re.search(r"^\s*(.*?)\s*// stop: (\S+)$", line.rstrip())) for number, line in lines]
    return {match[2]: (number, match[1]) for number, match in matches if match}


class StopCommand(Command):
    """stop NAME ..., stop all: from now on stop only at these stops of the lesson, or at all of them.

Other breakpoints stay as they are."""

    name = "stop"

    def run(self, text):
        stops = named_stops()
        names = list(stops) if text == "all" else text.split()
        if not names or any(name not in stops for name in names):
            raise program.Error(f"there is no stop '{text}'; there are: {', '.join(stops) or 'none'}")
        made = breakpoints.made()
        for name, (line, _) in stops.items():
            if name in made:
                made[name].enabled = name in names
            elif name in names:
                breakpoints.make(name, line)


class Stops(Command):
    """stops: list the lesson's stops, the lines of main.cpp that end in // stop: NAME."""

    def run(self, text):
        for name, (line, code) in named_stops().items():
            print(f"  {name}: line {line}: {code}")
