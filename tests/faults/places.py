"""A fixed sample of the mutants that cosmic-ray makes of the package.

Of cosmic-ray's operators those are used that make a fault somebody could have written: `a - b`
for `a + b`, not `a << b`, which any test notices. Each place is drawn at most once. What is drawn
depends on the text of a line and on the definition around it, so an edit elsewhere leaves the
sample as it is.

Left out is what no test of behaviour can or should notice: annotations (but not what is called in
them, `Field(ge=1)` say), errors' sentences, asserts, and the decorators that only make faster.
"""

import ast
import functools
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.syntax import definitions

_SWAPS = {
    "ReplaceBinaryOperator": (
        "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "FloorDiv_Mul", "Mod_FloorDiv",
        "Pow_Mul", "RShift_LShift", "LShift_RShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitOr",
    ),
    "ReplaceComparisonOperator": (
        *(f"{a}_{b}" for a, b in itertools.permutations(("Lt", "LtE", "Gt", "GtE"), 2)),
        "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is", "Eq_LtE", "Eq_GtE",
    ),
    "ReplaceUnaryOperator": ("Delete_USub", "Delete_Not", "Delete_Invert"),
}  # fmt: skip
_OTHERS = (
    "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr",
    "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak",
    "ExceptionReplacer", "NumberReplacer", "RemoveDecorator", "ZeroIterationForLoop",
)  # fmt: skip
OPERATORS = (*(f"{kind}_{swap}" for kind, swaps in _SWAPS.items() for swap in swaps), *_OTHERS)
_ONLY_FASTER = {"kernel", "functools.cache", "functools.lru_cache", "cache", "lru_cache"}
_ONLY_TOLD = {"abstractmethod", "abc.abstractmethod", "override", "overload", "final"}

Position = tuple[int, int]
Span = tuple[Position, Position]


@dataclass(frozen=True)
class Mutant:
    """One edit that an operator makes.

    Attributes
    ----------
    file : str
    definition : str
        The function or class around it, with those around that.
    operator : str
    occurrence : int
        Of the operator in the file.
    start, end : tuple of int
        Line (from one) and column.
    rank : str
        A hash that orders all mutants at random.
    """

    file: str
    definition: str
    operator: str
    occurrence: int
    start: Position
    end: Position
    rank: str

    @property
    def is_of_kernel(self) -> bool:
        """Whether numba compiles what it changes; what says that it does, Python does not see."""
        return "/kernels/" in self.file and "Decorator" not in self.operator

    def applied(self, text: str) -> str:
        """What the file then says."""
        from cosmic_ray.mutating import mutate_code

        changed: str | None = mutate_code(text, _operators()[self.operator], self.occurrence)
        assert changed is not None
        return changed


@functools.cache
def _operators():
    from cosmic_ray import plugins

    return {name: plugins.get_operator(f"core/{name}")() for name in OPERATORS}


def sample(sources: dict[str, str], size: int, seed: int) -> list[Mutant]:
    """Draw mutants of some files, given with their text; at most one of each place."""
    places: dict[tuple[str, Position, Position], Mutant] = {}
    for file, text in sources.items():
        for mutant in _all(file, text, seed):
            place = (mutant.file, mutant.start, mutant.end)
            places[place] = min(places.get(place, mutant), mutant, key=lambda one: one.rank)
    # drawn by the hash of the place: more operators at a place do not make it likelier
    drawn = sorted(places.values(), key=lambda one: _hash("place", one.rank[-16:]))
    possible = (one for one in drawn if _can_be_made(one, sources[one.file]))
    return list(itertools.islice(possible, size))


def _can_be_made(mutant: Mutant, text: str) -> bool:
    try:
        mutant.applied(text)
    except AttributeError:  # of the tool: an exception named with its module has no name to it
        return False
    return True


def _all(file: str, text: str, seed: int) -> Iterator[Mutant]:
    from cosmic_ray.ast import ast_nodes, get_ast

    nodes = list(ast_nodes(get_ast(text)))
    kept = _Kept(text)
    lines = text.splitlines()
    times: dict[tuple[str, ...], int] = {}
    for name, operator in _operators().items():
        positions = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(positions):
            if not kept.wanted(name, start, end):
                continue
            definition = kept.definition(start[0])
            line = lines[start[0] - 1].strip()
            words = (str(seed), file, definition, line, str(start[1]))
            # the same line twice in one function: told apart by their order
            number = times[name, *words] = times.get((name, *words), 0) + 1
            rank = _hash(name, *words, str(number)) + _hash(*words, str(_line_number(lines, start)))
            yield Mutant(file, definition, name, occurrence, start, end, rank)


def _line_number(lines: list[str], start: Position) -> int:
    """Which of the lines of a file with one text it is."""
    text = lines[start[0] - 1]
    return sum(line == text for line in lines[: start[0]])


def _hash(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


class _Kept:
    """What of a file is worth a mutant."""

    def __init__(self, text: str) -> None:
        self._left_out: list[Span] = []
        self._brought_back: list[Span] = []
        self._decorators: dict[int, str] = {}
        self._definitions = definitions(text)
        self._lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            self._see(node)

    def wanted(self, operator: str, start: Position, end: Position) -> bool:
        if operator == "RemoveDecorator":
            return self._decorators[start[0]] not in _ONLY_FASTER | _ONLY_TOLD
        if any(first <= start and end <= last for first, last in self._brought_back):
            return True
        return not any(first <= start and end <= last for first, last in self._left_out)

    def definition(self, line: int) -> str:
        around = [one for one in self._definitions if line in one.lines]
        return min(around, key=lambda one: len(one.lines)).name if around else ""

    def _see(self, node: ast.AST) -> None:
        for one in getattr(node, "decorator_list", ()):
            self._decorators[one.lineno] = ast.unparse(getattr(one, "func", one))
        if isinstance(node, ast.Assert):
            self._left_out.append(self._span(node))
        if isinstance(node, ast.Raise):
            told = (one for one in ast.walk(node) if isinstance(one, ast.JoinedStr))
            self._left_out += map(self._span, told)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.expr):
                self._left_out.append(self._span(annotation))
                calls = (one for one in ast.walk(annotation) if isinstance(one, ast.Call))
                self._brought_back += map(self._span, calls)

    def _span(self, node: ast.stmt | ast.expr) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first = self._position(node.lineno, node.col_offset)
        return first, self._position(node.end_lineno, node.end_col_offset)

    def _position(self, line: int, column: int) -> Position:
        # ast counts bytes, parso counts characters
        return line, len(self._lines[line - 1].encode()[:column].decode())
