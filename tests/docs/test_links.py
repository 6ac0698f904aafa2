"""test_links.py SOURCES: every link between the pages of the documentation leads somewhere, to a heading where it names one; every page
is listed in docs/README.md; files of the sources that pages name are there; what comments say about pages by name, and about their
sections, is there;
docs/recording-format.md has every table with its number; README.md stays within 90 lines."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
# A page; with an anchor, or with a heading in quotes.
NAMED = re.compile(r"\bdocs/[A-Za-z0-9_-]+\.md\b(?:#([\w-]+)|, \"([^\"]+)\")?")
TABLE = re.compile(r'kTable = "([\w-]+)";\s*static constexpr std::uint32_t kTableId = (\d+);')
OF_SOURCES = re.compile(r"`((?:src|tests|bench|examples|scripts|web|cmake|include|gpus)/[\w./-]*)`")
CONTINUED = re.compile(r"\n\s*(?://|#|\*) ?")  # of a comment over several lines
SOURCES = ("src", "include", "tests", "bench", "examples", "scripts", "web/src", "cmake")
SUFFIXES = {".h", ".cpp", ".c", ".py", ".ts", ".txt", ".cmake", ".md", ""}


def anchor(heading):
    """As forges make it of a heading: lower case, without punctuation and markup, blanks as hyphens."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def anchors(page):
    lines, fenced, found = page.read_text().splitlines(), False, set()
    for line in lines:
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            found.add(anchor(line.lstrip("#").strip()))
    return found


def has_part(page, part, heading):
    """Headings may be quoted as they are; so may what a page has in bold letters."""
    if part:
        return part in anchors(page)
    return not heading or anchor(heading) in anchors(page) or re.search(rf"\*\*{re.escape(heading)}\.?\*\*", page.read_text()) is not None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [*root.glob("*.md"), *(root / "docs").glob("*.md")]
    broken, linked, checked = [], set(), 0
    for page in pages:
        for target in LINK.findall(page.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            checked += 1
            path, _, part = target.partition("#")
            to = (page.parent / path).resolve() if path else page
            if page == root / "docs" / "README.md":
                linked.add(to)
            if not to.exists():
                broken.append(f"{page.relative_to(root)}: {target}: there is no such file")
            elif part and to.suffix == ".md" and part not in anchors(to):
                broken.append(f"{page.relative_to(root)}: {target}: there is no such heading")
        for name in OF_SOURCES.findall(page.read_text()):
            if re.search(r"/[A-Z]+[./]", name):
                continue  # capitals stand for a name
            checked += 1
            if page.name != "CHANGELOG.md" and not (root / name).exists():
                broken.append(f"{page.relative_to(root)}: {name}: there is no such file")
    broken += [f"docs/README.md does not list {page.name}" for page in (root / "docs").glob("*.md")
               if page.name != "README.md" and page.resolve() not in linked]
    for folder in SOURCES:
        for file in (root / folder).rglob("*"):
            if file.is_file() and file.suffix in SUFFIXES and "node_modules" not in file.parts:
                text = CONTINUED.sub(" ", file.read_text(errors="replace"))
                for match in NAMED.finditer(text):
                    checked += 1
                    named = root / re.sub(r"\.md.*", ".md", match.group(), flags=re.DOTALL)
                    if not named.exists():
                        broken.append(f"{file.relative_to(root)}: {match.group()}: there is no such page")
                    elif not has_part(named, *match.groups()):
                        broken.append(f"{file.relative_to(root)}: {match.group()}: the page has no such section")
    written = (root / "docs" / "recording-format.md").read_text()
    for header in (root / "src" / "recording" / "tables").glob("*.h"):
        for name, number in TABLE.findall(header.read_text()):
            checked += 1
            if f"| {number} | `{name}` |" not in written:
                broken.append(f"docs/recording-format.md does not list table {number}, {name}")
    lines = len((root / "README.md").read_text().splitlines())
    if lines > 90:
        broken.append(f"README.md has {lines} lines: 90 at most")
    print(f"{checked} links looked at, {len(broken)} broken")
    print("\n".join(broken))
    sys.exit(1 if broken or checked < 100 else 0)


main()
