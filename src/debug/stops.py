"""Named stops: the lines of a lesson that end in // stop: NAME, and two in gpt() of src/microgpt.cpp."""
import re

from . import program

_of_gpt = {"scores": "attn_logits.push_back(", "heads": "x_attn.insert("}  # found by what the line says


def lines_of(function):
    """The file in which a function of the program is, and its numbered lines."""
    file = program.source_of(function)
    with open(file, encoding="utf-8") as source:
        return file, list(enumerate(source.read().splitlines(), start=1))


def stops(text):
    """stops: list the lesson's stops, the lines of main.cpp that end in // stop: NAME.

    stops NAME ..., stops all: from now on stop only at these stops of the lesson, or at all of them.

    stops scores, stops heads: the same in gpt() of src/microgpt.cpp, for each head: where it is about to look back
    (q_h, k_h and v_h are there), and where it is ready (attn_weights and head_out are there). Other breakpoints stay as
    they are."""
    file, lines = lines_of("main")
    matches = [(number, re.search(r"^\s*(.*?)\s*// stop: (\S+)$", line)) for number, line in lines]
    of_main = {match[2]: (file, number, match[1]) for number, match in matches if match}
    if not text:
        for name, (_, line, code) in of_main.items():
            print(f"  {name}: line {line}: {code}")
        return
    try:
        file, lines = lines_of("microgpt::gpt")
        found = {name: (file, n, line) for name, code in _of_gpt.items() for n, line in lines if code in line} | of_main
    except program.Error:  # the program has no gpt()
        found = of_main
    names = list(of_main) if text == "all" else text.split()
    if not names or any(name not in found for name in names):
        raise program.Error(f"there is no stop '{text}'; there are: {', '.join(found) or 'none'}")
    made = program.stops_made()
    for name, (file, line, _) in found.items():
        if name in made:
            made[name].enabled = name in names
        elif name in names:
            program.make_stop(name, file, line)
