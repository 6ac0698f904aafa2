"""test_options.py ROOT KYMO: the options in the documents' examples exist.

Each `kymo VERB …` in README.md and docs/*.md, in a block or in a line, up to what follows a pipe, a comment or " -- ": its options are in that
verb's --help. With an option that no verb has, the check must fail; it is tried.
"""

import pathlib
import re
import subprocess
import sys

ROOT, KYMO = pathlib.Path(sys.argv[1]), sys.argv[2]
HELP = {}


def help_of(verb):
    if verb not in HELP:
        HELP[verb] = subprocess.run([KYMO, *verb.split(), "--help"], capture_output=True, text=True, timeout=60).stdout
    return HELP[verb]


def verbs():
    return re.findall(r"^  ([a-z]+)  ", help_of(""), re.MULTILINE)


def examples(text):
    """Spans of code, lines of fenced blocks, lines indented as code."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()] + [line for line in text.splitlines() if line.startswith("    ")]
    return re.findall(r"`(kymo [^`]+)`", text) + [line for line in lines if "kymo " in line]


def options_of(example, known):
    """(verb, option) of each command in it; a verb of gpu goes with it."""
    for found in re.finditer(r"(?<![\w/-])kymo (%s)\b([^|#;&`]*)" % "|".join(known), example):
        verb, rest = found[1], found[2].split(" -- ")[0]
        if verb == "gpu" and (second := re.match(r" (\w+)", rest)):
            verb = f"gpu {second[1]}"
        for option in re.findall(r"(?<!\S)(--[a-z-]+|-[a-zA-Z])\b", rest):
            yield verb, option


def mistakes_in(text, known):
    found = [(verb, option, example) for example in examples(text) for verb, option in options_of(example, known)]
    return len(found), [f"kymo {verb} has no {option}: {example.strip()}" for verb, option, example in found
                        if not re.search(re.escape(option) + r"(?![\w-])", help_of(verb))]


def main():
    known = verbs()
    bad, count = [], 0
    for page in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]:
        options, mistakes = mistakes_in(page.read_text(), known)
        count += options
        bad += [f"{page.name}: {mistake}" for mistake in mistakes]
    bad += [] if mistakes_in("`kymo report --no-such-option REC.kymo`", known)[1] else ["an option that does not exist is not noticed"]
    print(*bad, f"{len(known)} verbs, {count} options in examples, {len(bad)} to mend", sep="\n")
    return 1 if bad or count < 100 or len(known) < 10 else 0


sys.exit(main())
