"""Processes: fork with shared memory or pipes, and MPI ranks."""

from .code import fill, indent
from .plan import add_main


def fork(p, plan):
    p.includes("sys/mman.h", "sys/wait.h", "unistd.h", "cstdlib" if p.is_cpp else "stdlib.h")
    v = p.names.variable
    run, launch, slots, child = p.names.function(), p.names.function(), v(), v()
    p.functions += [run, launch]
    plan.workers_functions += [run]
    plan.makers += [launch]
    plan.waiters += [launch, "main"]
    body = f"(void)w;\nuint64_t sum = 0;\nfor (uint32_t step = first; step < last; ++step) {{\n    {plan.loop('i', 'w')} sum += {plan.call('i', 'step', 'w')};\n}}\nreturn sum;"
    p.add(f"static uint64_t {run}(unsigned w, uint32_t first, uint32_t last) {{\n{indent(body)}\n}}")
    count = plan.workers
    pipes = p.rng.random() < 0.5
    if pipes:
        before, give = f"int ends[{count}][2];", f"const uint64_t mine = {run}(w, first, last);\n            if (write(ends[w][1], &mine, sizeof mine) != (ssize_t)sizeof mine) _exit(1);"
        each = "if (pipe(ends[w]) != 0) exit(1);"
        take = "uint64_t theirs = 0;\nif (read(ends[w][0], &theirs, sizeof theirs) != (ssize_t)sizeof theirs) exit(1);\nclose(ends[w][0]);\nclose(ends[w][1]);\nsum += theirs;"
        after = ""
    else:
        cast = "(uint64_t*)"
        before = f"uint64_t* {slots} = {cast}mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);"
        give, each, take, after = f"{slots}[w] = {run}(w, first, last);", "", f"sum += {slots}[w];", f"munmap({slots}, 4096);"
    wait = f"waitpid({child}[w], 0, 0);"
    bad_wait = f" «{wait}¦»" if plan.premature else ""
    late = f"«¦{wait}»" if plan.premature else wait
    if plan.poll:
        late = plan.poll(f"waitpid({child}[w], 0, WNOHANG) != 0", wait)
    collect = f"{late}\n{take}" if not pipes or plan.poll or plan.premature else f"{take}\n{late}"
    p.add(fill("""
        static uint64_t $launch(uint32_t first, uint32_t last) {
            $before
            pid_t $child[$count];
            for (unsigned w = 0; w < $count; ++w) {
                $each
                $child[w] = fork();
                if ($child[w] == 0) {
                    $give
                    _exit(0);
                }$bad_wait
            }
            uint64_t sum = 0;
            for (unsigned w = 0; w < $count; ++w) {
                $collect
            }
            $after
            return sum;
        }""", launch=launch, before=before, child=child, count=count, each=each, give=give.replace("\n            ", "\n"), bad_wait=bad_wait,
        collect=collect, after=after))
    if plan.churn:
        text = f"«for (uint32_t step = 0; step < {plan.steps}u; ++step) total += {launch}(step, step + 1);¦total += {launch}(0, {plan.steps}u);»"
    elif plan.between or plan.poll or plan.premature or plan.steps < 12:
        inner = f"total += {launch}(step, step + 1);" + ("\n" + plan.between if plan.between else "")
        text = f"for (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n{indent(inner)}\n}}"
    else:
        text = f"total += {launch}(0, {plan.steps}u);"
    add_main(p, plan.setup + "\n" + text)


def mpi(p, plan):
    p.includes("mpi.h")
    v, name = p.names.variable, p.names.function()
    rank, size, sum_ = v(), v(), v()
    p.functions.append(name)
    plan.workers_functions.append(name)
    plan.waiters += [name, "main", "MPI_Reduce", "MPI_Allreduce", "MPI_Barrier"]
    plan.workers = "size"
    p.add(fill("""
        static uint64_t $name(unsigned w, unsigned size, uint32_t step) {
            uint64_t sum = 0;
            $loop sum += $call;
            return sum;
        }""", name=name, loop=plan.loop("i", "w"), call=plan.call("i", "step", "w")))
    meeting = p.rng.choice(["MPI_Allreduce(&$mine, &$all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);",
                            "MPI_Reduce(&$mine, &$all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);"])
    mine, all_ = v(), v()
    meeting = meeting.replace("$mine", mine).replace("$all", all_)
    between = ""
    if plan.between:
        between = f"if ({rank} == 0) {{\n{indent(plan.between)}\n}}\nMPI_Barrier(MPI_COMM_WORLD);"
    text = fill("""
        int $rank = 0, $size = 1;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &$rank);
        MPI_Comm_size(MPI_COMM_WORLD, &$size);
        $setup
        for (uint32_t step = 0; step < ${steps}u; ++step) {
            uint64_t $mine = $name((unsigned)$rank, (unsigned)$size, step), $all = 0;
            $meeting
            total += $all;
            $between
        }""", rank=rank, size=size, setup=plan.setup, steps=plan.steps, name=name, mine=mine, all=all_, meeting=meeting, between=between)
    mpi_main(p, text, rank)


def mpi_main(p, text, rank):
    """main of a rank: the first prints."""
    add_main(p, text, "int argc, char** argv", cleanup="MPI_Finalize();")
    p._parts[-1] = p._parts[-1].replace("    printf(", f"    if ({rank} == 0) printf(", 1)
