"""Pipelines with one slow stage, and messages sent late."""

from . import kernels, plan as plans
from .defect import structural


def _call(p, nanoseconds):
    callee, name = kernels.draw(p, nanoseconds)
    outer, wrappers = plans.wrap(p, callee, p.rng.choice([0, 1, 2]))
    return outer, [name, *wrappers]


@structural("pipeline-stage", ("stages", "pipes", "ranks"), c=True)
def heavy_stage(p, plan, info):
    """One stage makes two calls of which a neighbour could make one."""
    wall = p.rng.uniform(0.9, 1.6) * 1e9
    cost = p.number(60000, 600000)
    plan.items = round(wall / cost)
    share = p.rng.uniform(0.35, 0.5)   # of the heavy stage that can move
    moved, moved_names = _call(p, cost * share)
    stays, stay_names = _call(p, cost * (1 - share))
    light, light_names = _call(p, cost * p.rng.uniform(0.05, 0.15))
    move, stay = f"sum += {moved}(sum >> 3);", f"sum += {stays}(sum >> 5);"
    first = f"sum ^= {light}(sum);"
    three = p.topology == "stages" and p.rng.random() < 0.6
    if p.rng.random() < 0.5:   # the later stage is the heavy one
        plan.calls = [f"{first}\n«¦{move}»", f"«{move}¦»\n{stay}"]
        if three:
            plan.calls.append("sum ^= sum >> 9;")
    else:
        plan.calls = [f"{stay}\n«{move}¦»", f"«¦{move}»\n{first}"]
        if three:
            plan.calls.insert(0, "sum ^= sum >> 9;")
    info.emit(p, plan)
    return [{"kinds": ["pipeline-stage", "load-imbalance", "late-sender", "late-receiver"],
             "functions": [*moved_names, *stay_names, *plan.workers_functions]}], 1 / (1 - share)


@structural("late-sender", ("exchange",), c=True)
def work_first(p, plan, info):
    """The sender works before it sends what was ready already."""
    wall = p.rng.uniform(0.9, 1.5) * 1e9
    plan.steps = p.number(60, 800)
    cost = wall / plan.steps
    before, before_names = _call(p, cost * 0.5)
    own, own_names = _call(p, cost * 0.06)
    after, after_names = _call(p, cost * 0.06)
    plan.calls = [f"sum += {before}(key);", f"sum += {own}(key + 1);", f"sum += {after}(key + 2);"]
    plan.often = 1
    info.emit(p, plan)
    return [{"kinds": ["late-sender", "serial-chain"], "functions": [*before_names, *plan.workers_functions]}], 1.6


@structural("late-sender", ("ranks",), c=True)
def slow_source(p, plan, info):
    """The rank that receives waits for one that makes a call which both could share."""
    wall = p.rng.uniform(0.9, 1.5) * 1e9
    cost = p.number(300000, 2000000)
    plan.items = round(wall / cost)
    share = p.rng.uniform(0.35, 0.48)
    moved, moved_names = _call(p, cost * share)
    stays, stay_names = _call(p, cost * (1 - share))
    plan.calls = [f"sum += {stays}(sum >> 5);\n«sum += {moved}(sum >> 3);¦»", f"«¦sum += {moved}(sum >> 3);\n»sum ^= sum >> 7;"]
    info.emit(p, plan)
    return [{"kinds": ["late-sender", "late-receiver", "pipeline-stage", "load-imbalance"], "functions": [*moved_names, *stay_names, *plan.workers_functions]}], 1.7
