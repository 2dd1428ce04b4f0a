"""Prose that cannot lie: compares what a README quotes with what really happens.

  python3 -B tests/check_readme.py README.md lessons/*/README.md      from the project's root

  ```sh                       commands: their targets and files must exist
  ```text                     output: in a lesson, of expected.txt; elsewhere of the last command of the sh block
                              before it in the same section, whose commands are run for it
  ```text timings             the same, whatever the numbers are, unless QUICK=1; a dash stands for a missing one
  ```text lessons/FILE        lines of that file
  ```diff BREAK=idea          output of make lesson-NN BREAK=idea, unless QUICK=1; every patch needs such a block
  ```text make exercise-NN    output of that command, or of any other of make; with QUICK=1 not of LONG=1 and ladder
  ```cpp                      lines of one source file, indentation aside
  ```gdb                      checked elsewhere

The lines of a block must stand one after the other; a line ... passes over any number of lines. In prose, every number
with a decimal point or three digits must stand in a block, in the output, or in the lesson's code or Makefile.
"""
import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

is_quick = bool(os.environ.get("QUICK"))


def without_end(line):
    return line.rstrip(" \t\r")


def without_indentation(line):
    return without_end(line.lstrip(" \t"))


def without_numbers(line):
    """"72.5  4,192   3 ms   -" -> "# # # #\""""
    line = re.sub(r"[0-9]+([.,][0-9]+)*( ?(ns|µs|ms|s)\b)?|-(?= |$)", "#", line)
    return without_indentation(re.sub(" +", " ", line))


@functools.cache
def read(path):
    return Path(path).read_text(encoding="utf-8", errors="surrogateescape")


@functools.cache
def split(text, change=without_end):
    lines = text.split("\n")
    return [change(line) for line in (lines if lines[-1] else lines[:-1])]


# --- Commands ---------------------------------------------------------------------------------------------------------

@functools.cache
def output_of(command):
    """Runs a command, but each only once: what it prints, and whether it succeeds."""
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="surrogateescape")
    return SimpleNamespace(text=done.stdout, success=done.returncode == 0)


def mode_of(path):
    """build/debug/... is made with MODE=debug."""
    is_built = path.startswith("build/") and not path.startswith("build/pictures/")
    return f"MODE={path.split('/')[1]} " if is_built else ""


def can_be_made(targets):
    """Could make make this? make lesson-NN it can as well, but that only says that there is no such lesson."""
    plan = output_of(f"make -n {targets}")
    return plan.success and "there is no " not in plan.text


def missing(command):
    """What does not exist of a command, a target or a file that it reads; empty if all is well."""
    if command.startswith("make ") and not can_be_made(command[5:]):
        return "such target"
    for word in command.split():
        is_path = re.fullmatch("(src|lessons|data|tests|build/(release|debug|asan))/.*", word)
        if is_path and not Path(word).exists() and not can_be_made(mode_of(word) + word):
            return word
    return ""


def runnable(command):
    """The command without what needs a network; empty if nothing is left that can be run here."""
    offline = without_end(re.sub(r" (setup|names)\b", "", command))
    if offline == "make" != command:
        return ""
    return offline if command.startswith("make") or mode_of(command) else ""


# --- A README ---------------------------------------------------------------------------------------------------------

def parse(text):
    """The blocks, and as prose, with line numbers, what is neither a block, nor a comment, nor where a link leads."""
    readme = SimpleNamespace(blocks=[], prose=[], closed=True)
    section, comment = 0, False
    for number, line in enumerate(split(text), 1):
        begin = without_indentation(line)
        if begin.startswith("```"):
            if readme.closed:
                readme.blocks.append(SimpleNamespace(info=begin[3:], line=number, section=section, lines=[]))
            readme.closed = not readme.closed
        elif not readme.closed:
            readme.blocks[-1].lines.append(line)
        else:
            section += line.startswith("#")
            comment = comment or "<!--" in line
            if not comment:
                readme.prose.append((number, re.sub(r"\]\([^)]*\)|https?://[^ )>]*", "] ", line)))
            comment = comment and "-->" not in line
    return readme


def commands(block):
    """The commands of a sh block, without comments."""
    return [command for line in block.lines if (command := without_end(line.split("#")[0]))]


def numbers(text):
    """As they are written, but 4,192 and 4'192 as 4192. Digits in a name, like layer0, are not a number."""
    found = re.finditer(r"(?:^|[^0-9A-Za-z_.])([0-9]{1,3}(?:[,'][0-9]{3})+|[0-9]+)(\.[0-9]+)?(?![0-9])", text)
    return [re.sub("[,']", "", match[1]) + (match[2] or "") for match in found]


