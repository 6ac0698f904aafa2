"""test_headers.py SOURCE COMPILER_C COMPILER_CXX: every public header alone as each C and C++ that it promises, with warnings that users like
and as errors; and every C and C++ example of docs/ as it stands.
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source, own_c, own_cpp = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
C = ("c99", "c11", "c17")
CPP = ("c++11", "c++14", "c++17", "c++20")
failures = 0
checks = 0


def compiles(what, compiler, standard, code, *options):
    global failures, checks
    checks += 1
    language = "c++" if standard.startswith("c++") else "c"
    command = (compiler, f"-std={standard}", "-pedantic", *WARNINGS, *options, f"-I{source / 'include'}", "-fsyntax-only", "-x", language, "-")
    done = subprocess.run(command, input=code, capture_output=True, text=True)
    if done.returncode != 0:
        failures += 1
        print(f"FAILED: {what}, {compiler} -std={standard} {' '.join(options)}\n{done.stderr[:1500]}")


compilers = {(own_c, own_cpp)}
if shutil.which("clang") and shutil.which("clang++"):
    compilers.add(("clang", "clang++"))
headers = sorted(path.name for path in (source / "include/kymo").iterdir())
for c, cpp in sorted(compilers):
    for name in headers:
        for standard in CPP if name.endswith(".hpp") else C + CPP:
            compiles(f"<kymo/{name}>", c if standard in C else cpp, standard, f"#include <kymo/{name}>\nint main(void) {{ return 0; }}\n")
    # Switched off; before and behind headers that declare what ours do without.
    others = "#include <time.h>\n#include <dlfcn.h>\n"
    for standard, name in itertools.product(("c99", "c++11", "c++20"), ("metrics.h", "metrics.hpp")):
        if standard != "c99" or name == "metrics.h":
            compiler = c if standard in C else cpp
            for code in (f"{others}#include <kymo/{name}>\n", f"#include <kymo/{name}>\n{others}"):
                compiles(f"<kymo/{name}> among others", compiler, standard, f"{code}int main(void) {{ return 0; }}\n")
            compiles(f"<kymo/{name}> switched off", compiler, standard, f"#include <kymo/{name}>\nint main(void) {{ return 0; }}\n", "-DKYMO_DISABLE")
examples = 0
for page in sorted((source / "docs").glob("*.md")):
    for language, code in re.findall(r"^```(c|cpp)\n(.*?)^```", page.read_text(), re.S | re.M):
        examples += 1
        compiles(f"an example of docs/{page.name}", own_c if language == "c" else own_cpp, "c99" if language == "c" else "c++17", code)
print(f"{len(headers)} headers and {examples} examples: {checks - failures} of {checks} compile")
sys.exit(1 if failures or not examples or len(headers) < 5 else 0)
