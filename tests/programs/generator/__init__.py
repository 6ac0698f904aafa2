"""Writes small parallel programs with one planted performance defect each.

A program is composed: compose.py draws a topology (topology_*.py: who runs the items), innocent work (kernels.py) behind functions
in many dresses (code.Program.define, plan.wrap), a decoy, and one variant of a defect (defects_*.py). A text «bad¦fixed» is the
only difference between the two versions, so both are made at once.

To add a variant of a local defect, write a function of (p, n, plan) that adds a C++ (or C) function of one 64-bit key and returns
Piece(callee, [functions in which the defect is]), and register it:

    @local("kind", (bad, fixed), (from, to), c=True, kinds=("also accepted",))

where the costs are nanoseconds a unit on one processor (calibrate.py KIND measures them) and an item has from..to units. To add a
structural one, write a function of (p, plan, info) that sets what the topology may be asked for (plan.Plan), calls
plans.add_entry and info.emit, and returns the accepted answers and the strength; register it with @structural("kind", topologies).
A new module is imported in compose.py. Then: check.py --kinds KIND --variants --run."""
