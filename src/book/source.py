"""Source files as pages of the book, with numbered lines; and where in a file a README's piece of code stands."""
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

CODE = (".cpp", ".h")
PLAIN = re.compile(r'<span class="(?:w|p|n|o|nl|nb|nx|nn|bp|err)">([^<]*)</span>')  # what has no colour of its own


def coloured(text, language):
    """A <code> with a <span> for each coloured word."""
    return ET.fromstring(f"<code>{spans(text, get_lexer_by_name(language, stripnl=False))}</code>")


def numbered(path):
    """A <pre> with the whole file, in which line 5 is an element with the id L-5."""
    try:
        lexer = get_lexer_for_filename(path.name, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    lines = spans(path.read_text(encoding="utf-8"), lexer).removesuffix("\n").split("\n")
    inside = "".join(f'<span id="L-{i}">{line}\n</span>' for i, line in enumerate(lines, 1))
    return ET.fromstring(f'<pre class="lines"><code>{inside}</code></pre>')


def spans(text, lexer):
    """The text with a <span> for each coloured word. None goes over the end of a line."""
    return PLAIN.sub(r"\1", highlight(text, lexer, HtmlFormatter(nowrap=True)))


@cache
def lines_of(path):
    """The lines of a file, without indentation."""
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def near(folder):
    """The files of code that a README in this folder may quote, the likeliest first."""
    here = sorted(folder.glob("*.*"), key=lambda path: path.name != "main.cpp")
    return [path for path in [*here, Path("src/microgpt.cpp"), *sorted(Path("src").rglob("*.*"))] if path.suffix in CODE]


def quoted_from(text, folder):
    """The file and line at which a quoted piece of code begins, or None. What comes before a line ... must fit."""
    wanted = [line.strip() for line in re.split(r"\n\s*\.\.\.\n", text)[0].splitlines()]
    for path in near(folder):
        lines = lines_of(path)
        for i, line in enumerate(lines):
            if line == wanted[0] and lines[i : i + len(wanted)] == wanted:
                return path, i + 1
    return None


def stop_line(name, folder):
    """The line of main.cpp that ends in `// stop: NAME`, and its text, or None."""
    main = folder / "main.cpp"
    found = (i for i, line in enumerate(lines_of(main)) if line.endswith(f"// stop: {name}"))
    at = next(found, None)
    return at and (main, at + 1, lines_of(main)[at])
