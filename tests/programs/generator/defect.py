"""The list of defects. A local defect is a function of one key with a bad and a fixed form; a structural one changes the plan."""

import dataclasses

LOCAL, STRUCTURAL = {}, {}  # kind: variants


@dataclasses.dataclass
class Piece:
    callee: str
    functions: list          # in which the defect is
    lane: bool = False       # callee wants the number of the worker, too


@dataclasses.dataclass
class Variant:
    name: str
    make: object
    cost: tuple = (0.0, 0.0)     # nanoseconds a unit on one processor, bad and fixed
    units: tuple = (1, 1)        # units an item, from and to
    c: bool = False              # whether its text is C as well
    kinds: tuple = ()            # accepted beside the kind itself
    topologies: tuple = ()       # only these
    without: tuple = ()          # not these
    most: float = 4.0            # ratio at most
    steps: tuple = (1, 12)
    flags: tuple = ()


def local(kind, cost, units, **options):
    def register(make):
        LOCAL.setdefault(kind, []).append(Variant(make.__name__, make, cost, units, **options))
        return make
    return register


def structural(kind, topologies, **options):
    def register(make):
        STRUCTURAL.setdefault(kind, []).append(Variant(make.__name__, make, topologies=tuple(topologies), **options))
        return make
    return register


def kinds():
    return sorted(set(LOCAL) | set(STRUCTURAL))


def setting(p, variable):
    """Statements that let the environment set a variable, so that no compiler takes it for a constant."""
    p.includes("cstdlib" if p.is_cpp else "stdlib.h")
    name = variable.upper()
    return f'if (getenv("{name}")) {variable} = atoi(getenv("{name}"));\n'
