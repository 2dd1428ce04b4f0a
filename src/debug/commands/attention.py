"""attention H T: where a head looks."""
import letters
import program
import svg
from command import Command
from expression import evaluate, items
from heat_map import heat_maps
from node import Node
from tape import Tape


class Softmax:
    """The weights of one query: its exps, each divided by their sum."""

    def __init__(self, total):
        self.exps = [Node(address) for address in total.children()]
        self.weights = [exp.data / total.data for exp in self.exps]

    def query(self):
        """The first number of the query, or None if this softmax is not attention. In attention the exps are of dot
        products, whose first child belongs to the query. The dot products may be scaled, masked, or softmaxed."""
        node = self.exps[0]
        while node.op_name in ("exp", "*", "+"):
            node = Node(node.children()[0])
        return Node(node.children()[0]) if node.op_name == "dot" else None


def latest(softmaxes):
    """Those of the last name on the tape, whose first position sees only itself."""
    starts = [i for i, softmax in enumerate(softmaxes) if len(softmax.weights) == 1]
    return softmaxes[starts[-1] :] if starts else softmaxes


def heads(tape):
    """The attention on the tape: for each head the softmaxes of its queries, in the order they were computed. Each head
    has its own rows of attn_wq; the first of these rows identifies the head."""
    found = {}
    for node in tape.nodes:
        if node.op_name != "sum" or not all(Node(child).op_name == "exp" for child in node.children()[:1]):
            continue
        softmax = Softmax(node)
        query = softmax.query()
        if query is not None:
            found.setdefault(query.row_grad, []).append(softmax)
    return list(found.values())


def head_of(found, head):
    if not 0 <= head < len(found):
        raise program.Error(f"there is no head {head} on the tape; it has {len(found)}")
    return found[head]


def at_position(softmaxes, t):
    """The softmax of position t: the one over t + 1 positions. Without a mask all are equally long: then number t."""
    sizes = {len(softmax.weights) for softmax in softmaxes}
    matching = softmaxes[t : t + 1] if len(sizes) == 1 else [s for s in softmaxes if len(s.weights) == t + 1]
    if not matching:
        raise program.Error(f"there is no attention of position {t} on the tape; there are {len(softmaxes)} positions")
    return matching[-1]


def show(weights):
    for position, weight in enumerate(weights):
        print(f"  position {position:2}  {weight:.4f}  {'#' * round(32 * weight)}".rstrip())


class Attention(Command):
    """attention H T: where head H looks from position T: the weights of the positions up to T, which sum to 1.

They come from the softmaxes of query and key products on the tape (the latest, if there are several), so this works
wherever the program stops. Heads are numbered through all layers: the second layer's come after the first's.

attention EXPR: the same picture of any Values, such as attn_weights.

attention [H] > FILE.svg: draws from where to where head H looks, or every head."""

    def run(self, text):
        text, file = svg.split(text)
        words = text.split()
        if file:
            self.draw(words, file)
        elif len(words) == 2:
            self.at(*(int(program.evaluate(word)) for word in words))
        elif len(words) == 1:
            show([Node(value["node"]).data for value in items(evaluate(text))])
        else:
            raise program.Error("attention takes a head and a position, as in attention 0 3, or the weights")

    @staticmethod
    def at(head, position):
        softmax = at_position(head_of(heads(Tape()), head), position)
        print(f"head {head} at position {position} looks at")
        show(softmax.weights)

    @staticmethod
    def draw(words, file):
        tape = Tape()
        found = heads(tape)
        if len(words) > 1 or not found:
            raise program.Error("attention draws a head, or all that are on the tape: attention 0 > heads.svg")
        wanted = [int(program.evaluate(words[0]))] if words else range(len(found))
        maps = []
        for h in wanted:
            rows = latest(head_of(found, h))
            labels = letters.read_before([tape.numbers[row.query().address] for row in rows], tape)
            maps.append((f"head {h}", labels, [row.weights for row in rows]))
        heat_maps(maps).write(file)
