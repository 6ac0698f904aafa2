"""Every function of CUDA's half-precision headers (cuda_fp16.h, cuda_bf16.h) that this nvcc declares, called in a kernel under `kymo gpu run`.

The functions are read from the headers. Those that run on the host as well must give the same bits there; the others are held against double
precision: to the bit where the result is exact (fma, roundings to whole numbers), else within two units of the last place. Where a program
cannot run, the instruction that Kymo lacks is named.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "truth"))

from harness import main  # noqa: E402

FORMATS = {"FP16": ("cuda_fp16.h", "__half"), "BF16": ("cuda_bf16.h", "__nv_bfloat16")}
# Functions of one number on the device alone, by the name behind h or h2: the same in double precision.
IN_DOUBLE = {"trunc": "trunc(x)", "ceil": "ceil(x)", "floor": "floor(x)", "rint": "nearbyint(x)", "sqrt": "sqrt(x)", "rsqrt": "1 / sqrt(x)",
             "rcp": "1 / x", "log": "log(x)", "log2": "log2(x)", "log10": "log10(x)", "exp": "exp(x)", "exp2": "exp2(x)", "exp10": "pow(10.0, x)",
             "cos": "cos(x)", "sin": "sin(x)", "tanh": "tanh(x)", "tanh_approx": "tanh(x)"}
# Each by or from 1, among 32 lanes: the lane whose value arrives.
SHUFFLES = {"__shfl_sync": "i / 32 * 32 + 1", "__shfl_up_sync": "i % 32 == 0 ? i : i - 1", "__shfl_down_sync": "i % 32 == 31 ? i : i + 1",
            "__shfl_xor_sync": "i ^ 1"}

HEAD = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <cstring>
static const int kCount = 256;
static unsigned state = 12345;
static unsigned draw() { return state = state * 1664525u + 1013904223u, state >> 8; }
static unsigned short pattern(int i) {
    static const unsigned short special[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 0x80, 0x4248, 0x4900};
    const int n = sizeof special / sizeof *special;
    return i < n ? special[i] : i < 128 ? 0x3800 + draw() % 0x1400 + 0x8000 * (draw() % 2) : draw() & 0xffff;
}
template <typename T> static void fill(T* at) {
    for (int i = 0; i < kCount; ++i) for (size_t k = 0; k < sizeof(T) / 2; ++k) { const unsigned short v = pattern((i + 37 * (int)(draw() % 7)) % kCount); memcpy((char*)(at + i) + 2 * k, &v, 2); }
}
static void fill(float* at) { for (int i = 0; i < kCount; ++i) at[i] = i < 8 ? (float)(i - 4) : ldexpf((float)(int)(draw() % 20001 - 10000), (int)(draw() % 24) - 20); }
static void fill(double* at) { for (int i = 0; i < kCount; ++i) at[i] = i < 8 ? i - 4 : ldexp((double)(int)(draw() % 20001 - 10000), (int)(draw() % 24) - 20); }
static void fill(float2* at) { fill((float*)at); for (int i = 0; i < kCount; ++i) at[i].y = at[i].x * 0.75f; }
template <typename T> static T* device(const T* from) { T* at = nullptr; cudaMalloc(&at, kCount * sizeof(T)); cudaMemcpy(at, from, kCount * sizeof(T), cudaMemcpyHostToDevice); return at; }
static bool is_nan(__half a) { return __hisnan(a); }
static bool is_nan(__nv_bfloat16 a) { return __hisnan(a); }
static bool is_nan(float a) { return a != a; }
template <typename T> static bool is_nan(T) { return false; }
template <typename T> static bool same(T a, T b) { return memcmp(&a, &b, sizeof a) == 0 || (is_nan(a) && is_nan(b)); }
static bool same(float2 a, float2 b) { return same(a.x, b.x) && same(a.y, b.y); }
static bool same(__half2 a, __half2 b) { return same(a.x, b.x) && same(a.y, b.y); }
static bool same(__nv_bfloat162 a, __nv_bfloat162 b) { return same(a.x, b.x) && same(a.y, b.y); }
static double number(__half a) { return __half2float(a); }
static double number(__nv_bfloat16 a) { return __bfloat162float(a); }
static void put(double v, __half& to) { to = __double2half(v); }
static void put(double v, __nv_bfloat16& to) { to = __double2bfloat16(v); }
template <typename T> static bool near(T got, double wanted, int places) {
    T right; put(wanted, right);
    if (is_nan(got) || is_nan(right)) return is_nan(got) && is_nan(right);
    unsigned short a, b; memcpy(&a, &got, 2); memcpy(&b, &right, 2);
    if (places == 0) return a == b;
    const int x = a & 0x8000 ? -(a & 0x7fff) : a, y = b & 0x8000 ? -(b & 0x7fff) : b;
    return x - y <= places && y - x <= places;
}
template <typename T> static void print(const T& v) { for (size_t k = 0; k < sizeof(T); ++k) printf("%02x", ((const unsigned char*)&v)[sizeof(T) - 1 - k]); }
// a + b for an exact a, rounded to odd, so that rounding it once more is right.
static double sum(double a, double b) {
    const double s = a + b, part = s - a, rest = (a - (s - part)) + (b - part);
    long long bits; memcpy(&bits, &s, 8);
    if (rest == 0 || rest != rest || bits & 1 || s - s != 0) return s;
    bits += (rest > 0) == (s > 0) ? 1 : -1;
    double odd; memcpy(&odd, &bits, 8);
    return odd;
}
static double saturated(double v) { return v != v || v < 0 ? 0 : v > 1 ? 1 : v; }
static double positive(double v) { return v < 0 ? 0 : v; }
static int called = 0, wrong = 0;
"""


