"""Functions as people write them in assembly: without a size, with two names, entered in the middle, begun with an instruction of AVX."""

SOURCE = r"""#include <stdio.h>
long nosize(long), second(long), entered(long), looped(long), twoname(long), twonamealias(long), vector(long);
__asm__(".text\n"
        ".globl nosize\n .type nosize, @function\n"
        "nosize: lea 1(%rdi), %rax\n add $2, %rax\n ret\n"
        ".globl second\n .type second, @function\n"
        "second: mov %rdi, %rax\n test %rdi, %rdi\n jz inside\n sub $1, %rdi\n add $10, %rax\n ret\n .size second, .-second\n"
        ".globl entered\n .type entered, @function\n"
        "entered: xor %eax, %eax\n"
        "inside: add $7, %rax\n lea (%rax,%rdi), %rax\n ret\n .size entered, .-entered\n"
        ".globl looped\n .type looped, @function\n"
        "looped: dec %rdi\n jnz looped\n mov $3, %eax\n ret\n .size looped, .-looped\n"
        ".globl twoname\n .type twoname, @function\n .globl twonamealias\n .type twonamealias, @function\n"
        "twoname: twonamealias: push %rbx\n mov %rdi, %rbx\n mov %rbx, %rax\n pop %rbx\n ret\n"
        ".size twoname, .-twoname\n .size twonamealias, .-twonamealias\n"
        ".globl vector\n .type vector, @function\n"
        "vector: vxorps %xmm0, %xmm0, %xmm0\n mov %rdi, %rax\n ret\n .size vector, .-vector\n");
int main(int count, char **words) {
    (void)words;
    long sum = 0;
    for (long i = 0; i < 100; ++i) {
        sum += nosize(i) + second(i & 1) + entered(i) + looped(i + 1) + twoname(i) + twonamealias(i) + (count > 1 ? vector(i) : 0);
    }
    printf("%ld\n", sum);
    return 0;
}
"""
SUM = str(sum((i + 3) + ((i & 1) and 11 or 7) + (i + 7) + 3 + 2 * i for i in range(100)))
# Calls of each: by hooks, and by the kernel's probes. Text: why there is none.
COUNTS = {
    "nosize": (100, 100),
    "second": (100, 100),
    "entered": ("jumps lead past its first instruction", 100),
    "looped": ("a loop leads back to its first instruction", "a loop leads back to its first instruction"),
    "twoname": (200, 200),
    "twonamealias": (200, 200),
    "vector": (0, "begins with an instruction of AVX"),
}


def check(test, json, measure, program, by_kernel):
    """Each function gives its count or is refused by name with the reason; all of them together change nothing that the program prints."""
    (test.work / "assembly.c").write_text(SOURCE)
    test.must("cc", "-O1", *(["-static"] if by_kernel else []), "-o", program, test.work / "assembly.c")
    what = "static" if by_kernel else "dynamic"
    for name, both in COUNTS.items():
        expected = both[by_kernel]
        done = measure(test, f"metric c {{ at entry {name} : add }}", program, out=f"{what}-{name}.kymo")
        if isinstance(expected, str):
            test.check(f"{what} {name}", f"{name}: {expected}", (done.returncode, done.stderr.strip()), done.returncode == 6 and f"{name}: {expected}" in done.stderr)
        else:
            own, rest = done.stderr.partition("\n")[0], done.stdout
            test.equal(f"{what} {name}: it ran as it would", SUM, own)
            test.equal(f"{what} {name}", expected, json.loads(rest)["metrics"]["c"]["value"] if rest else done.stderr)
    text = f'metric c {{ at entry "*" in {program.name} : add at exit "*" in {program.name} : add }}'
    done = measure(test, text, program, out=f"{what}-all.kymo")
    own, rest = done.stderr.partition("\n")[0], done.stdout
    test.equal(f"{what}, all functions: it ran as it would", SUM, own)
    test.check(f"{what}, all functions: as many as those that are known, or more", 2 * 400, rest, bool(rest) and json.loads(rest)["metrics"]["c"]["value"] >= 2 * 400)
