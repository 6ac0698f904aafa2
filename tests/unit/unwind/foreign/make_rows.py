"""make_rows.py ARCHITECTURE COMPILER...: a file of rows for foreign_rows_test.cpp, on standard output.

Compiles functions.c beside it with COMPILER (a cross compiler with its options), and writes the code, .eh_frame and each row as
`readelf --debug-dump=frames-interp` prints it. So what the unwinder computes is compared with what binutils computes. The
files were made with

    make_rows.py aarch64 aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard
    make_rows.py riscv64 riscv64-linux-gnu-gcc -O2
    make_rows.py riscv64 riscv64-linux-gnu-gcc -O2 -fno-omit-frame-pointer
    make_rows.py loongarch64 clang-19 --target=loongarch64-linux-gnu -O2 -fuse-ld=lld-19

and the test needs none of these.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What readelf calls the return address, the frame pointer and the stack pointer.
NAMES = {"aarch64": ("ra", "x29", "sp"), "riscv64": ("ra", "s0", "sp"), "loongarch64": ("ra", "r22", "r3")}


def section(library, name):
    """Its address and bytes."""
    headers = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"{re.escape(name)} +PROGBITS +(\w+) (\w+) (\w+)", headers)
    address, offset, size = (int(number, 16) for number in found.groups())
    return address, pathlib.Path(library).read_bytes()[offset:offset + size]


def rows(library, names):
    """(address, "sp+16 ra=c-8 fp=c-16") for each row; "none" behind a function."""
    text = subprocess.run(["readelf", "--debug-dump=frames-interp", library], capture_output=True, text=True, check=True).stdout
    ra, fp, sp = names
    initial = None
    for part in text.split("\n\n"):
        head = re.search(r"(CIE|FDE).*", part)
        if not head:
            continue
        lines = [line.split() for line in part.splitlines() if re.match(r" +LOC|[0-9a-f]{16} [a-z]", line)]
        columns = lines[0] if lines else []
        table = []
        for values in lines[1:]:
            row = dict(zip(columns, values))
            base, offset = re.match(r"(.+)([+-]\d+)", row["CFA"]).groups()
            rule = {sp: "sp", fp: "fp"}.get(base, base) + offset
            for name, column in (("ra", ra), ("fp", fp)):
                rule += f" {name}={row[column]}" if row.get(column, "u") != "u" else ""
            table.append((int(row["LOC"], 16), rule))
        if head.group(1) == "CIE":
            initial = table[0][1]
            continue
        begin, end = (int(number, 16) for number in re.search(r"pc=(\w+)\.\.(\w+)", part).groups())
        yield from table or [(begin, initial)]
        yield end, "none"


def main():
    architecture, compiler = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/functions.so"
        source = pathlib.Path(__file__).with_name("functions.c")
        subprocess.run([*compiler, "-fPIC", "-shared", "-nostdlib", "-fasynchronous-unwind-tables", source, "-o", library], check=True)
        print("#", architecture, "by", " ".join(compiler))
        for name in (".text", ".eh_frame"):
            address, content = section(library, name)
            print(f"{name[1:]} {address:x}")
            for at in range(0, len(content), 48):
                print(content[at:at + 48].hex())
        print("rows")
        last = {}
        for address, rule in rows(library, NAMES[architecture]):
            if rule != "none" or address not in last:
                last[address] = rule
        for address in sorted(last):
            print(f"{address:x} {last[address]}")


main()
