"""docs/requirements.md and docs/patents.md name code and tests that are there. Argument: the source's folder."""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
TABLE = "\n".join((ROOT / "docs" / page).read_text() for page in ("requirements.md", "patents.md"))


def main():
    sources = {path: path.read_text(errors="replace") for pattern in ("*_test.cpp", "CMakeLists.txt") for path in (ROOT / "tests").rglob(pattern)}
    units = {f"{match[1]}.{match[2]}" for path, text in sources.items() if path.suffix == ".cpp"
             for match in re.finditer(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", text, re.MULTILINE)}
    built = "\n".join(text for path, text in sources.items() if path.suffix == ".txt")
    bad, rows = [], 0
    for line in TABLE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("required", "described", "---"):
            continue
        rows += 1
        code, held = re.findall(r"`([^`]+)`", cells[1]), re.findall(r"`([^`]+)`", cells[2])
        bad += [f"no such file: {name}" for name in code if not (ROOT / name).is_file()]
        if cells[1] == "–":
            bad += [] if cells[2].startswith("not ") else [f"no code, and not said to be lacking: {cells[0]}"]
            continue
        bad += [] if code and held else [f"without code or test: {cells[0]}"]
        for name in held:
            suite, _, rest = name.partition(".")
            if suite == "guest":  # one test for each program
                bad += [] if list((ROOT / "tests/guest/programs").glob(f"{rest}.c*")) else [f"no such test: {name}"]
                continue
            there = name in units if suite[0].isupper() else re.search(rf"kymo_(?:facts|truth)\({rest}\b|kymo_test\({re.escape(name)}\b", built)
            bad += [] if there else [f"no such test: {name}"]
    print(*bad, f"{rows} requirements, {len(bad)} to mend", sep="\n")
    return 1 if bad or rows < 30 else 0


sys.exit(main())