def functions_of(header, prefix):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)
    seen = set()
    for at_host, result, name, arguments in re.findall(rf"__CUDA_(HOSTDEVICE_)?{prefix}_DECL__\s+([\w ]+?)\s*(\w+)\(([^)]*)\)\s*;", text):
        kinds = []
        for argument in filter(None, (one.split("=")[0].replace("const", "").strip() for one in arguments.split(","))):
            kinds.append(re.sub(r"\b\w+$", "", argument).strip())
        if (name, tuple(kinds)) not in seen:
            seen.add((name, tuple(kinds)))
            yield bool(at_host), result.strip(), name, kinds


def expected(at_host, result, name, kinds, one):
    """The check of a result r of arguments a0, a1, …, as C++; None: this test knows no answer."""
    if at_host:
        return f"same(r, {name}({', '.join(f'a{i}[i]' for i in range(len(kinds)))}))"
    pair = f"{one}2"
    if kinds and kinds[0].endswith("*"):  # a load, or an atomic, which gives the value before
        return "same(r, a0[i])"
    if name in SHUFFLES:
        return f"same(r, a1[{SHUFFLES[name]}])"
    places = 0
    if (kinds == [one] * 3 or kinds == [pair] * 3) and "cmadd" not in name:  # fma: rounded once
        formula = "sum(number(a0[i]{0}) * number(a1[i]{0}), number(a2[i]{0}))"
        formula = f"saturated({formula})" if name.endswith("_sat") else f"positive({formula})" if name.endswith("_relu") else formula
    else:
        known = re.fullmatch(r"h2?(\w+)", name)
        known = known and IN_DOUBLE.get(known.group(1))
        if not known or kinds not in ([one], [pair]) or result not in (one, pair):
            return None
        places = 0 if known.split("(")[0] in ("trunc", "ceil", "floor", "nearbyint") else 2
        formula = known.replace("x", "number(a0[i]{0})").replace("enumber(a0[i]{0})p", "exp")
    if result == pair:
        return " && ".join(f"near(r.{part}, {formula.format('.' + part)}, {places})" for part in "xy")
    return f"near(r, {formula.format('')}, {places})"


