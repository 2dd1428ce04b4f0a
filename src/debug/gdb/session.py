"""Runs a session.gdb unattended, records what a learner would see, and compares the README with it."""
import os
import re

import gdb

# Lines that depend on the machine, not on the program.
_noise = re.compile(r"\[Thread debugging|\[Detaching after|Using host libthread_db|warning: Error disabling address space randomization")


class Failure(Exception):
    """An error message of one line."""


def check(directory, build_directory):
    """Runs the directory's session.gdb and looks for the README's gdb blocks in its output. tests/gdb is for the
    project's README. gdb's standard output must go to session.raw in build_directory. Its steady lines are written to
    session.txt. If something is wrong, gdb ends with one line and code 1."""
    try:
        for setting in ["width 0", "style enabled off", f"args data/names.txt > {build_directory}/session_output.txt 2>&1"]:
            gdb.execute("set " + setting)
        run(f"{directory}/session.gdb")
        transcript = steady(f"{build_directory}/session.raw")
        with open(f"{build_directory}/session.txt", "w", encoding="utf-8") as file:
            file.write("\n".join(transcript) + "\n")
        readme = f"{directory}/README.md" if directory.startswith("lessons/") else "README.md"
        for block in blocks(readme) if os.path.exists(readme) else []:
            missing = missing_line(block, transcript)
            if missing is not None:
                raise Failure(f"{readme}: a gdb block says '{missing}', but {build_directory}/session.txt does not")
    except Failure as failure:
        gdb.write(f"{failure}\n", gdb.STDERR)
        gdb.execute("quit 1")


def run(session):
    """Executes every line, and shows it as if a learner had typed it."""
    with open(session, encoding="utf-8") as commands:
        for command in map(str.strip, commands):
            if command and not command.startswith("#"):
                execute(command, session)


def execute(command, session):
    print(f"(gdb) {command}")
    try:
        gdb.execute(command)
    except gdb.error as error:
        hint = " (gdb must be allowed to trace programs here: ptrace)" if command == "run" else ""
        raise Failure(f"{session}: {command}: {error}{hint}") from None


def steady(path):
    """The non-empty lines of a file, without what differs between machines."""
    gdb.flush()
    with open(path, encoding="utf-8") as text:
        lines = [line for line in text.read().splitlines() if line and not _noise.match(line)]
    return [re.sub(r"process \d+", "process N", line) for line in lines]


def blocks(readme):
    """The ```gdb blocks of a README, each a list of its non-empty lines."""
    with open(readme, encoding="utf-8") as text:
        found = re.findall(r"^```gdb\n(.*?)^```$", text.read(), re.M | re.S)
    return [[line for line in block.splitlines() if line] for block in found]


def missing_line(block, transcript):
    """None if the block's lines follow one another in the transcript, where a line "..." skips any number of lines;
    otherwise the first line that is missing."""
    text = "".join(line + "\n" for line in transcript)
    pattern = "(?m)^"
    for line in block:
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line + "\n")
        if not re.search(pattern, text):
            return line
    return None
