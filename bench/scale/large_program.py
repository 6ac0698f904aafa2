"""large_program.py OUT [MEGABYTES [UNITS]]: builds a program with so much debug information (2,000 MB), in so many compilation units (256), and with
a main function that works in every sixteenth. One unit is compiled, and copied under other names: compiling them all would take hours.
"""

import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

UNIT = r"""
#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
namespace {
template <int N> struct Cell { double value[N % 7 + 1]; std::map<int, std::vector<Cell<N / 2>*>> peers; std::variant<int, double, std::string> name; };
template <> struct Cell<0> { double value[1]; };
template <int N> __attribute__((noinline)) double relax(double x) {
    Cell<N> cell{};
    for (double& value : cell.value) value = x += 1.0 / (x + N);
    if constexpr (N > 1) { if (x < 0) { cell.peers[N].push_back(nullptr); std::cout << std::regex_match("a", std::regex("a")); } return relax<N - 1>(x); }
    return cell.value[0];
}
}
extern "C" double unit_entry(double x) { if (x < -1) x = relax<DEPTH>(x); for (int i = 0; i < 100000; ++i) x = relax<3>(x); return x; }
"""


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def debug_bytes(path):
    """Of the debug sections, without relocations."""
    listing = subprocess.run(["readelf", "-SW", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = (line.replace("[ ", "[").split() for line in listing.splitlines() if " .debug_" in line and "PROGBITS" in line)
    return sum(int(row[5], 16) for row in rows if row[1] in (".debug_info", ".debug_line", ".debug_rnglists", ".debug_loclists"))


def main():
    out = pathlib.Path(sys.argv[1])
    wanted = int(sys.argv[2] if len(sys.argv) > 2 else 2000) * 1_000_000
    units = int(sys.argv[3] if len(sys.argv) > 3 else 256)
    with tempfile.TemporaryDirectory(dir=out.parent) as name:
        work = pathlib.Path(name)
        (work / "unit.cpp").write_text(UNIT)
        depth, unit = 8, work / "unit.o"
        while True:  # until one unit has its share
            run("g++", "-std=c++20", "-g", "-O1", "-ftemplate-depth=4000", f"-DDEPTH={depth}", "-c", work / "unit.cpp", "-o", unit)
            size = debug_bytes(unit)
            if size * units >= wanted or depth >= 512:
                break
            depth *= 2
        units = max(units, -(-wanted // size))
        print(f"{units} units of {size / 1e6:.2f} MB", flush=True)
        copies = [work / f"unit{i}.o" for i in range(units)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda i: run("objcopy", "--redefine-sym", f"unit_entry=unit_entry_{i}", unit, copies[i]), range(units)))
        calls = "".join(f'extern "C" double unit_entry_{i}(double);\n' for i in range(units))
        body = "".join(f"x = unit_entry_{i}(x);\n" for i in range(0, units, 16))
        (work / "main.cpp").write_text(f"#include <cstdlib>\n{calls}int main(int argc, char** argv) {{ double x = argc; for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; --i) {{ {body} }} return x < 0; }}\n")
        run("g++", "-g", "-O1", "-Wl,--build-id", work / "main.cpp", *copies, "-o", out, "-lpthread")
    print(f"{out}: {out.stat().st_size / 1e6:,.0f} MB, debug information {debug_bytes(out) / 1e6:,.0f} MB")


main()
