"""examples/ci/compare-builds on a real library: nlohmann-json as this machine has it, and a copy of its source in which a function was made slower.
The pipeline fails and names that function; the same build twice passes.

Arguments: BUILD any SOURCES
"""

import os
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main

HEADERS = pathlib.Path("/usr/include/nlohmann")
LEXER = "detail/input/lexer.hpp"
BEFORE = "    void skip_whitespace()\n    {\n"
PLANTED = BEFORE + "        for (volatile int planted = 0; planted < 20; planted = planted + 1)\n        {\n        }\n"
EXCEEDED = 12


def body(test):
    if not (HEADERS / LEXER).exists() or BEFORE not in (HEADERS / LEXER).read_text():
        test.skip("this machine's nlohmann-json is another one")
    here = pathlib.Path(__file__).resolve().parent
    copy = test.work / "copy/nlohmann"
    shutil.copytree(HEADERS, copy)
    (copy / LEXER).write_text((HEADERS / LEXER).read_text().replace(BEFORE, PLANTED))
    for name, includes in (("base", []), ("new", ["-isystem", copy.parent])):
        test.must("g++", "-std=c++17", "-O2", "-g", *includes, "-o", test.work / name, here / "reads_json.cpp", timeout=300)

    def pipeline(out, first, second):
        script = pathlib.Path(test.arguments[0]).resolve() / "examples/ci/compare-builds"
        return test.run(script, "-l", "3%", "-o", test.work / out, test.work / first, test.work / second, 60, env={**os.environ, "KYMO": str(test.kymo)}, timeout=300)

    planted = pipeline("planted", "base", "new")
    print(planted.stdout)
    test.equal("a function of the library was made slower: the pipeline fails", EXCEEDED, planted.returncode)
    test.check("and says by how much", "grew by", planted.stderr, "processor time grew by" in planted.stderr)
    slower = planted.stdout.split("### Slower functions")[-1].split("###")[0]
    first = next((line for line in slower.splitlines() if line.startswith("| `")), "")
    test.check("the function is named first", "skip_whitespace", first, "skip_whitespace" in first)
    equal = pipeline("equal", "base", "base")
    test.equal("the same build twice: the pipeline passes", 0, equal.returncode)


main(body)
