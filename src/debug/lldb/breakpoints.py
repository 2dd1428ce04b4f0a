"""Breakpoints with names in lldb."""
import os

import lldb

import program

_names = {}  # of breakpoints, by their numbers


def make(name, file, line):
    """A breakpoint at a line of a file. Says where it is, as gdb does."""
    found = program.target().BreakpointCreateByLocation(file, line)
    _names[found.GetID()] = name
    print(f"Breakpoint {found.GetID()}: file {os.path.relpath(file)}, line {line}.")


def made():
    """{name: breakpoint}"""
    return {_names[found.GetID()]: found for found in program.target().breakpoint_iter() if found.GetID() in _names}


class SayWhere:
    """Called by lldb when the program stops."""

    def __init__(self, target, extra, _):
        pass

    def handle_stop(self, context, stream):
        thread = context.GetThread()
        if thread.GetStopReason() == lldb.eStopReasonBreakpoint:
            for i in range(0, thread.GetStopReasonDataCount(), 2):  # the numbers of a breakpoint and its location
                name = _names.get(thread.GetStopReasonDataAtIndex(i))
                if name:
                    stream.Print(f"stop: {name}\n")
        return True


def register(execute):
    execute("target stop-hook add -P microgpt.breakpoints.SayWhere")
