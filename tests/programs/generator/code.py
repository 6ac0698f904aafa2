"""What a program is made of: names, and text in which the two versions differ only where «bad¦fixed» says so."""

import random
import re
import string
import textwrap

from . import words

TWIN = re.compile("«([^«»¦]*)¦([^«»¦]*)»", re.S)
RESERVED = {"index", "signal", "link", "read", "write", "time", "remove", "round", "select", "union", "yield", "exp", "log", "gamma"}


def fill(text, /, **names):
    """A template's text; the lines of a value are indented as the line that it stands in, and an empty one leaves no line."""
    out = []
    for line in textwrap.dedent(text).strip("\n").splitlines():
        space = line[:len(line) - len(line.lstrip())]
        values = {key: str(value).replace("\n", "\n" + space) for key, value in names.items()}
        filled = string.Template(line).substitute(values)
        if filled.strip() or not line.strip():
            out.append(filled)
    return "\n".join(out)


def indent(text, depth=1):
    return textwrap.indent(text, "    " * depth)


class Names:
    """Draws names of one domain in one style; none comes twice."""

    def __init__(self, rng):
        self._rng = rng
        self.domain, self._nouns, self._verbs = words.domain(rng)
        self._style = rng.choice(["snake", "camel", "pascal"])
        self._used = set(RESERVED)

    def _unique(self, make):
        for attempt in range(1000):
            name = make()
            if attempt > 50:
                name += str(attempt)
            if name.lower() not in self._used:
                self._used.add(name.lower())
                return name
        raise RuntimeError("no names left")

    @staticmethod
    def _join(parts, style):
        parts = "_".join(parts).split("_")
        if style == "snake":
            return "_".join(parts)
        joined = "".join(part.capitalize() for part in parts)
        return joined if style == "pascal" else joined[0].lower() + joined[1:]

    def function(self):
        def make():
            noun = [self._rng.choice(self._nouns)]
            if self._rng.random() < 0.4:
                noun = [self._rng.choice(words.ADJECTIVES)] + noun
            if self._rng.random() < 0.3:
                noun = noun + [self._rng.choice(words.UNITS)]
            return self._join([self._rng.choice(self._verbs)] + noun, self._style)
        return self._unique(make)

    def type(self):
        return self._unique(lambda: self._join([self._rng.choice(self._nouns), self._rng.choice(words.UNITS)], "pascal"))

    def variable(self):
        style = "snake" if self._style == "pascal" else self._style
        return self._unique(lambda: self._join([self._rng.choice(words.ADJECTIVES), self._rng.choice(self._nouns)], style))

    def constant(self):
        return self._unique(lambda: "k" + self._join([self._rng.choice(self._nouns), self._rng.choice(words.UNITS)], "pascal"))


class Program:
    """The text of a program in the making, and what is true of it."""

    def __init__(self, rng, language, topology):
        self.rng, self.language, self.topology = rng, language, topology
        self.names = Names(rng)
        self.flags, self.libraries, self.compiler = [], [], None
        self.environment = []  # NAME=VALUE
        self._includes, self._parts = set(), []
        self.functions = []  # all that run in parallel, for defects whose place is any of them
        if language == "py":
            self._style_python()
        else:
            self.includes("cstdint", "cstdio") if self.is_cpp else self.includes("stdint.h", "stdio.h")

    def _style_python(self):
        self._includes.clear()
        self._imports = set()
        self.names._style = "snake"

    def add_import(self, line):
        self._imports.add(line)

    @property
    def is_cpp(self):
        return self.language == "cpp"

    def includes(self, *headers):
        self._includes |= set(headers)

    def add(self, text):
        self._parts.append(text.strip("\n"))

    def number(self, low, high):
        """Log-uniform: small numbers are as likely as large ones."""
        return round(low * (high / low) ** self.rng.random())

    def odd(self):
        return f"0x{self.rng.getrandbits(63) | 1:x}u" + ("ll" if self.is_cpp else "ll")

    def define(self, params, body, result="uint64_t", dress=None, name=None, helper=False):
        """Adds a function in one of many dresses; returns what a caller writes before the bracket, and the name."""
        rng = self.rng
        name = name or self.names.function()
        if dress is None:
            choices = ["static", "noinline", "plain", "inline"] + (["template", "member", "anonymous", "space"] if self.is_cpp else [])
            dress = rng.choice(choices)
        self.functions.append(name)
        text = f"{result} {name}({params}) {{\n{indent(body)}\n}}"
        if dress == "static":
            self.add("static " + text)
        elif dress == "inline":
            self.add("static inline " + text)
        elif dress == "noinline":
            self.add("__attribute__((noinline)) static " + text)
        elif dress == "plain":
            self.add(text if self.is_cpp else "static " + text)
        elif dress == "anonymous":
            self.add(f"namespace {{\n{text}\n}}  // namespace")
        elif dress == "space":
            space = self.names.variable()
            self.add(f"namespace {space} {{\n{text}\n}}  // namespace {space}")
            return f"{space}::{name}", name
        elif dress == "template":
            if rng.random() < 0.5:
                self.add(f"template <unsigned Level>\n{text}")
                return f"{name}<{rng.randint(1, 9)}>", name
            self.add(f"template <typename Result>\n{text.replace(result + ' ' + name, 'Result ' + name, 1)}")
            return f"{name}<{result}>", name
        elif dress == "member":
            owner = self.names.type()
            if rng.random() < 0.5:
                self.add(f"struct {owner} {{\n{indent('static ' + text)}\n}};")
                return f"{owner}::{name}", name
            self.add(f"class {owner} {{\npublic:\n{indent(text.replace(') {', ') const {', 1))}\n}};")
            return f"{owner}{{}}.{name}", name
        return name, name

    def render(self, version):
        heads = sorted(f"#include <{header}>" for header in self._includes)
        between = "\n\n"
        if self.language == "py":
            heads, between = sorted(self._imports), "\n\n\n"
        text = "\n".join(heads) + between + between.join(self._parts) + "\n"
        while TWIN.search(text):
            text = TWIN.sub(lambda match: match[1 if version == "bad" else 2], text)
        lines = [line.rstrip() for line in text.splitlines()]
        out = []
        for line in lines:  # an empty version of a line leaves no gap
            if line or (out and out[-1]) or self.language == "py":
                out.append(line)
        return "\n".join(out) + "\n"


def source(kind, seed):
    return random.Random(f"{kind}:{seed}")
