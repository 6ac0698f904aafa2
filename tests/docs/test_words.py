"""test_words.py SOURCE: text that users read says each thing by its one name (docs/glossary.md).

Collects every string of the program and of the page that reads like a sentence, and the pages under docs/, and looks for the words that
the glossary's last column has given up; and for a few turns of phrase that no native speaker uses."""
import pathlib
import re
import subprocess
import sys

# Of the glossary's older words those that are right elsewhere: only a reader can tell.
AMBIGUOUS = {"space", "neighbours", "round", "look", "find", "beat", "kept by"}
# Beside the glossary: of a connection or a message these were used until it had them.
MORE = ["offenders", "visits", "laps", "folders", "folder", "unsaid", "control points", "reigns"]
TURNS = [r"(?<!there )\bis no (file|folder|directory|program|recording|number|address|host|option|port)\b", r"\bparted by\b", r"\bto be had\b", r"\bleave \S+ away\b"]
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')


def given_up(glossary):
    words = set(MORE)
    for line in glossary.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[2] not in ("", "older", "---"):
            words |= {word.strip() for word in cells[2].split(",")} - AMBIGUOUS
    return sorted(words)


def strings(path, text):
    """(line, text) of a source's strings; parts of one that follow each other are one."""
    if path.suffix in (".cpp", ".h"):
        code = re.sub(r"//[^\n]*", "", text)
        for match in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', code):
            line = code.count("\n", 0, match.start()) + 1
            if code.splitlines()[line - 1].lstrip().startswith("#include"):
                continue
            yield line, "".join(part[1:-1] for part in LITERAL.findall(match[0]))
    else:
        for match in TEXT.finditer(re.sub(r"(?m)^\s*//.*$", "", text)):
            yield text.count("\n", 0, match.start()) + 1, match[0][1:-1]


def prose(text):
    """A page's lines without its code."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def main():
    source = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False).stdout.split("\n")
    files = [source / name for name in listed if name] or [path for path in source.rglob("*") if path.is_file()]
    words = given_up((source / "docs" / "glossary.md").read_text())
    wrong = re.compile("|".join([rf"\b{re.escape(word)}\b" for word in words] + TURNS), re.IGNORECASE)
    seen, problems = 0, []
    for path in files:
        name = path.relative_to(source)
        if name.parts[0] == "src" and path.suffix in (".cpp", ".h") or name.parts[:2] == ("web", "src") and path.suffix == ".ts":
            found = [(line, text) for line, text in strings(path, path.read_text(errors="replace")) if " " in text]
        elif name.parts[0] == "docs" and path.suffix == ".md" and path.name != "glossary.md":
            found = list(prose(path.read_text()))
        else:
            continue
        seen += len(found)
        problems += [f"{name}:{line}: '{match[0]}' in: {text.strip()[:110]}" for line, text in found if (match := wrong.search(text))]
    if seen < 2000 or len(words) < 10:
        problems.append(f"only {seen} texts and {len(words)} words were looked at")
    print(*problems, sep="\n")
    print(f"{seen} texts, {len(problems)} to mend (the words: docs/glossary.md)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
