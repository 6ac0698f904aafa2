"""check-includes.py COMPILER LAYERS DOCUMENT SRC: a header outside a layer's row in the DOCUMENT must not be found from it.

The document is docs/architecture.md; a row reads "| `src/FOLDER/` | what it holds | LAYER LAYER … |".

For every layer target the compiler is given exactly the target's include folders and is asked to include every header under
SRC, one by one: those of a folder in the row must be found, all others must not. To prove that the question is put rightly,
one forbidden and one allowed include are then really compiled.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

compiler, layers_file, allowed_file, src = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])

allowed = {}
for folder, row in re.findall(r"^\| `src/(\w+)/` \|.*\| ([^|]*) \|$", pathlib.Path(allowed_file).read_text(), re.MULTILINE):
    allowed[folder] = {folder, *row.replace("—", "").split()}

headers = sorted(str(h.relative_to(src)) for h in src.rglob("*.h"))
folders = {h.split("/")[0] for h in headers}
assert folders <= allowed.keys(), f"no row in {allowed_file}: {folders - allowed.keys()}"


def compile_text(text, roots, *mode):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write(text)
        source.flush()
        return subprocess.run([compiler, "-std=c++20", *mode, *(f"-I{r}" for r in roots), "-x", "c++", source.name],
                              capture_output=True, text=True)


failures = []
forbidden_tried = 0
include_roots = {}
for line in pathlib.Path(layers_file).read_text().splitlines():
    layer, folder, roots = line.split(" ", 2)
    roots = [r for r in roots.split(":") if r and "/layers/" in r]
    include_roots[layer] = (folder, roots)
    if folder not in allowed:
        failures.append(f"{folder}: no row in {allowed_file}")
        continue
    # The preprocessor's output names, by their index, the headers that can be included from this layer.
    text = "".join(f'#if __has_include("{h}")\nfound_{i}\n#endif\n' for i, h in enumerate(headers))
    seen = compile_text(text, roots, "-E", "-P").stdout.split()
    found = {headers[int(word.removeprefix("found_"))] for word in seen}
    for header in headers:
        other = header.split("/")[0]
        if other not in allowed[folder]:
            forbidden_tried += 1
            if header in found:
                failures.append(f"{layer} can include {header}, which its row does not allow")
        elif other == folder and header not in found:
            failures.append(f"{layer} cannot include its own {header}")

# The real thing, once each way. Headers in sub-folders may be another processor's.
first = lambda folder: next((h for h in headers if h.startswith(folder + "/") and h.count("/") == 1), None)
own, foreign = first("base"), first("recording")
good = compile_text(f'#include "{own}"\n', include_roots["recording"][1], "-fsyntax-only")
bad = compile_text(f'#include "{foreign}"\n', include_roots["base"][1], "-fsyntax-only")
print(f"allowed:   recording includes {own}: {'compiles' if good.returncode == 0 else good.stderr}")
print(f"forbidden: base includes {foreign}: {bad.stderr.strip().splitlines()[0] if bad.returncode else 'COMPILES'}")
if good.returncode:
    failures.append(f"an allowed include does not compile: {good.stderr}")
if bad.returncode == 0 or "No such file" not in bad.stderr:
    failures.append("a forbidden include compiles")
if not forbidden_tried:
    failures.append("no forbidden include was tried")

print(f"{len(include_roots)} targets, {len(headers)} headers in {len(folders)} folders, {forbidden_tried} forbidden includes tried")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
