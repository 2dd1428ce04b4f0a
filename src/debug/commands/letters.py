"""The letters that a model reads: src/base/tokenizer.h, and main() of src/microgpt.cpp."""
import parameters
import program


def alphabet():
    """The characters of the tokens 0, 1, ..., or None if no variable of the program knows them."""
    for name, value in program.variables():
        kind = program.type_name(value)
        if kind == "microgpt::Tokenizer":
            return program.string(program.plain(value)["characters_"])
        if kind == "microgpt::Lesson":
            return program.string(program.plain(value)["tokenizer"]["characters_"])
        if name == "uchars":
            return program.string(program.plain(value))
    return None


def read_before(numbers, tape):
    """For each of these numbers on the tape, the letter whose embedding was read last before. If letters are not known,
    or were not read one by one, 0, 1, 2 and so on."""
    places = [str(i) for i in range(len(numbers))]
    try:
        characters, wte = alphabet(), parameters.named("wte")
    except (program.Error, ValueError):  # not made yet
        return places
    if characters is None or wte is None:
        return places
    reads = []  # (number, token)
    for number, node in enumerate(tape.nodes):
        token, rest = divmod(node.row_grad - wte.grad, 8 * wte.cols)
        if node.op_name == "parameter" and 0 <= token < wte.rows and rest == 0:
            reads.append((number, token))
    last = [max((read for read in reads if read[0] < number), default=None) for number in numbers]
    if None in last or len(set(last)) < len(last):
        return places
    return [characters[token] if token < len(characters) else "." for _, token in last]
