"""Runs a session.gdb unattended, writes down what a learner would see, and compares the README with it."""
import os
import re

import gdb

# What depends on the machine and says nothing about the program.
_noise = re.compile(r"\[Thread debugging|\[Detaching after|Using host libthread_db|warning: Error disabling address space randomization")


class Failure(Exception):
    """What is wrong, in one line."""


def check(directory, build_directory):
    """Runs the directory's session.gdb and looks for the blocks of the lesson's README in what it printed; those of the
    project's README come from tests/gdb. gdb must have been started with its standard output going to session.raw in
    build_directory; made steady, that becomes session.txt. If something is wrong, gdb ends with one line and code 1."""
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
    """Executes every line, showing it as a learner types it."""
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
    """The lines of a file that are not empty, without what differs from machine to machine."""
    gdb.flush()
    with open(path, encoding="utf-8") as text:
        lines = [line for line in text.read().splitlines() if line and not _noise.match(line)]
    return [re.sub(r"process \d+", "process N", line) for line in lines]


def blocks(readme):
    """The ```gdb blocks of a README, each a list of lines that are not empty."""
    with open(readme, encoding="utf-8") as text:
        found = re.findall(r"^```gdb\n(.*?)^```$", text.read(), re.M | re.S)
    return [[line for line in block.splitlines() if line] for block in found]


def missing_line(block, transcript):
    """None if the block's lines stand in the transcript one after the other, where a line "..." skips any number of
    lines; else the first line that does not."""
    furthest = 0
    for start in range(len(transcript)):
        found = lines_found(block, transcript[start:])
        if found == len(block):
            return None
        furthest = max(furthest, found)
    return block[furthest]


def lines_found(block, transcript):
    """How many lines of the block are found, the first of them at the beginning of the transcript."""
    at = 0
    skipping = False
    for n, line in enumerate(block):
        if line == "...":
            skipping = True
            continue
        while skipping and at < len(transcript) and transcript[at] != line:
            at += 1
        if at == len(transcript) or transcript[at] != line:
            return n
        at += 1
        skipping = False
    return len(block)
