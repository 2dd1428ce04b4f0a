"""Types the commands of a gdb transcript in lldb and compares what must be the same: what the project's own commands
print, its types in words, the lines at which the program stops, and their names."""
import difflib
import io
import re
import sys

import lldb


class Learner:
    """Types commands, and sees what lldb prints."""

    def __init__(self, program):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)  # a command ends when the program has stopped again
        self.seen = io.StringIO()  # beside the results of commands
        self.debugger.SetOutputFile(lldb.SBFile.Create(self.seen, borrow=True, force_io_methods=True))
        for command in ["command script import src/debug/microgpt.py", f"target create {program}"]:
            self.type(command)

    def type(self, command):
        """What lldb prints, errors too."""
        result = lldb.SBCommandReturnObject()
        self.seen.seek(self.seen.truncate(0))
        self.debugger.GetCommandInterpreter().HandleCommand(command, result)
        return result.GetOutput() + result.GetError() + self.seen.getvalue()

    def line(self):
        """The number of the line at which the program stands."""
        thread = self.debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
        return thread.GetSelectedFrame().GetLineEntry().GetLine()


def comparable(command, text, line):
    """What must be the same of what a command printed, as lines; None if nothing."""
    word = command.split()[0]
    if word in ["attention", "graph", "node", "stops", "tape", "why"]:
        return re.sub(r"^error: ", "", text, flags=re.M).splitlines()
    if word in ["run", "continue", "step", "next", "finish"]:
        return [f"at line {line}"] + re.findall(r"^(?:stop|error): .*", text, re.M)
    if word == "print":
        return [text.strip().split(" = ", 1)[-1]]
    return None


def check(program, path="tests/gdb/expected.txt"):
    """Says that everything is the same, or shows on standard error what is not."""
    with open(path, encoding="utf-8") as transcript:
        typed = re.findall(r"^\(gdb\) (.*)\n((?:(?!\(gdb\) ).*\n)*)", transcript.read(), re.M)
    learner = Learner(program)
    expected, shown = [], []
    for command, text in typed:
        wanted = comparable(command, text, "".join(re.findall(r"^(\d+)\t", text, re.M)[-1:]))
        found = learner.type(command)
        if wanted is not None:
            expected += [f"(lldb) {command}"] + wanted
            shown += [f"(lldb) {command}"] + comparable(command, found, learner.line())
    different = list(difflib.unified_diff(expected, shown, path, "lldb", lineterm=""))
    if different or not expected:
        print("\n".join(different) or f"{path} has no commands", file=sys.__stderr__)
    else:
        print("session tests/gdb in lldb: runs as shown")
