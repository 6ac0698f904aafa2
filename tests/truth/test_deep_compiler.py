"""A compiler in templates that lie hundreds deep: its stack is thousands of frames deep and never the same twice.

Recursion is folded, so the recording is small and no path is dropped; what is reported of it needs little memory.
"""

import resource

from harness import alarms, main

FAMILIES = 12
MEMORY = 300 << 20  # bytes, of the report
A_SAMPLE = 400  # bytes of the recording; whole paths of 4,096 frames would take 50,000


def source():
    lines = []
    for k in range(FAMILIES):
        lines.append(f"""
template <int N> struct A{k} {{
    static constexpr unsigned long value = A{k}<N - 1>::value * 3 + N % 7;
    template <class X> static constexpr auto g(X x) {{ return A{k}<N - 1>::g(x + 1) + int(value & 3); }}
}};
template <> struct A{k}<0> {{
    static constexpr unsigned long value = {k};
    template <class X> static constexpr auto g(X x) {{ return x; }}
}};
constexpr auto v{k} = A{k}<{700 + k}>::value;
constexpr auto w{k} = A{k}<300>::g(1);
""")
    return "".join(lines)


def body(test):
    compiler = test.tool("g++", "g++")
    (test.work / "deep.cpp").write_text(source())
    done, path = test.record(compiler, "-std=c++17", "-ftemplate-depth=2000", "-fsyntax-only", test.work / "deep.cpp",
                             options=["-F", "2000"])
    test.equal("exit status", 0, done.returncode)
    report = test.report(path)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    recording = report["recording"]
    samples = recording["samples"]
    test.check("samples", "> 500", samples, samples > 500)
    test.check("with recursion folded", "> 30 %", recording["call_paths"]["folded"],
               recording["call_paths"]["folded"] > 0.3 * samples)
    test.equal("paths without room", 0, recording["call_paths"]["by_cause"].get("no_room", 0))
    test.equal("alarms", [], alarms(report))
    size = sum(file.stat().st_size for file in path.iterdir())
    test.check("bytes of the recording", f"≤ {A_SAMPLE} a sample and 1 MiB", size, size <= A_SAMPLE * samples + (1 << 20))
    test.check("memory of what recorded, compiled and reported", "≤ 300 MiB", f"{peak >> 20} MiB", peak <= MEMORY)
    deepest = max((len(frames) for frames, _ in test.folded(path)), default=0)
    test.check("frames on the longest path", "≤ 1,000", deepest, 10 < deepest <= 1000)


main(body)
