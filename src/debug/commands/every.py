"""Every command."""
from attention import Attention
from gradient import Why
from graph import Child, Graph, NodeCommand, Parent, Parents, TapeCommand
from help import Microgpt
from stops import StopCommand, Stops

COMMANDS = [Microgpt, Attention, Why, Child, Graph, NodeCommand, Parent, Parents, TapeCommand, StopCommand, Stops]
