"""Names that a program may have, and that must not command the terminal they are shown on: of threads, functions, files, folders and
arguments. Bytes are looked at as they come out, on every way out."""

import json
import os
import re
import shutil

from harness import main

ESCAPE = b"\x1b[31m"
C1 = "\u009b31m".encode()
TURNED = "\u202e".encode()
# Controls but for the line break, C1 both ways, marks of direction.
UNFIT = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")


def out_of(test, *command):
    done = test.run(*command, text=False)
    test.equal(f"kymo {command[1]} ends well", 0, done.returncode)
    if done.returncode != 0:
        print(done.stderr.decode(errors="replace")[:1000])
    return done.stdout, done.stderr


def check_fit(test, what, text, valid=True):
    found = UNFIT.search(text)
    test.check(f"{what}: nothing that commands a terminal", None, found and text[max(0, found.start() - 60):found.end() + 20], found is None)
    forged = [line for line in text.split(b"\n") if line.startswith(b"forged")]
    test.equal(f"{what}: lines that a name began", [], forged)
    try:
        text.decode()
        whole = True
    except UnicodeDecodeError as error:
        whole = str(error)
    test.equal(f"{what}: is UTF-8", True, whole)


def body(test):
    plain = test.program("hostile_names").read_bytes()
    name = b"hostile_function_0123456789"
    hostile = (b"h" + ESCAPE + b"\nforged\r" + C1 + TURNED + b"\xfc").ljust(len(name), b"_")
    test.check("the function's name fits", len(name), len(hostile), len(hostile) == len(name))
    test.check("the function's name is in the file", "≥ 1", plain.count(name), plain.count(name) >= 1)
    folder = os.fsencode(test.work) + b"/f" + ESCAPE + b"\nforged" + TURNED + b"\xe4"
    os.mkdir(folder)
    os.chmod(folder, 0o755)
    program = folder + b"/p" + ESCAPE + b"\nforged" + C1
    with open(program, "wb") as file:
        file.write(plain.replace(name, hostile))
    os.chmod(program, 0o755)
    arguments = [b"t" + ESCAPE + b"\nforged", b"u" + C1 + TURNED + b"\xff\r"]
    done, recording = test.record(*map(os.fsdecode, (program, *arguments)), text=False)
    test.equal("kymo record", 0, done.returncode)
    check_fit(test, "kymo record", done.stderr)

    text, told = out_of(test, test.kymo, "report", recording)
    check_fit(test, "kymo report", text + told)
    test.check("kymo report: shows the function, its escape written out", "h\\x1b[31m", text[:3000], b"h\\x1b[31m\\nforged" in text)
    test.check("kymo report: shows the thread", "t\\x1b[31m", text[:3000], b"t\\x1b[31m\\nforg" in text)

    text, told = out_of(test, test.kymo, "report", "--json", recording)
    check_fit(test, "kymo report --json", text + told)
    report = json.loads(text)
    names = [entry["function"] for entry in report["functions"]]
    test.check("JSON: the function's name", "h\\x1b[31m\\nforged…", names[:3], any(entry.startswith("h\\x1b[31m\\nforged\\r") for entry in names))
    test.equal("JSON: the arguments are the program's own", arguments[0].decode(), report["recording"]["command"][1])

    text, told = out_of(test, test.kymo, "export", recording, "--to", "folded")
    check_fit(test, "kymo export --to folded", text + told)

    for form in ("speedscope", "chrome", "firefox"):
        text, told = out_of(test, test.kymo, "export", recording, "--to", form)
        check_fit(test, f"kymo export --to {form}", text + told)
        test.check(f"{form}: shows the thread", "t\\x1b[31m", text[:2000], b"t\\\\x1b[31m" in text and bool(json.loads(text)))
    queries = "select * from run; select * from process; select * from thread; select name, module, file from function"
    for options in ([], ["--csv"], ["--json"]):
        text, told = out_of(test, test.kymo, "sql", recording, queries, *options)
        check_fit(test, f"kymo sql {' '.join(options)}", text + told)
    test.must(test.kymo, "export", recording, "--to", "csv", "-o", test.work / "tables")
    for table in sorted((test.work / "tables").iterdir()):
        check_fit(test, table.name, table.read_bytes())

    if shutil.which("node"):
        text, told = out_of(test, test.kymo, "view", recording, "-o", test.work / "page.html")
        check_fit(test, "kymo view", text + told)

    # A file that somebody else put into the folder.
    with open(os.fsencode(recording) + b"/process-1-0" + ESCAPE + b"\nforged" + C1 + b".krec", "wb") as file:
        file.write(b"no recording")
    text, told = out_of(test, test.kymo, "report", recording)
    check_fit(test, "kymo report with a strange file", text + told)
    test.check("the strange file is told", "process-1-0\\x1b[31m", told[:500] + text[-2000:], b"process-1-0\\x1b[31m\\nforged" in text + told)


if __name__ == "__main__":
    main(body)
