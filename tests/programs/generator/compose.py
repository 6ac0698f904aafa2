"""Makes a program of a kind and a seed: draws topology, variant, strength and names, and puts the pieces together."""

import dataclasses

from . import code, plan as plans
from . import defects_compute, defects_copies, defects_library, defects_memory  # noqa: F401 (they register themselves)
from . import python_programs, defects_stages, defects_structure, defects_sync, defects_waits  # noqa: F401
from . import defect, topology

CPUS = 2


@dataclasses.dataclass
class Result:
    bad: str
    fixed: str
    truth: dict
    suffix: str


def fits(variant, name):
    info = topology.ALL[name]
    if variant.topologies and name not in variant.topologies or name in variant.without:
        return False
    return (bool(variant.topologies) or info.general) and (info.languages != ("c",) or variant.c)


def topologies(kind):
    """Names of the topologies that a kind can live in."""
    if kind == "sound":
        return [name for name, info in topology.ALL.items() if info.general]
    variants = defect.LOCAL.get(kind, []) + defect.STRUCTURAL.get(kind, [])
    return [name for name in topology.ALL if any(fits(variant, name) for variant in variants)]


def variants(kind, name=None):
    """Names of the variants of a kind, in all topologies or in one."""
    every = defect.LOCAL.get(kind, []) + defect.STRUCTURAL.get(kind, [])
    return [v.name for v in every if name is None or fits(v, name)]


def generate(kind, seed, wanted=None, wanted_variant=None):
    rng = code.source(kind, seed)
    if kind == "sound":
        return _sound(rng, seed, wanted)
    return _make(rng, kind, seed, wanted, wanted_variant)


def _sound(rng, seed, wanted):
    """Work without a defect; or a program from which one was mended."""
    if rng.random() < 0.5:
        possible = [kind for kind in defect.kinds() if wanted is None or wanted in topologies(kind)]
        made = _make(rng, rng.choice(possible), seed, wanted, None)
        made.truth |= {"repaired_from": made.truth["kind"]}
    else:
        made = _make(rng, None, seed, wanted, None)
    made.bad = made.fixed
    made.truth |= {"kind": "sound", "accepted": []}
    return made


def _make(rng, kind, seed, wanted, wanted_variant):
    drawn = rng.choice(topologies(kind or "sound"))
    if wanted_variant and not wanted and wanted_variant not in variants(kind, drawn):
        drawn = next(name for name in topologies(kind) if wanted_variant in variants(kind, name))
    name = wanted or drawn
    variant = None
    if kind:
        possible = [v for v in defect.LOCAL.get(kind, []) + defect.STRUCTURAL.get(kind, []) if fits(v, name)]
        if not possible:
            raise ValueError(f"{kind} cannot live in {name}")
        variant = rng.choice(possible)
        for other in possible:
            if other.name == wanted_variant:
                variant = other
    info = topology.ALL[name]
    languages = [language for language in info.languages if language != "c" or not variant or variant.c]
    p = code.Program(rng, rng.choice(languages), name)
    plan = plans.Plan()
    if variant and (variant in defect.STRUCTURAL.get(kind, [])):
        accepted, strength = variant.make(p, plan, info)
    elif variant:
        accepted, strength = _local(p, plan, info, kind, variant)
    else:
        accepted, strength = _plain(p, plan, info), 1.0
    if variant:
        p.flags += variant.flags
    truth = {"kind": kind or "sound", "accepted": accepted, "topology": name, "variant": variant.name if variant else "plain",
             "language": p.language, "strength": round(strength, 2), "seed": seed} | info.build(p)
    suffix = {"cpp": ".cpp", "c": ".c", "py": ".py"}[p.language]
    return Result(p.render("bad"), p.render("fixed"), truth, suffix)


def split(p, total, steps=(1, 12)):
    """Items in each step and steps, for a number of items in all."""
    count = p.rng.choice([1, p.rng.randint(*steps), p.rng.randint(*steps)]) if steps[0] == 1 else p.rng.randint(*steps)
    count = max(1, min(count, round(total) // 24))
    return max(24, round(total / count)), count


def _local(p, plan, info, kind, variant):
    rng = p.rng
    cpu = rng.uniform(0.9, 1.6) * CPUS * 1e9
    bad, fixed = variant.cost
    ratio = rng.uniform(1.35, min(3.2, variant.most))
    units = cpu * (1 - 1 / ratio) / (bad - fixed)
    if units * bad > 0.85 * cpu:
        units = 0.85 * cpu / bad
    n = p.number(*variant.units)
    total = units / n
    if total < 48:
        n = max(1, round(units / 48))
        total = 48
    plan.items, plan.steps = split(p, total, variant.steps)
    piece = variant.make(p, n, plan)
    plan.lane = piece.lane
    outer, wrappers = plans.wrap(p, piece.callee, rng.choice([0, 1, 1, 2, 3]), piece.lane)
    rest = (cpu - units * bad) / (plan.items * plan.steps)
    decoys, _ = plans.add_decoys(p, rest)
    tail = ", lane" if piece.lane else ""
    calls = [lambda key: f"{outer}({key}{tail})"] + decoys
    entry = plans.add_entry(p, plan, calls)
    info.emit(p, plan)
    near = wrappers[:1] if wrappers else [entry]
    functions = piece.functions + near
    strength = cpu / (cpu - units * (bad - fixed))
    return [{"kinds": [kind, *variant.kinds], "functions": functions}], strength


def _plain(p, plan, info):
    cpu = p.rng.uniform(0.8, 1.4) * CPUS * 1e9
    plan.items, plan.steps = split(p, p.number(200, 20000))
    calls, _ = plans.add_decoys(p, cpu / (plan.items * plan.steps), count=p.rng.randint(2, 4))
    plans.add_entry(p, plan, calls)
    info.emit(p, plan)
    return []
