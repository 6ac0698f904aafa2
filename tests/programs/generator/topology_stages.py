"""Stages in a row: threads with queues, processes with pipes, ranks with messages. Each stage makes some of the calls of an item.

plan.calls is a list of stages; a stage is a text in sum, which holds the item's value."""

from .code import fill
from .plan import add_main
from .topology_pipeline import add_queue
from .topology_processes import mpi_main

START = "(uint64_t)i * 0x9e3779b97f4a7c15u ^ i"


def _stages(p, plan, texts):
    names = []
    for text in texts:
        callee, name = p.define("uint64_t sum", f"{text}\nreturn sum;", dress=p.rng.choice(["static", "noinline"]))
        names.append((callee, name))
    plan.workers_functions += [name for _, name in names]
    return [callee for callee, _ in names]


def threads(p, plan):
    p.includes("thread", "vector")
    stages = _stages(p, plan, plan.calls)
    kind, put, take = add_queue(p, p.rng.choice([4, 8, 32]))
    ways = [p.names.variable() for _ in range(len(stages) - 1)]
    for way in ways:
        p.add(f"static {kind}<uint64_t> {way};")
    runs = []
    for number, stage in enumerate(stages[:-1]):
        run = p.names.function()
        runs.append(run)
        value = START if number == 0 else f"{ways[number - 1]}.{take}()"
        p.add(fill("""
            static void $run() {
                for (uint32_t i = 0; i < ${n}u; ++i) $way.$put($stage($value));
            }""", run=run, n=plan.items, way=ways[number], put=put, stage=stage, value=value))
    plan.workers_functions += [*runs, "main"]
    crew = p.names.variable()
    starts = "\n".join(f"{crew}.emplace_back({run});" for run in runs)
    add_main(p, plan.setup + "\n" + fill("""
        std::vector<std::thread> $crew;
        $starts
        for (uint32_t i = 0; i < ${n}u; ++i) total += $stage($way.$take());
        for (auto& one : $crew) one.join();""", crew=crew, starts=starts, n=plan.items, stage=stages[-1], way=ways[-1], take=take))


def processes(p, plan):
    p.includes("sys/wait.h", "unistd.h", "cstdlib" if p.is_cpp else "stdlib.h")
    plan.calls = [plan.calls[0], "\n".join(plan.calls[1:])] if len(plan.calls) > 2 else plan.calls
    first, last = _stages(p, plan, plan.calls)
    run, batch = p.names.function(), p.rng.choice([1, 4, 16])
    plan.items = plan.items // batch * batch
    plan.workers_functions += [run, "main"]
    p.add(fill("""
        static void $run(int out) {
            uint64_t part[$batch];
            for (uint32_t i = 0; i < ${n}u; ++i) {
                part[i % ${batch}u] = $first($start);
                if (i % ${batch}u == ${batch}u - 1 && write(out, part, sizeof part) != (ssize_t)sizeof part) _exit(1);
            }
        }""", run=run, batch=batch, n=plan.items, first=first, start=START))
    add_main(p, plan.setup + "\n" + fill("""
        int ends[2];
        if (pipe(ends) != 0) return 1;
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            $run(ends[1]);
            _exit(0);
        }
        close(ends[1]);
        uint64_t part[$batch];
        for (uint32_t i = 0; i < ${n}u; i += ${batch}u) {
            if (read(ends[0], part, sizeof part) != (ssize_t)sizeof part) return 1;
            for (unsigned k = 0; k < ${batch}u; ++k) total += $last(part[k]);
        }
        waitpid(child, 0, 0);""", run=run, batch=batch, n=plan.items, last=last))


def ranks(p, plan):
    """The first rank sends each value to the second."""
    p.includes("mpi.h")
    plan.calls = [plan.calls[0], "\n".join(plan.calls[1:])] if len(plan.calls) > 2 else plan.calls
    first, last = _stages(p, plan, plan.calls)
    rank, send, take = p.names.variable(), p.names.function(), p.names.function()
    p.add(fill("""
        static void $send(void) {
            for (uint32_t i = 0; i < ${n}u; ++i) {
                uint64_t value = $first($start);
                MPI_Ssend(&value, 1, MPI_UINT64_T, 1, 7, MPI_COMM_WORLD);
            }
        }

        static uint64_t $take(void) {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < ${n}u; ++i) {
                uint64_t value = 0;
                MPI_Recv(&value, 1, MPI_UINT64_T, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += $last(value);
            }
            return sum;
        }""", send=send, take=take, n=plan.items, first=first, last=last, start=START))
    plan.workers_functions += [send, take, "main", "MPI_Recv", "MPI_Ssend"]
    mpi_main(p, fill("""
        int $rank = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &$rank);
        $setup
        uint64_t part = 0;
        if ($rank == 0) $send();
        if ($rank == 1) part = $take();
        MPI_Reduce(&part, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);""", rank=rank, setup=plan.setup, send=send, take=take), rank)


def exchange(p, plan):
    """Ranks that give each other a row after each step; plan.calls is what is done before and after the message."""
    p.includes("mpi.h")
    rank, step_name, row = p.names.variable(), p.names.function(), p.names.variable()
    size = p.rng.choice([16, 256, 1000])
    before, own, after = plan.calls
    plan.workers_functions += [step_name, "main", "MPI_Recv", "MPI_Wait", "MPI_Send"]
    p.add(fill("""
        static uint64_t $name(int rank, uint32_t step) {
            static uint64_t $row[$size];
            uint64_t sum = 0, key = step * 0x9e3779b97f4a7c15u + (uint64_t)rank;
            if (rank == 0) {
                $row[step % ${size}u] = step * 3;
                «$before¦»
                MPI_Send($row, $size, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD);
                «¦$before»
                $after
            } else {
                $own
                MPI_Recv($row, $size, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += $row[step % ${size}u];
                $after
                $before
            }
            return sum;
        }""", name=step_name, row=row, size=size, before=before, own=own, after=after))
    mpi_main(p, fill("""
        int $rank = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &$rank);
        $setup
        uint64_t part = 0;
        for (uint32_t step = 0; step < ${steps}u; ++step) {
            part += $name($rank, step);
            if (step % ${often}u == ${often}u - 1) MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Reduce(&part, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);""", rank=rank, setup=plan.setup, steps=plan.steps, often=plan.often, name=step_name), rank)
