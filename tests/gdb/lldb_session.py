"""Types the commands of a gdb transcript in lldb and compares what must be the same: what the project's own commands
print, its types in words, the lines at which the program stops, and their names."""
import difflib
import io
import os
import re
import sys
import types

import lldb

from every import COMMANDS

_ours = [command.called() for command in COMMANDS]
_moving = ["run", "continue", "step", "next", "finish"]


class Learner:
    """Types commands, and sees what lldb prints."""

    def __init__(self, debugger):
        self.debugger = debugger
        self.seen = io.StringIO()  # beside the results of commands
        debugger.SetAsync(False)  # a command ends when the program has stopped again
        debugger.SetOutputFile(lldb.SBFile.Create(self.seen, borrow=True, force_io_methods=True))

    def frame(self):
        return self.debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetSelectedFrame()

    def type(self, command):
        """What lldb prints, errors too, and the number of the line at which the program stands then."""
        context = lldb.SBExecutionContext(self.frame() or self.debugger.GetSelectedTarget())
        result = lldb.SBCommandReturnObject()
        self.seen.seek(self.seen.truncate(0))
        self.debugger.GetCommandInterpreter().HandleCommand(command, context, result)
        return result.GetOutput() + result.GetError() + self.seen.getvalue(), self.frame().GetLineEntry().GetLine()


def comparable(command, text, line):
    """What must be the same of what a command printed, as lines; None if nothing."""
    word = command.split()[0]
    if word in _ours:
        return re.sub(r"^error: ", "", text, flags=re.M).splitlines()
    if word in _moving:
        return [f"at line {line}"] + re.findall(r"^(?:stop|error): .*", text, re.M)
    if word == "print":
        return [text.strip().split(" = ", 1)[-1]]
    return None


def check(path):
    """Says that everything is the same, or shows on standard error what is not."""
    with open(path, encoding="utf-8") as transcript:
        typed = re.findall(r"^\(gdb\) (.*)\n((?:(?!\(gdb\) ).*\n)*)", transcript.read(), re.M)
    learner = Learner(lldb.debugger)
    expected, shown, windows = [], [], []
    sys.modules["debugger"] = types.SimpleNamespace(display_html=lambda content, title: windows.append(title))
    for command, text in typed:
        wanted = comparable(command, text, "".join(re.findall(r"^(\d+)\t", text, re.M)[-1:]))
        found = learner.type(command)
        if wanted is not None and " = std::" not in text:  # the library's own types look different
            expected += [f"(lldb) {command}"] + wanted
            shown += [f"(lldb) {command}"] + comparable(command, *found)
    expected += [os.path.basename(file) for _, text in typed for file in re.findall(r"^wrote (.*)$", text, re.M)]
    shown += windows
    different = list(difflib.unified_diff(expected, shown, path, "lldb", lineterm=""))
    if different or not expected:
        print("\n".join(different) or f"{path} has no commands", file=sys.__stderr__)
    else:
        print(f"session {os.path.dirname(path)} in lldb: runs as shown")
