"""graph EXPR > FILE: the nodes with the heaviest shares of the gradient, and arrows on which these run back."""
import heapq
import itertools

from node import Node, number
from svg import Svg

_max_nodes = 24  # drawn
_orange = "#d55e00"
_grey = "#555"

_row = 62  # from one row of boxes to the next
_height = 38  # of a box
_gap = 110  # between two columns of boxes
_top = 80
_margin = 20


class Picture:
    """The nodes that are drawn, their children, and what a parent gives to each."""

    def __init__(self, root, depth):
        self.has_grad = root.grad != 0
        self.nodes = {root.address: root}
        self.shares = {}  # {parent: {child: share}}, of all children
        waiting, order = [], itertools.count()  # the order decides between equal shares

        def offer(node, level):
            if level < depth:
                self.shares[node.address] = self.shares_of(node)
                for child, share in self.shares[node.address].items():
                    heapq.heappush(waiting, (-abs(share), next(order), child, level + 1))

        offer(root, 0)
        while waiting and len(self.nodes) < _max_nodes:
            _, _, child, level = heapq.heappop(waiting)
            if child not in self.nodes:
                self.nodes[child] = Node(child)
                offer(self.nodes[child], level)

    def shares_of(self, node):
        """{child: what the node adds to its gradient}. Before backward(), the local gradients."""
        found = {}
        for child, local_grad in zip(node.children(), node.local_grads()):
            found[child] = found.get(child, 0) + local_grad * (node.grad if self.has_grad else 1)
        return found

    def drawn(self, address):
        """{child: share} of the children that are drawn."""
        return {child: share for child, share in self.shares.get(address, {}).items() if child in self.nodes}

    def columns(self, numbers):
        """How far each node is from the root, on the longest way. A child stands before its parents on the tape."""
        column = dict.fromkeys(self.nodes, 0)
        for address in sorted(self.nodes, key=numbers.get, reverse=True):
            for child in self.drawn(address):
                column[child] = max(column[child], column[address] + 1)
        return column

    def rows(self):
        """A node is in the middle of the children that are not yet in a row; without them it has a row of its own."""
        row, free = {}, itertools.count()

        def visit(address):
            below = [visit(child) for child in self.drawn(address) if child not in row]
            row[address] = (below[0] + below[-1]) / 2 if below else next(free)
            return row[address]

        visit(next(iter(self.nodes)))
        return row


def draw(title, root, depth, describe):
    """The root is on the right, what it was computed from on the left."""
    picture = Picture(root, depth)
    column, row = picture.columns(describe.tape.numbers), picture.rows()
    lines = {
        address: (describe.name(node), f"data {number(node.data)}, grad {number(node.grad)}")
        for address, node in picture.nodes.items()
    }
    width = 16 + 6.8 * max(len(line) for pair in lines.values() for line in pair)
    last = max(column.values())
    svg = Svg(max(2 * _margin + width + last * (width + _gap), 560), _top + _row * (max(row.values()) + 1))
    place = {a: (_margin + (last - column[a]) * (width + _gap), _top + _row * row[a]) for a in picture.nodes}
    svg.text(_margin, 28, title, size=14)
    what = "what it adds to the child's gradient" if picture.has_grad else "the local gradient (before backward)"
    svg.text(_margin, 50, f"An arrow is {what}: the thicker, the more", fill=_grey)
    heaviest = max((abs(share) for a in place for share in picture.drawn(a).values()), default=0) or 1
    labels = []  # above all arrows
    for address, (x, y) in place.items():
        for child, share in picture.drawn(address).items():
            x2, y2 = place[child][0] + width, place[child][1] + _height / 2
            y1 = y + _height / 2
            svg.arrow(x, y1, x2, y2, _orange, 1 + 3 * abs(share) / heaviest)
            labels.append((x2 + 0.4 * _gap, y2 + (y1 - y2) * 0.4 * _gap / (x - x2) - 5, number(share)))
    for x, y, label in labels:
        svg.text(x, y, label, "middle", fill=_orange)
    for address, (x, y) in place.items():
        draw_box(svg, x, y, width, lines[address])
        hidden = len(picture.shares.get(address, {})) - len(picture.drawn(address))
        if hidden:
            svg.text(x + 8, y + _height + 13, f"and {hidden} more", size=11, fill=_grey)
    return svg


def draw_box(svg, x, y, width, lines):
    svg.rect(x, y, width, _height, "white", _grey)
    svg.text(x + 8, y + 16, lines[0])
    svg.text(x + 8, y + 31, lines[1], fill=_grey)
