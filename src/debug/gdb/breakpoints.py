"""Breakpoints with names in gdb."""
import gdb

import program


class Breakpoint(gdb.Breakpoint):
    def __init__(self, name, line):
        super().__init__(f"{program.main_file().filename}:{line}")
        self.name = name


def make(name, line):
    """A breakpoint in the file of main(). gdb says where it is."""
    Breakpoint(name, line)


def made():
    """{name: breakpoint}"""
    return {found.name: found for found in gdb.breakpoints() if isinstance(found, Breakpoint)}


def say_where(event):
    """Called by gdb when the program stops."""
    for found in getattr(event, "breakpoints", []):
        if isinstance(found, Breakpoint):
            print(f"stop: {found.name}")


def register():
    gdb.events.stop.connect(say_where)
