"""Named stops: the lines of a lesson that end in // stop: NAME."""
import re

import gdb

from command import Command


def source_of_main():
    """The source file of main()."""
    found = gdb.lookup_global_symbol("main")
    if found is None:
        raise gdb.GdbError("there is no program, or it was built without debug information")
    return found.symtab


def named_stops():
    """{name: (line number, code)}"""
    with open(source_of_main().fullname(), encoding="utf-8") as source:
        lines = enumerate(source, start=1)
        matches = [(number, re.search(r"^\s*(.*?)\s*// stop: (\S+)$", line.rstrip())) for number, line in lines]
    return {match[2]: (number, match[1]) for number, match in matches if match}


class Stop(gdb.Breakpoint):
    """A breakpoint with a name."""

    def __init__(self, name, line):
        super().__init__(f"{source_of_main().filename}:{line}")
        self.name = name


def say_where(event):
    """Called by gdb when the program stops."""
    for breakpoint in getattr(event, "breakpoints", []):
        if isinstance(breakpoint, Stop):
            print(f"stop: {breakpoint.name}")


class StopCommand(Command):
    """stop NAME ..., stop all: from now on stop only at these stops of the lesson, or at all of them.

Other breakpoints stay as they are."""

    name = "stop"

    def run(self, text):
        stops = named_stops()
        names = list(stops) if text == "all" else text.split()
        if not names or any(name not in stops for name in names):
            raise gdb.GdbError(f"there is no stop '{text}'; there are: {', '.join(stops) or 'none'}")
        made = {stop.name: stop for stop in gdb.breakpoints() if isinstance(stop, Stop)}
        for name, (line, _) in stops.items():
            if name in made:
                made[name].enabled = name in names
            elif name in names:
                Stop(name, line)


class Stops(Command):
    """stops: list the lesson's stops, the lines of main.cpp that end in // stop: NAME."""

    def run(self, text):
        for name, (line, code) in named_stops().items():
            print(f"  {name}: line {line}: {code}")