def difference(block, text, change=without_end):
    """Where the block is no part of the text, in words; otherwise empty."""
    actual, at, wanted = split(text, change), 0, []

    def search(n):
        return next((i for i in range(at, len(actual) - n + 1) if actual[i:i + n] == wanted[:n]), None)

    for line in [*block.lines, "..."]:
        if without_indentation(line) != "...":
            wanted.append(change(line))
            continue
        n = len(wanted)
        while search(n) is None:  # the longest beginning that stands there
            n -= 1
        at = search(n) + n
        if n < len(wanted):
            instead = f"'{actual[at]}'" if at < len(actual) else "the end"
            return f"after '{wanted[n - 1]}' comes {instead}, not '{wanted[n]}'" if n else \
                f"'{wanted[0]}' does not stand there"
        wanted = []
    return ""


class Checker:
    def __init__(self, path):
        self.path, self.readme = path, parse(read(path))
        self.known, self.breaks_shown, self.last_sh, self.counted, self.errors = set(), set(), None, 0, 0
        directory = Path(path).parent
        self.lesson, self.expected, self.sources = "", "", ["src", "lessons", "tests"]
        if (directory / "expected.txt").exists():
            self.lesson, self.expected = directory.name.split("_")[0], read(directory / "expected.txt")
            self.sources = [directory, "src"]
            for text in [self.expected, *(read(file) for file in directory.iterdir() if file.suffix in (".cpp", ".h"))]:
                self.know(text)
        else:
            self.know(read("Makefile"))

    def check(self):
        """Prints what is wrong, and returns how much that is."""
        for block in self.readme.blocks:
            self.check_block(block)
        for patch in Path(self.path).parent.glob("break/*") if self.lesson else ():
            if patch.stem not in self.breaks_shown:
                self.complain(1, f"no block shows what BREAK={patch.stem} does")
        for line, text in self.readme.prose:
            if is_quick and "BREAK=" in text:
                break  # from here on, mistakes may have printed the numbers
            self.check_numbers(line, text)
        if not self.readme.closed:
            self.complain(self.readme.blocks[-1].line, "this block does not end")
        print(f"{self.path}: {len(self.readme.blocks)} blocks, {self.counted} numbers in prose, {self.errors} wrong",
              flush=True)
        return self.errors

    def complain(self, line, message):
        self.errors += 1
        print(f"{self.path}:{line}: {message}".encode("utf-8", "replace").decode(), file=sys.stderr)

    def know(self, text):
        self.known.update(numbers(text), numbers(text.replace(",", " ")))  # in [100,200] the comma parts two numbers

    def check_block(self, block):
        for line in block.lines:
            self.know(line)
        info = block.info
        if info == "sh":
            self.last_sh = block
            for command in commands(block):
                if what := missing(command):
                    self.complain(block.line, f"`{command}`: there is no {what}")
        elif info == "cpp":
            files = (file for folder in self.sources for file in Path(folder).rglob("*"))
            files = [file for file in files if file.suffix in (".cpp", ".h")]
            if all(difference(block, read(file), without_indentation) for file in files):
                self.complain(block.line, "no source file has these lines one after the other")
        elif info == "text" and self.lesson:
            self.compare(block, self.expected, "expected.txt")
        elif info in ("text", "text timings"):
            if info == "text" or not is_quick:
                self.check_last_command(block, without_end if info == "text" else without_numbers)
        elif info.startswith("diff BREAK=") and self.lesson:
            self.breaks_shown.add(info[11:])
            if not is_quick:
                self.check_output(block, f"make lesson-{self.lesson}{info[4:]}")
        elif info.startswith("text lessons/"):
            self.know(read(info[5:]))
            self.compare(block, read(info[5:]), info[5:])
        elif info.startswith("text make "):
            if not (is_quick and re.search("LONG=1|ladder", info)):
                self.check_output(block, info[5:])
        elif info != "gdb":
            self.complain(block.line, f"a block of kind '{info}' cannot be checked")

    def check_output(self, block, command, change=without_end):
        output = output_of(command)
        if not output.success and block.info.startswith("diff"):
            return self.complain(block.line, f"{command} fails")
        self.know(output.text)
        self.compare(block, output.text, f"the output of {command}", change)

    def check_last_command(self, block, change):
        if not self.last_sh or self.last_sh.section != block.section or not commands(self.last_sh):
            return self.complain(block.line, "no sh block before it in this section says which command prints this")
        for command in commands(self.last_sh):
            last = runnable(command)
            if mode_of(last):
                output_of(f"make {mode_of(last)}{last.split(' ')[0]}")
            if last and not output_of(last).success:
                self.complain(self.last_sh.line, f"`{command}` fails")
        if not last:
            return self.complain(block.line, "the output of this command cannot be had here")
        self.check_output(block, last, change)

    def compare(self, block, text, what, change=without_end):
        if message := difference(block, text, change):
            self.complain(block.line, f"{what}: {message}")

    def check_numbers(self, line, text):
        for number in numbers(text):
            is_year = len(number) == 4 and number[:2] in ("19", "20")
            if "." not in number and (len(number) < 3 or is_year):
                continue
            self.counted += 1
            if number not in self.known:
                self.complain(line, f"{number} stands in no block, no output and no code")


if __name__ == "__main__":
    sys.exit(1 if sum([Checker(path).check() for path in sys.argv[1:]]) else 0)
