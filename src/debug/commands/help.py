"""microgpt: the commands on one page."""
import program
from command import Command


class Microgpt(Command):
    __doc__ = f"""Commands to look at microgpt while it runs.

print EXPR            prints Values and lists of them, Node, Matrix, Parameters and microgpt::tape in plain words
stops                 the lines of the lesson where it is worth stopping; each has a name
stops NAME, stops all from now on stop only there, or at all of them
stops scores, heads   the same in gpt(): where a head is about to look back, and where it is ready
graph [EXPR] [DEPTH]  what a node was computed from
node [EXPR]           go to a node; then child N, parents, parent N
why [EXPR]            why a gradient is what it is: what each parent added to it
attention H T         where head H looks from position T
graph ... > FILE      draws the graph: what gave the largest shares; attention > FILE draws where each head looks
who-wrote EXPR        in gdb: back in time, to the line that gave a number its value
tape [N]              the last N nodes of the tape

EXPR is an expression of the program, such as loss or x[3]; or #17, node number 17 on the tape; or an element of a
parameter matrix, such as wte[2][5]. `help why` explains `why`. {program.ALL_DIGITS} shows all digits. \
`step` enters functions of the
lesson and of src/, but not of the standard library."""

    def run(self, text):
        print(self.__doc__)