def program_of(include):
    kernels, calls, known = [], [], 0
    for prefix, (header, one) in FORMATS.items():
        for number, (at_host, result, name, kinds) in enumerate(functions_of(include / header, prefix)):
            if result == "void":
                continue
            kernel = f"k_{prefix}_{number}"
            pointers = [kind.endswith("*") for kind in kinds]
            parameters = [f"{kind.rstrip('*').strip()}* a{i}" for i, kind in enumerate(kinds)]
            given = [f"a{i} + i" if is_pointer else f"a{i}[i]" for i, is_pointer in enumerate(pointers)]
            kernels.append(f"__global__ void {kernel}({', '.join([*parameters, f'{result}* out'])}) "
                           f"{{ const int i = threadIdx.x; out[i] = {name}({', '.join(given)}); }}")
            check = expected(at_host, result, name, kinds, one)
            known += check is not None
            body = [f"{{ static {result} got[kCount]; {result}* out = device(got); ++called; int bad = 0;"]
            for i, kind in enumerate(kinds):
                plain = kind.rstrip("*").strip()
                body.append(f"static {plain} a{i}[kCount]; fill(a{i}); {plain}* d{i} = device(a{i});")
                if "sync" in name and i != 1:
                    body.append(f"for (int i = 0; i < kCount; ++i) a{i}[i] = {('0xffffffff', '', '1', '32')[i]}; d{i} = device(a{i});")
            body.append(f"{kernel}<<<1, kCount>>>({', '.join([*(f'd{i}' for i in range(len(kinds))), 'out'])});")
            body.append(f"if (int e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)) {{ printf(\"REFUSED {name} {e_format(kinds)}: error %d\\n\", e); cudaGetLastError(); ++wrong; }}")
            if check:
                shown = f"print(a0[i]); printf(\" \"); print(r);" if kinds else "print(r);"
                body.append(f"else for (int i = 0; i < kCount; ++i) {{ const {result} r = got[i]; (void)r; if (!({check})) {{ if (bad++ == 0) {{ printf(\"WRONG {name} {e_format(kinds)}: \"); {shown} printf(\"\\n\"); }} }} }}")
            body.append("wrong += bad != 0; }")
            calls.append("    " + " ".join(body))
    return HEAD + "\n".join(kernels) + "\nint main() {\n" + "\n".join(calls) + \
        f"\n    printf(\"%d functions called, {known} of them checked, %d wrong\\n\", called, wrong);\n    return wrong != 0;\n}}\n", known


def e_format(kinds):
    return f"({', '.join(kinds)})"


def body(test):
    compiler = pathlib.Path("/usr/local/cuda/bin/nvcc")
    if not compiler.exists():
        test.skip("nvcc is not installed")
    source, known = program_of(compiler.parents[1] / "include")
    (test.work / "halves.cu").write_text(source)
    for architecture in ("80", "90"):
        made = test.run(compiler, "-O1", "-cudart", "shared", f"-gencode=arch=compute_{architecture},code=compute_{architecture}", "-o",
                        f"halves{architecture}", "halves.cu", env={"PATH": f"{compiler.parent}:/usr/bin:/bin", "TMPDIR": str(test.work)})
        if not test.check(f"nvcc for compute_{architecture}", 0, made.stderr[-2000:], made.returncode == 0):
            continue
        gpu = "a100-pcie" if architecture == "80" else "h100-pcie"
        done = test.run(test.kymo, "gpu", "run", "--gpu", gpu, "--", test.work / f"halves{architecture}")
        lines = [line for line in done.stdout.splitlines() if line.startswith(("WRONG", "REFUSED"))]
        told = next((line for line in done.stdout.splitlines() if "functions called" in line), "nothing")
        print("\n".join(lines), done.stderr[:3000])
        test.check(f"compute_{architecture}: all functions right", f"more than 300 checked, 0 wrong", told,
                   told.endswith(" 0 wrong") and known > 300 and done.returncode == 0)


main(body)
