"""Types a debugger walk unattended, and compares what a learner would see with what is written down."""
import os
import re

import gdb

# Lines that depend on the machine, not on the program.
_noise = re.compile(r"\[Thread debugging|\[Detaching after|Using host libthread_db|warning: Error disabling address space")


class Failure(Exception):
    """An error message of one line."""


class Unrecorded(Exception):
    """A command that needs a recording, which gdb cannot make on every processor. The walk ends there."""


def check(directory, build_directory):
    """Types the walk of a directory, and looks for what it shows in gdb's output.

    A lesson's walk is the gdb blocks of its README, one after the other, after the `make gdb L=NN` that must stand
    before the first. Every line behind a (gdb) is a command; nothing else is typed. tests/gdb has a session.gdb with
    one command a line, and src/debug/README.md shows a part of it. gdb's standard output must go to session.raw in
    build_directory. Its steady lines are written to session.txt. If something is wrong, gdb ends with one line and
    code 1."""
    readme = f"{directory}/README.md"
    try:
        walk = walk_of(readme) if os.path.exists(readme) else None
        args = f"args data/names.txt > {build_directory}/session_output.txt 2>&1"
        for setting in ["width 0", "style enabled off", args]:
            gdb.execute("set " + setting)
        gdb.execute("define hook-stop\nset $here = $pc\nend")  # a learner's own, which fails before the program runs
        if walk is None:
            run(commands_in(f"{directory}/session.gdb"), show_errors=True)
        else:
            gdb.execute("stops all")
            execute("run")
            try:
                run(line.removeprefix("(gdb) ") for line in walk if line.startswith("(gdb) "))
            except Unrecorded as command:
                walk = walk[: walk.index(f"(gdb) {command}")]
        transcript = steady(f"{build_directory}/session.raw")
        with open(f"{build_directory}/session.txt", "w", encoding="utf-8") as file:
            file.write("\n".join(transcript) + "\n")
        if walk is None:
            readme, walk = "src/debug/README.md", walk_of("src/debug/README.md")
            transcript = transcript[transcript.index(walk[0]) :] if walk[0] in transcript else []
        missing = missing_line(walk, transcript)
        if missing is not None:
            raise Failure(f"{readme}: a gdb block says '{missing}', but {build_directory}/session.txt does not")
    except Failure as failure:
        gdb.write(f"{failure}\n", gdb.STDERR)
        gdb.execute("quit 1")


def run(commands, show_errors=False):
    """Executes every command, and shows it as if a learner had typed it. An error ends the walk, or is shown, too."""
    for command in commands:
        print(f"(gdb) {command}")
        execute(command, show_errors)


def execute(command, show_errors=False):
    try:
        gdb.execute(command)
    except gdb.error as error:
        if show_errors and command != "run":
            print(error)
            return
        if "gdb cannot record here" in str(error):
            raise Unrecorded(command) from None
        hint = " (gdb must be allowed to trace programs here: ptrace)" if command == "run" else ""
        raise Failure(f"{command}: {error}{hint}") from None


def commands_in(path):
    """The commands of a session.gdb, without comments."""
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def steady(path):
    """The non-empty lines of a file, without what differs between machines."""
    gdb.flush()
    with open(path, encoding="utf-8") as text:
        lines = [line for line in text.read().splitlines() if line and not _noise.match(line)]
    return [re.sub(r"process \d+", "process N", line) for line in lines]


def walk_of(readme):
    """The lines of a README's gdb blocks, with a "..." between two blocks."""
    with open(readme, encoding="utf-8") as text:
        before, *blocks = re.split(r"^```gdb\n", text.read(), flags=re.M)
    lesson = re.search(r"lessons/(..)_", readme)
    if not blocks:
        raise Failure(f"{readme}: there is no gdb block, so there is no walk through the lesson")
    if lesson and f"make gdb L={lesson[1]}" not in before:
        raise Failure(f"{readme}: no `make gdb L={lesson[1]}` stands before the first gdb block")
    lines = []
    for block in blocks:
        lines += [line for line in block.split("\n```", 1)[0].splitlines() if line] + ["..."]
    return lines


def missing_line(walk, transcript):
    """None if the walk's lines follow one another in the transcript, where a line "..." skips any number of lines
    that are not commands; otherwise the first line that is missing."""
    at = 0
    skip = True  # what stands before the first line
    for line in walk:
        if line == "...":
            skip = True
            continue
        while skip and at < len(transcript) and transcript[at] != line and not transcript[at].startswith("(gdb) "):
            at += 1
        if at == len(transcript) or transcript[at] != line:
            return line
        at += 1
        skip = False
    return None
