"""attention: where a head looks."""
import re

from . import program
from .in_words import nodes
from .tape import Node, Tape, text_at


def attention(text):
    """attention H T: where head H looks from position T: the weights of the positions up to T, which sum to 1.

    They come from the softmaxes of query and key products on the tape (the latest name's, if there are several), so
    this works wherever the program stops. Heads are numbered through all layers: the second layer's come after the
    first's.

    attention EXPR: the same picture of any list of Values, such as attn_weights."""
    if re.fullmatch(r"\d+ \d+", text):
        head, position = map(int, text.split())
        heads = list(heads_on_tape().values())
        if head >= len(heads):
            raise program.Error(f"there is no head {head} on the tape; it has {len(heads)}")
        starts = [i for i, weights in enumerate(heads[head]) if len(weights) == 1]  # a first position sees only itself
        latest = heads[head][max(starts, default=0) :]
        if position >= len(latest):
            raise program.Error(f"there is no position {position} on the tape; it has {len(latest)}")
        weights = latest[position]
        print(f"head {head} at position {position} looks at")
    else:
        value = program.evaluate(text)
        weights = [node.data for node in nodes(program.kind(value), program.words(value))]
    for position, weight in enumerate(weights):
        print(f"  position {position:2}  {weight:.4f}  {'#' * round(32 * weight)}".rstrip())


def heads_on_tape():
    """{the first parameter of a head's queries: the weights of each query, in the order in which they were made}"""
    found = {}
    for total in map(Node, Tape().addresses()):  # softmax divides exps by their sum
        exps = [Node(address) for address, _ in total.edges] if text_at(total.op) == "sum" else []
        if exps and all(text_at(node.op) == "exp" for node in exps):
            node = exps[0]  # of a product of query and key, which may be scaled, masked or softmaxed
            while node.n_edge and text_at(node.op) in ("exp", "*", "+"):
                node = Node(node.edges[0][0])
            query = Node(node.edges[0][0]) if text_at(node.op) == "dot" else node
            if text_at(query.op) == "dot":  # of a row of parameters and x
                found.setdefault(query.edges[0][0], []).append([node.data / total.data for node in exps])
    return found
