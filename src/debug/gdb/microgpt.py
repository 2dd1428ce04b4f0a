"""Loads the commands into gdb: gdb -x src/debug/gdb/microgpt.py PROGRAM"""
import fnmatch
import os
import sys

import gdb
import gdb.printing
import gdb.xmethod

sys.dont_write_bytecode = True
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [_here, os.path.join(os.path.dirname(_here), "commands")]

import breakpoints
import program
import text
from every import COMMANDS, STEPPED_PAST
from who_wrote import WhoWrote


class Command(gdb.Command):
    """A command of src/debug/commands in gdb."""

    def __init__(self, command):
        self.command = command()
        self.__doc__ = command.__doc__
        super().__init__(command.called(), gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        try:
            self.command.run(argument.strip())
        except gdb.error as error:  # gdb's message without a Python traceback
            raise gdb.GdbError(str(error)) from None


class Printer:
    """How gdb shows a value of one of the project's types."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        lines = text.text_of(self.value).splitlines()
        is_short = hasattr(gdb, "print_options") and gdb.print_options()["summary"]  # an argument in a backtrace
        return lines[0] if is_short else "\n".join(lines)


def add_printer(objfile):
    """Here our printer comes before those of the standard library."""
    gdb.printing.register_pretty_printer(
        objfile, lambda value: Printer(value) if text.function_for(value) else None, replace=True
    )


# Folders whose files `step` does not enter: those of the compiler and of libraries, and the C library's, if known. The
# project itself may be anywhere.
NOT_OURS = ["/usr/include", "/usr/lib*", "/usr/local/include", "/usr/local/lib*", ".", ".."]
NOT_OURS = [folder for folder in NOT_OURS if not fnmatch.fnmatch(_here, folder + "/*")]

for setting in ["print address off", "print pretty on", "print elements 32", "pagination off", "confirm off"]:
    gdb.execute("set " + setting)
for folder in NOT_OURS:
    for depth in range(1, 12):
        gdb.execute(f"skip -gfi {folder}{'/*' * depth}", to_string=True)
for start in STEPPED_PAST:
    gdb.execute(f"skip -rfu '^{start}'", to_string=True)
for objfile in gdb.objfiles():
    add_printer(objfile)
gdb.events.new_objfile.connect(lambda event: add_printer(event.new_objfile))
# list[i] without a call of operator[], which the program may not have.
gdb.xmethod.register_xmethod_matcher(
    None,
    gdb.xmethod.SimpleXMethodMatcher(
        "list[i]",
        r"^std::(vector|span)<(?!bool)",
        r"^operator\[\]$",
        lambda items, i: program.scalars(items.dereference())[0][int(i)],
        gdb.lookup_type("unsigned long"),
    ),
)
breakpoints.register()
for command in COMMANDS + [WhoWrote]:
    Command(command)
