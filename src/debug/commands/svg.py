"""Drawings: EXPR > FILE.svg. Sizes and colours are those of src/draw/svg.cpp."""
import html
import math
import os
import re

import program


def split(text):
    """What stands before and after the > of a command: loss 3 > graph.svg. The file is None if there is no >."""
    match = re.fullmatch(r"(.*?)(?:^|\s)>(.*)", text)
    if not match:
        return text, None
    if not match[2].strip():
        raise program.Error("name the file behind the >, as in > drawing.svg")
    return match[1], os.path.expanduser(match[2].strip())


class Svg:
    """A drawing of this size in pixels, on white. x grows to the right, y downwards."""

    def __init__(self, width, height):
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        self.body = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">\n'
        self.rect(0, 0, width, height, "white")

    def rect(self, x, y, width, height, fill, stroke="none"):
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self.body += f'<rect {place} fill="{fill}" stroke="{stroke}"/>\n'

    def arrow(self, x1, y1, x2, y2, stroke, width):
        """A line with a head at its end."""
        head, half = 8, 4  # its length, and half its width
        length = math.hypot(x2 - x1, y2 - y1)
        x, y = (x2 - x1) / length, (y2 - y1) / length
        xb, yb = x2 - head * x, y2 - head * y  # where the head begins
        line = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{xb:.1f}" y2="{yb:.1f}"'
        self.body += f'<line {line} stroke="{stroke}" stroke-width="{width:.1f}"/>\n'
        corners = [(x2, y2), (xb - half * y, yb + half * x), (xb + half * y, yb - half * x)]
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py in corners)
        self.body += f'<polygon points="{points}" fill="{stroke}"/>\n'

    def text(self, x, y, text, anchor="start", size=12, fill="black"):
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
        halo = 'paint-order="stroke" stroke="white" stroke-width="3"'  # readable on a line, too
        self.body += f'<text {place} fill="{fill}" {halo}>{html.escape(text)}</text>\n'

    def write(self, path):
        """Creates the folder if necessary. Shows the drawing, too, if the debugger has a window for that."""
        content = self.body + "</svg>\n"
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise program.Error(f"cannot write {path}: {error.strerror}") from None
        print(f"wrote {path}")
        program.display(content, os.path.basename(path))
