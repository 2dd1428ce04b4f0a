"""The lines of a lesson where stopping pays: those that end in // stop: NAME."""
import re

import gdb

from command import Command


def source_of_main():
    """The file that main() is in."""
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
    """A breakpoint that says its name."""

    def __init__(self, name, line):
        super().__init__(f"{source_of_main().filename}:{line}")
        self.name = name

    def stop(self):
        print(f"stop: {self.name}")
        return True


class StopCommand(Command):
    """stop NAME, stop all: set a breakpoint at a stop of the lesson, or at all of them."""

    name = "stop"

    def run(self, text):
        stops = named_stops()
        if text != "all" and text not in stops:
            raise gdb.GdbError(f"there is no stop '{text}'; there are: {', '.join(stops) or 'none'}")
        for name in stops if text == "all" else [text]:
            Stop(name, stops[name][0])


class Stops(Command):
    """stops: list the lesson's stops, the lines of main.cpp that end in // stop: NAME."""

    def run(self, text):
        for name, (line, code) in named_stops().items():
            print(f"  {name}: line {line}: {code}")
