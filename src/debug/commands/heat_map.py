"""attention > FILE: heads as heat maps, with the sizes and colours of src/draw/plot.cpp."""
from svg import Svg

_maps_in_a_row = 4
_cell = 18
_left, _top, _end = 40, 56, 20  # the room around a map
_scale = (
    "Row: who looks; column: at whom; . is BOS.",
    "Half dark: an even share; darkest: twice that or more.",
)


def blue(share):
    """White for 0, dark blue for 1."""
    mix = [round(255 + (dark - 255) * min(share, 1)) for dark in (8, 48, 107)]
    return f"rgb({mix[0]},{mix[1]},{mix[2]})"


def heat_maps(maps):
    """A map for each (title, labels, rows): the weights of a row sum to 1."""
    size = _cell * max(len(labels) for _, labels, _ in maps)
    width, height = max(_left + size + _end, 130), _top + size
    rows = -(-len(maps) // _maps_in_a_row)
    svg = Svg(max(width * min(len(maps), _maps_in_a_row), 350), height * rows + 60)
    for i, (title, labels, weights) in enumerate(maps):
        draw(svg, width * (i % _maps_in_a_row) + _left, height * (i // _maps_in_a_row), title, labels, weights)
    for i, line in enumerate(_scale):
        svg.text(_end, height * rows + 28 + 16 * i, line)
    return svg


def draw(svg, left, y0, title, labels, weights):
    """A map whose first column is at `left`."""
    svg.text(left, y0 + 24, title, size=14)
    for i, label in enumerate(labels):
        svg.text(left + _cell * (i + 0.5), y0 + _top - 6, label, "middle")
        svg.text(left - 6, y0 + _top + _cell * i + 13, label, "end")
    for r, row in enumerate(weights):
        for c, weight in enumerate(row):
            svg.rect(left + _cell * c, y0 + _top + _cell * r, _cell - 1, _cell - 1, blue(weight * len(row) / 2))
