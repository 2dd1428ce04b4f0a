"""graph, node and tape show nodes; why says where a gradient comes from."""
import re

from . import program
from .tape import Node, Tape, find, number

_max_shown = 16  # edges of one node


def graph(text):
    """graph EXPR [DEPTH]: what a node was computed from, DEPTH levels down (2 if there is none).

    EXPR is an expression of the program that is a Value or a Node, such as loss or x[3], or #17, node number 17 on the
    tape. Each line is a node: its number on the tape, its operation, data and grad. local_grad is the derivative of the
    node above with respect to it."""
    expression, depth = re.fullmatch(r"(.*?)(?:\s+(\d+))?", text).groups()
    root = find(expression)
    print(root)
    show_children(root, int(depth or 2), "", set())


def show_children(node, depth, indent, seen):
    """Prints the node's children, `depth` levels deep. `seen` are the nodes that were printed before."""
    for i, (address, local_grad) in enumerate(node.edges[:_max_shown] if depth else []):
        child = Node(address)
        again = " (see above)" if address in seen and child.n_edge else ""
        print(f"{indent}  [{i}] {child}, local_grad {number(local_grad)}{again}")
        if not again:
            seen.add(address)
            show_children(child, depth - 1, indent + "    ", seen)
    if depth and node.n_edge > _max_shown:
        print(f"{indent}  and {node.n_edge - _max_shown} more")


def node(text):
    """node EXPR: a node, what it was computed from, and what was computed from it. Walk on with node #N."""
    shown = find(text)
    print(shown)
    show_children(shown, 1, "", set())
    users = [(user, i) for user in map(Node, Tape().addresses()) for i in user.edges_to(shown)]
    for user, i in users[:_max_shown]:
        print(f"  used by {user}, as its [{i}]")
    if len(users) > _max_shown:
        print(f"  and by {len(users) - _max_shown} more")


def tape(text):
    """tape [N]: the last N nodes of the tape (8 if there is no N)."""
    addresses = Tape().addresses()
    print(f"{len(addresses)} nodes")
    for address in addresses[max(0, len(addresses) - int(text or 8)) :]:
        print(f"  {Node(address)}")


def why(text):
    """why EXPR: why a gradient is what it is.

    Lists what each node that was computed from this one added in the last backward() (its local_grad times its own
    grad), adds these up in the same order, and compares the sum with the gradient."""
    target = find(text)
    print(target)
    visited = Tape().visited()
    added = [(user, i) for user in visited for i in reversed(user.edges_to(target))]  # the last edge adds first
    if not added:
        if not any(node.n_edge for node in visited):
            print("  there was no backward(), or the nodes that it visited are gone")
        elif target.address == visited[0].address:
            print("  backward() started here, with 1: the derivative of the loss with respect to itself")
        else:
            print("  the last backward() did not visit it: its loss was not computed from this node")
        return
    print("  local_grad * parent's grad = contribution")
    total = 0.0
    for n, (user, i) in enumerate(added):
        local_grad = user.edges[i][1]
        total += local_grad * user.grad
        if n < _max_shown:
            print(
                f"  {number(local_grad):>10} * {number(user.grad):>13} = {number(local_grad * user.grad):>12}"
                f"   {user.name}, child [{i}]"
            )
    if len(added) > _max_shown:
        print(f"  and {len(added) - _max_shown} more")
    verdict = "its grad, to the last bit"
    if total != target.grad:
        reasons = "an earlier backward() added to it, or this one is unfinished or wrong"
        verdict = f"but its grad is {number(target.grad)}: {reasons}"
    print(f"  {'sum of ' + str(len(added)):>26} = {number(total):>12}   {verdict}")
