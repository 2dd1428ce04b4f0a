"""The parameters of the model, by their names: src/base/parameters.h, and Model in src/microgpt.cpp."""
import memory
import program

_matrices = ["wte", "wpe", "lm_head"]  # of a Model, and of its layers
_layer_matrices = ["attn_wq", "attn_wk", "attn_wv", "attn_wo", "mlp_fc1", "mlp_fc2"]


class Parameter:
    """A Matrix or a Parameter of the program. parameter[i][j] is an Element."""

    def __init__(self, value, name):
        self.name = name
        self.rows = int(value["rows"])
        self.cols = int(value["cols"])
        self.data = int(value["data"])
        self.grad = int(value["grad"])

    def row(self, i):
        """The numbers of row i."""
        return memory.read(self.data + 8 * i * self.cols, self.cols, "d")

    def __getitem__(self, i):
        return [Element(self, i, j) for j in range(self.cols)] if i < self.rows else []

    def element_at(self, address):
        """The element whose data or gradient is at this address, or None."""
        for block in (self.data, self.grad):
            index, rest = divmod(int(address) - block, 8)
            if 0 <= index < self.rows * self.cols and rest == 0:
                return Element(self, *divmod(index, self.cols))
        return None


class Element:
    """One number of a parameter matrix, with the address of its gradient."""

    def __init__(self, parameter, i, j):
        offset = 8 * (i * parameter.cols + j)
        self.name = f"{parameter.name or 'matrix'}[{i}][{j}]"
        self.row_name = f"{parameter.name}[{i}]"
        self.grad_address = parameter.grad + offset
        self.data_address = parameter.data + offset

    @property
    def data(self):
        return memory.read(self.data_address, 1, "d")[0]

    @property
    def grad(self):
        return memory.read(self.grad_address, 1, "d")[0]


def by_name(value):
    """The matrices of a value of type Parameters or Model: {name: Parameter}."""
    if program.type_name(value) == "microgpt::Parameters":
        matrices = {program.string(item["name"]): item for item in memory.items(value["matrices_"])}
    else:
        matrices = {name: value[name] for name in _matrices}
        for i, layer in enumerate(memory.items(value["layers"])):
            matrices.update({f"layer{i}.{name}": layer[name] for name in _layer_matrices})
    return {name: Parameter(matrix, name) for name, matrix in matrices.items()}


def of_program():
    """The matrices of all variables of type Parameters or Model: those named `parameters` first, then the nearest
    frames first."""
    kinds = ("microgpt::Parameters", "microgpt::Model")
    found = [item for item in program.variables() if program.type_name(item[1]) in kinds]
    found.sort(key=lambda item: item[0] != "parameters")
    return [matrix for _, value in found for matrix in by_name(program.plain(value)).values()]


def of_matrix(value):
    """The Parameter that a Matrix of the program is; its name is "" if no variable of the program knows one."""
    names = [matrix.name for matrix in of_program() if matrix.data == int(value["data"])]
    return Parameter(value, names[0] if names else "")


def named(name):
    """The matrix of that name, or None."""
    return next((matrix for matrix in of_program() if matrix.name == name), None)


def element_at(address, matrices):
    """The element of these matrices whose data or gradient is at this address, or None."""
    found = (matrix.element_at(address) for matrix in matrices)
    return next((element for element in found if element is not None), None)
