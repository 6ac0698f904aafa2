"""The list of topologies: who emits them, in which languages, and how their programs are built and run."""

import dataclasses

from . import topology_handed, topology_omp, topology_pipeline, topology_processes, topology_stages, topology_threads


@dataclasses.dataclass
class Info:
    emit: object
    languages: tuple = ("cpp",)
    general: bool = True       # takes any local defect
    handed: bool = False       # hands over pieces of plan.grain items
    run: tuple = ("BINARY",)
    compiler: dict = dataclasses.field(default_factory=lambda: {"cpp": "g++", "c": "gcc"})

    def build(self, p):
        if p.language == "py":
            return {"build": [], "run": ["python3", "SOURCE"], "environment": p.environment}
        standard = "-std=c++20" if p.language == "cpp" else "-std=gnu11"
        flags = list(dict.fromkeys(["-pthread", *p.flags]))
        return {"build": [self.compiler[p.language], standard, "-O2", "-g", *flags, "SOURCE", "-o", "BINARY", *p.libraries],
                "run": list(self.run), "environment": p.environment}


ALL = {
    "threads": Info(topology_threads.threads),
    "pthreads": Info(topology_threads.pthreads, ("c",)),
    "pool": Info(topology_handed.pool, handed=True),
    "futures": Info(topology_handed.futures, handed=True),
    "coroutines": Info(topology_handed.coroutines, handed=True),
    "openmp": Info(topology_omp.loops, ("cpp", "c")),
    "tasks": Info(topology_omp.tasks, ("cpp", "c"), handed=True),
    "pipeline": Info(topology_pipeline.farm, handed=True),
    "fork": Info(topology_processes.fork, ("cpp", "c")),
    "mpi": Info(topology_processes.mpi, ("cpp", "c"), run=("mpirun", "-np", "2", "BINARY"), compiler={"cpp": "mpicxx", "c": "mpicc"}),
    "py-threads": Info(None, ("py",), general=False, run=("python3", "SOURCE")),
    "py-plain": Info(None, ("py",), general=False, run=("python3", "SOURCE")),
    "py-processes": Info(None, ("py",), general=False, run=("python3", "SOURCE")),
    "stages": Info(topology_stages.threads, general=False),
    "pipes": Info(topology_stages.processes, ("cpp", "c"), general=False),
    "ranks": Info(topology_stages.ranks, ("cpp", "c"), general=False, run=("mpirun", "-np", "2", "BINARY"), compiler={"cpp": "mpicxx", "c": "mpicc"}),
    "exchange": Info(topology_stages.exchange, ("cpp", "c"), general=False, run=("mpirun", "-np", "2", "BINARY"), compiler={"cpp": "mpicxx", "c": "mpicc"}),
}
