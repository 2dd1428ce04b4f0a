"""why EXPR: where a gradient comes from."""
from command import Command
from expression import find
from graph import Describe
from node import Node, number

_max_shown = 16  # contributions shown


class Contribution:
    """What a parent added to a gradient: local_grad * the parent's grad."""

    def __init__(self, parent, local_grad, place=""):
        self.parent = parent
        self.local_grad = local_grad
        self.place = place  # which of the parent's children it went to
        self.amount = local_grad * parent.grad


def contributions_to_node(node, parents):
    """In the order in which backward() adds them: the last child of a parent first."""
    return [
        Contribution(parent, parent.local_grads()[i], f", child [{i}]")
        for parent in parents
        for i, child in reversed(list(enumerate(parent.children())))
        if child == node.address
    ]


def contributions_to_element(element, parents):
    """A node reads a row of a matrix; the element is one number in it."""
    found = []
    for parent in parents:
        i, rest = divmod(element.grad_address - parent.row_grad, 8)
        if parent.n_row and 0 <= i < parent.n_row and rest == 0:
            found.append(Contribution(parent, parent.row_locals()[i]))
    return found


class Why(Command):
    """why [EXPR]: why a gradient is what it is.

Lists what each parent added in the last backward() (its local_grad times its own grad), adds these up in the same
order, and compares the sum with the gradient. EXPR is a Value, a Node, #N, or an element of a parameter matrix, such as
layer0.attn_wq[2][3]. Without it: the node named last."""

    def run(self, text):
        target = find(text)
        describe = Describe()
        parents = describe.tape.backward_order()
        if isinstance(target, Node):
            print(describe.line(target))
            added = contributions_to_node(target, parents)
        else:
            print(f"{target.name}: data {number(target.data)}, grad {number(target.grad)}")
            added = contributions_to_element(target, parents)
        if added:
            self.explain(added, target, describe)
        else:
            print("  " + self.nothing_added(target, parents))

    def explain(self, added, target, describe):
        print("  local_grad * parent's grad = contribution")
        for contribution in added[:_max_shown]:
            print(
                f"  {number(contribution.local_grad):>10} * {number(contribution.parent.grad):>13} ="
                f" {number(contribution.amount):>12}   {describe.name(contribution.parent)}{contribution.place}"
            )
        if len(added) > _max_shown:
            print(f"  and {len(added) - _max_shown} more")
        total = 0.0
        for contribution in added:
            total += contribution.amount
        print(f"  {'sum of ' + str(len(added)):>26} = {number(total):>12}   {self.verdict(total, target)}")

    @staticmethod
    def verdict(total, target):
        if total == target.grad:
            return "its grad, to the last bit"
        reasons = "an earlier backward() added to it, or this one is unfinished or wrong"
        return f"but its grad is {number(target.grad)}: {reasons}"

    @staticmethod
    def nothing_added(target, parents):
        if not parents:
            return "no backward() has visited the nodes on the tape"
        if isinstance(target, Node):
            if target.address == parents[0].address:
                return "backward() started here, with 1: the derivative of the loss with respect to itself"
            return "the last backward() did not visit it: its loss was not computed from this node"
        return "no node on the tape that the last backward() visited reads this parameter"
