"""Breakpoints with names in gdb."""
import gdb


class Breakpoint(gdb.Breakpoint):
    def __init__(self, name, file, line):
        super().__init__(source=file, line=line)
        self.name = name


def make(name, file, line):
    """A breakpoint at a line of a file. gdb says where it is."""
    Breakpoint(name, file, line)


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
