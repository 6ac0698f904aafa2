"""test_words.py SOURCE: text that users read says each thing by its one name (docs/glossary.md).

Collects every string of the program and of the page that reads like a sentence, and the pages under docs/, and looks for the words that
the glossary's last column has given up; and, in these and in the comments of src/, include/ and web/src/, for a few turns of phrase that
no native speaker uses."""
import pathlib
import re
import subprocess
import sys

# Of the glossary's older words those that are right elsewhere: only a reader can tell.
AMBIGUOUS = {"space", "neighbours", "round", "look", "find", "beat", "kept by"}
# Beside the glossary: of a connection or a message these were used until it had them.
MORE = ["offenders", "visits", "laps", "folders", "folder", "unsaid", "control points", "reigns"]
THINGS = "file|folder|directory|program|process|recording|number|address|host|option|port|thread|sample|frame|row|node|leaf|rank"
TURNS = [rf"(?<!there )\bis no ({THINGS})\b", r"\bparted by\b", r"\bbe had\b", r"\b(is|are) (told|had)\b", r"\btells? of\b", r"\bwhoever\b",
         r"\bleave \S+ away\b"]
# Of comments alone: in a user's text some of these are right ("as far as it goes"), and comments keep some of the older words.
COMMENT_TURNS = TURNS + [r"\btold apart\b", r"\b(be|was|were) told\b", r"\b(some|any)body\b", r"\banew\b", r"\blooked at\b", r"\bunsaid\b",
                         r"\bparted\b", r"(?<!user )\bknows\b", r"\bas it goes\b", r"\bstands (at|beside|there)\b"]
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')

# Literals come first: "//" in one of them does not begin a comment.
COMMENT = re.compile(r'''"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+'|`(?:[^`\\]|\\.)*`|(//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/)''', re.DOTALL)


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
        lines = code.splitlines()
        for match in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', code):
            line = code.count("\n", 0, match.start()) + 1
            if lines[line - 1].lstrip().startswith("#include"):
                continue
            yield line, "".join(part[1:-1] for part in LITERAL.findall(match[0]))
    else:
        for match in TEXT.finditer(re.sub(r"(?m)^\s*//.*$", "", text)):
            yield text.count("\n", 0, match.start()) + 1, match[0][1:-1]


def comments(text):
    """(line, text) of a source's comments, lines that follow each other as one."""
    for match in COMMENT.finditer(text):
        if match[1]:
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"(?m)^[ \t]*(//|/?\*)? *", "", match[1])


def line_of(line, text, match):
    return line + text.count("\n", 0, match.start())


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
    given = given_up((source / "docs" / "glossary.md").read_text())
    wrong = re.compile("|".join([rf"\b{re.escape(word)}\b" for word in given] + TURNS), re.IGNORECASE)
    wrong_in_comments = re.compile("|".join(COMMENT_TURNS).replace(" ", r"\s"), re.IGNORECASE)
    seen, seen_comments, problems = 0, 0, []
    for path in files:
        name = path.relative_to(source)
        is_page = name.parts[:2] == ("web", "src") and path.suffix == ".ts"
        text = path.read_text(errors="replace") if is_page or path.suffix in (".cpp", ".h", ".md") else ""
        if is_page or name.parts[0] == "src" and path.suffix != ".md":
            found = [(line, words) for line, words in strings(path, text) if " " in words]
        else:
            found = list(prose(text)) if name.parts[0] == "docs" and path.name != "glossary.md" else []
        seen += len(found)
        problems += [f"{name}:{line}: '{match[0]}' in: {words.strip()[:110]}" for line, words in found if (match := wrong.search(words))]
        if is_page or name.parts[0] in ("src", "include"):
            for line, words in comments(text):
                seen_comments += 1
                problems += [f"{name}:{line_of(line, words, match)}: '{' '.join(match[0].split())}' in a comment" for match in wrong_in_comments.finditer(words)]
    if seen < 2000 or seen_comments < 2000 or len(given) < 10:
        problems.append(f"only {seen} texts, {seen_comments} comments and {len(given)} words were examined")
    print(*problems, sep="\n")
    print(f"{seen} texts and {seen_comments} comments, {len(problems)} to mend (the words: docs/glossary.md)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
