"""PTX instructions, each in a kernel of its own, and operands for them: what a GPU makes of them is what Kymo must.

Usage: instructions.py FOLDER
"""

import itertools
import lzma
import pathlib
import random
import struct
import sys

WIDTH = {"b8": 16, "s8": 16, "u8": 16, "b16": 16, "s16": 16, "u16": 16, "f16": 16, "bf16": 16, "b32": 32, "s32": 32, "u32": 32, "f32": 32,
         "f16x2": 32, "bf16x2": 32, "b64": 64, "s64": 64, "u64": 64, "f64": 64, "e4m3x2": 16, "e5m2x2": 16, "pred": 1}
INTEGERS = {16: ("s16", "u16"), 32: ("s32", "u32"), 64: ("s64", "u64")}
ROUNDINGS = ("rn", "rz", "rm", "rp")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class Table:
    """Instructions: (name, PTX with d, a, b, c for the operands, result type, operand types, how far results may differ: in units of the last
    place, or by what they are)."""

    def __init__(self):
        self.rows = []

    def add(self, op, result, *operands, text=None, apart=0, within=0.0):
        """`apart`: units of the last place that two approximations may differ by; `within`: or by how much, where PTX bounds the error so."""
        names = "abc"[:len(operands)]
        self.rows.append((op, text or f"{op} d, {', '.join(names)};", result, operands, (apart, within)))


def options(*choices):
    """Every way to choose one of each: joined."""
    return ["".join(way) for way in itertools.product(*choices)]


def integers(t):
    for width, types in INTEGERS.items():
        for kind in types:
            for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
                t.add(f"{op}.{kind}", kind, kind, kind)
            t.add(f"mad.lo.{kind}", kind, kind, kind, kind)
            t.add(f"mad.hi.{kind}", kind, kind, kind, kind)
            for op in COMPARISONS:
                t.add(f"setp.{op}.{kind}", "pred", kind, kind)
            t.add(f"shr.{kind}", kind, kind, "u32")
            if width < 64:
                wide = kind[0] + str(2 * width)
                t.add(f"mul.wide.{kind}", wide, kind, kind)
                t.add(f"mad.wide.{kind}", wide, kind, kind, wide)
            if width > 16:
                t.add(f"bfe.{kind}", kind, kind, "u32", "u32")
                t.add(f"bfind.{kind}", "u32", kind)
                t.add(f"bfind.shiftamt.{kind}", "u32", kind)
        signed = types[0]
        for op in ("abs", "neg"):
            t.add(f"{op}.{signed}", signed, signed)
        bits = f"b{width}"
        for op in ("and", "or", "xor"):
            t.add(f"{op}.{bits}", bits, bits, bits)
        t.add(f"not.{bits}", bits, bits)
        t.add(f"cnot.{bits}", bits, bits)
        t.add(f"shl.{bits}", bits, bits, "u32")
        if width > 16:
            t.add(f"brev.{bits}", bits, bits)
            t.add(f"popc.{bits}", "u32", bits)
            t.add(f"clz.{bits}", "u32", bits)
            t.add(f"bfi.{bits}", bits, bits, bits, "b32", text=f"bfi.{bits} d, a, b, c, 11;")
            t.add(f"bfi.{bits} (length)", bits, bits, bits, "b32", text=f"bfi.{bits} d, a, b, 7, c;")
    for kind in ("s32", "u32"):
        for op in ("mul24.lo", "mul24.hi"):
            t.add(f"{op}.{kind}", kind, kind, kind)
        for op in ("mad24.lo", "mad24.hi"):
            t.add(f"{op}.{kind}", kind, kind, kind, kind)
    for width in (16, 32, 64):
        for kind in INTEGERS[width]:
            t.add(f"sad.{kind}", kind, kind, kind, kind)
    t.add("add.sat.s32", "s32", "s32", "s32")
    t.add("sub.sat.s32", "s32", "s32", "s32")
    t.add("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    for kind in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            t.add(f"{op}.{kind}", "b32", "b32", "b32")
    t.add("min.relu.s32", "s32", "s32", "s32")
    t.add("max.relu.s16x2", "b32", "b32", "b32")
    t.add("min.relu.s16x2", "b32", "b32", "b32")
    for kinds in options(("u32", "s32"), (".u32", ".s32")):
        t.add(f"dp4a.{kinds}", "u32", "b32", "b32", "b32")
        for half in ("lo", "hi"):
            t.add(f"dp2a.{half}.{kinds}", "u32", "b32", "b32", "b32")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        t.add(f"prmt.b32{mode}", "b32", "b32", "b32", "b32")
    for table in (0x00, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE):
        t.add(f"lop3.b32 {table:#x}", "b32", "b32", "b32", "b32", text=f"lop3.b32 d, a, b, c, {table:#x};")
    for side, mode in itertools.product(("l", "r"), ("clamp", "wrap")):
        t.add(f"shf.{side}.{mode}.b32", "b32", "b32", "b32", "u32")
    t.add("fns.b32", "b32", "b32", "u32", "s32", text="{.reg .b32 x, y; and.b32 x, b, 31; and.b32 y, c, 63; sub.s32 y, y, 32; fns.b32 d, a, x, y;}")
    for mode in ("clamp", "wrap"):
        t.add(f"bmsk.{mode}.b32", "b32", "b32", "b32")
        for kind in ("s32", "u32"):
            t.add(f"szext.{mode}.{kind}", kind, kind, "u32")
    for width in (32, 64):
        bits = f"u{width}"
        t.add(f"addc.{bits}", bits, bits, bits, bits, text=f"add.cc.{bits} d, a, b; addc.{bits} d, d, c;")
        t.add(f"addc.cc.{bits}", bits, bits, bits, bits, text=f"add.cc.{bits} d, a, b; addc.cc.{bits} d, a, c; addc.{bits} d, d, d;")
        t.add(f"subc.{bits}", bits, bits, bits, bits, text=f"sub.cc.{bits} d, a, b; subc.{bits} d, d, c;")
        t.add(f"subc.cc.{bits}", bits, bits, bits, bits, text=f"sub.cc.{bits} d, a, b; subc.cc.{bits} d, a, c; subc.{bits} d, d, d;")
        for half in ("lo", "hi"):
            t.add(f"madc.{half}.{bits}", bits, bits, bits, bits, text=f"mad.{half}.cc.{bits} d, a, b, c; madc.{half}.{bits} d, a, c, d;")
        t.add(f"madc.hi.cc.{bits}", bits, bits, bits, bits, text=f"mad.lo.cc.{bits} d, a, b, c; madc.hi.cc.{bits} d, a, b, 0; addc.{bits} d, d, c;")
    for kind in ("s32", "s64", "u32", "f32", "f64"):
        t.add(f"slct.{kind}.s32", kind, kind, kind, "s32")
    t.add("slct.ftz.s32.f32", "s32", "s32", "s32", "f32")
    for kind, join in itertools.product(("s32", "u64", "f32"), ("and", "or", "xor")):
        t.add(f"setp.lt.{join}.{kind}", "pred", kind, kind, "b32",
              text=f"{{.reg .pred q; setp.gt.s32 q, c, 0; setp.lt.{join}.{kind} p, a, b, q;}}")
        t.add(f"set.lt.{join}.u32.{kind}", "u32", kind, kind, "b32",
              text=f"{{.reg .pred q; setp.gt.s32 q, c, 0; set.lt.{join}.u32.{kind} d, a, b, !q;}}")


def floats(t):
    for kind, ftz, sat in itertools.product(("f32",), ("", ".ftz"), ("", ".sat")):
        for rounding in ROUNDINGS:
            tail = f".{rounding}{ftz}{sat}.{kind}"
            for op in ("add", "sub", "mul"):
                t.add(op + tail, kind, kind, kind)
            t.add("fma" + tail, kind, kind, kind, kind)
            t.add("mad" + tail, kind, kind, kind, kind)
    for rounding in ROUNDINGS:
        for op in ("add", "sub", "mul", "div"):
            t.add(f"{op}.{rounding}.f64", "f64", "f64", "f64")
        t.add(f"fma.{rounding}.f64", "f64", "f64", "f64", "f64")
        for op in ("rcp", "sqrt"):
            t.add(f"{op}.{rounding}.f64", "f64", "f64")
        for ftz in ("", ".ftz"):
            t.add(f"div.{rounding}{ftz}.f32", "f32", "f32", "f32")
            for op in ("rcp", "sqrt"):
                t.add(f"{op}.{rounding}{ftz}.f32", "f32", "f32")
    for ftz in ("", ".ftz"):
        for op, apart in (("rcp", 1), ("sqrt", 2), ("rsqrt", 2), ("ex2", 4)):
            t.add(f"{op}.approx{ftz}.f32", "f32", "f32", apart=apart)
        t.add(f"lg2.approx{ftz}.f32", "f32", "f32", apart=8, within=2.0**-21)
        for op in ("sin", "cos"):
            t.add(f"{op}.approx{ftz}.f32", "f32", "f32", within=2.0**-14)  # of operands to 100 pi: of more, PTX bounds nothing
        t.add(f"div.approx{ftz}.f32", "f32", "f32", "f32", apart=3)
        t.add(f"div.full{ftz}.f32", "f32", "f32", "f32", apart=3)
        for op in ("abs", "neg"):
            t.add(f"{op}{ftz}.f32", "f32", "f32")
        for op, nan, xor in itertools.product(("min", "max"), ("", ".NaN"), ("", ".xorsign.abs")):
            t.add(f"{op}{ftz}{nan}{xor}.f32", "f32", "f32", "f32")
        for op in COMPARISONS + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            t.add(f"setp.{op}{ftz}.f32", "pred", "f32", "f32")
        t.add(f"set.ge{ftz}.f32.f32", "f32", "f32", "f32")
        t.add(f"set.ne{ftz}.u32.f32", "u32", "f32", "f32")
    t.add("tanh.approx.f32", "f32", "f32", apart=1 << 13)
    t.add("rcp.approx.ftz.f64", "f64", "f64", apart=1 << 33)
    t.add("rsqrt.approx.f64", "f64", "f64", apart=1 << 33)
    t.add("rsqrt.approx.ftz.f64", "f64", "f64", apart=1 << 33)
    for op in COMPARISONS + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        t.add(f"setp.{op}.f64", "pred", "f64", "f64")
    for op in ("abs", "neg"):
        t.add(f"{op}.f64", "f64", "f64")
    for op in ("min", "max"):
        t.add(f"{op}.f64", "f64", "f64", "f64")
    for kind in ("f32", "f64"):
        t.add(f"copysign.{kind}", kind, kind, kind)
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            t.add(f"testp.{what}.{kind}", "pred", kind)


def halves(t):
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        is_half = kind.startswith("f16")
        for ftz, sat in itertools.product(("", ".ftz") if is_half else ("",), ("", ".sat") if is_half else ("",)):
            for op in ("add", "sub", "mul"):
                t.add(f"{op}.rn{ftz}{sat}.{kind}", kind, kind, kind)
            t.add(f"fma.rn{ftz}{sat}.{kind}", kind, kind, kind, kind)
        for ftz in ("", ".ftz") if is_half else ("",):
            t.add(f"fma.rn{ftz}.relu.{kind}", kind, kind, kind, kind)
            for op in ("abs", "neg"):
                t.add(f"{op}{ftz}.{kind}", kind, kind)
            for op, nan, xor in itertools.product(("min", "max"), ("", ".NaN"), ("", ".xorsign.abs")):
                t.add(f"{op}{ftz}{nan}{xor}.{kind}", kind, kind, kind)
            for op in COMPARISONS + ("equ", "ltu", "num", "nan"):
                if "x2" in kind:
                    t.add(f"setp.{op}{ftz}.{kind}", "b32", kind, kind,
                          text=f"{{.reg .pred q, r; setp.{op}{ftz}.{kind} q|r, a, b; selp.b32 d, 1, 0, q; @r or.b32 d, d, 2;}}")
                else:
                    t.add(f"setp.{op}{ftz}.{kind}", "pred", kind, kind)
        t.add(f"fma.rn.oob.{kind}", kind, kind, kind, kind)
        t.add(f"tanh.approx.{kind}", kind, kind, apart=2)
        t.add(f"ex2.approx{'' if is_half else '.ftz'}.{kind}", kind, kind, apart=2)
        if "x2" in kind:
            t.add(f"set.lt.{kind}.{kind}", kind, kind, kind)


def contains(to, of):
    """Whether each number of the integer type `of` is one of `to`: ptxas refuses to saturate then."""
    bits, own = int(to[1:]), int(of[1:])
    return bits > own if (of[0], to[0]) == ("u", "s") else bits >= own and of[0] == to[0]


def conversions(t):
    whole = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    for to, of in itertools.product(whole, whole):
        t.add(f"cvt.{to}.{of}", to, of)
        if not contains(to, of):
            t.add(f"cvt.sat.{to}.{of}", to, of)
    for to, of, rounding, ftz, sat in itertools.product(whole, ("f16", "f32", "f64"), ("rni", "rzi", "rmi", "rpi"), ("", ".ftz"), ("", ".sat")):
        if ftz == "" or of == "f32":
            t.add(f"cvt.{rounding}{ftz}{sat}.{to}.{of}", to, of)
    for to, rounding in itertools.product(whole[2:], ("rni", "rzi", "rmi", "rpi")):
        t.add(f"cvt.{rounding}.{to}.bf16", to, "bf16")
    for to, of, rounding in itertools.product(("f16", "f32", "f64", "bf16"), whole, ROUNDINGS):
        if to == "bf16" and of in ("u8", "s8"):
            continue
        t.add(f"cvt.{rounding}.{to}.{of}", to, of)
        if to in ("f16", "f32", "f64"):
            t.add(f"cvt.{rounding}.sat.{to}.{of}", to, of)
    for rounding, sat in itertools.product(ROUNDINGS, ("", ".sat")):
        t.add(f"cvt.{rounding}{sat}.f32.f64", "f32", "f64")
        t.add(f"cvt.{rounding}.ftz{sat}.f32.f64", "f32", "f64")
        t.add(f"cvt.{rounding}{sat}.f16.f64", "f16", "f64")
        t.add(f"cvt.{rounding}{sat}.f16.f32", "f16", "f32")
    for sat in ("", ".sat"):
        t.add(f"cvt{sat}.f64.f32", "f64", "f32")
        t.add(f"cvt.ftz{sat}.f64.f32", "f64", "f32")
        t.add(f"cvt{sat}.f32.f16", "f32", "f16")
        t.add(f"cvt{sat}.f64.f16", "f64", "f16")
        for kind, rounding in itertools.product(("f16", "f32", "f64"), ("rni", "rzi", "rmi", "rpi")):
            t.add(f"cvt.{rounding}{sat}.{kind}.{kind}", kind, kind)
            if kind == "f32":
                t.add(f"cvt.{rounding}.ftz{sat}.{kind}.{kind}", kind, kind)
    t.add("cvt.f32.bf16", "f32", "bf16")
    for rounding, relu in itertools.product(("rn", "rz"), ("", ".relu")):
        t.add(f"cvt.{rounding}{relu}.bf16.f32", "bf16", "f32")
        for kind in ("f16x2", "bf16x2"):
            t.add(f"cvt.{rounding}{relu}.{kind}.f32", kind, "f32", "f32")
        t.add(f"cvt.{rounding}{relu}.f16.f32", "f16", "f32")
        t.add(f"cvt.{rounding}{relu}.tf32.f32", "b32", "f32")
    t.add("cvt.rna.tf32.f32", "b32", "f32")
    for kind, relu in itertools.product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        t.add(f"cvt.rn.satfinite{relu}.{kind}.f32", kind, "f32", "f32")
        t.add(f"cvt.rn.satfinite{relu}.{kind}.f16x2", kind, "f16x2")
        t.add(f"cvt.rn{relu}.f16x2.{kind}", "f16x2", kind)


def together(t):
    """Of all 32 lanes."""
    for mode, last in itertools.product(("up", "down", "bfly", "idx"), (0x1F, 0x0, 0x181F, 0x1007)):
        t.add(f"shfl.sync.{mode} {last:#x}", "b32", "b32", "b32",
              text=f"{{.reg .b32 x; and.b32 x, b, 31; shfl.sync.{mode}.b32 d|p, a, x, {last:#x}, -1; @p xor.b32 d, d, 0x5a5a5a5a;}}")
    for op in ("all", "any", "uni", "ballot"):
        to = "d" if op == "ballot" else "q"
        kind = "b32" if op == "ballot" else "pred"
        tail = "" if op == "ballot" else " selp.b32 d, 1, 0, q;"
        t.add(f"vote.sync.{op}", "b32", "b32", text=f"{{.reg .pred q, r; setp.gt.s32 r, a, 0; vote.sync.{op}.{kind} {to}, r, -1;{tail}}}")
    for bits in ("b32", "b64"):
        t.add(f"match.any.sync.{bits}", "b32", bits, text=f"{{.reg .b32 x; and.{bits} a, a, 3; match.any.sync.{bits} d, a, -1;}}")
        t.add(f"match.all.sync.{bits}", "b32", bits, text=f"match.all.sync.{bits} d|p, a, -1; @p xor.b32 d, d, 0x5a5a5a5a;")
    for op, kind in [(op, kind) for op in ("add", "min", "max") for kind in ("s32", "u32")] + [(op, "b32") for op in ("and", "or", "xor")]:
        t.add(f"redux.sync.{op}.{kind}", "b32", "b32", text=f"redux.sync.{op}.{kind} d, a, -1;")


def atomics(t):
    """On the thread's own word: what was there, and what is there then."""
    kinds = [(op, kind) for op in ("add", "min", "max") for kind in ("s32", "u32", "u64")]
    kinds += [(op, "s64") for op in ("min", "max")] + [(op, bits) for op in ("and", "or", "xor", "exch") for bits in ("b32", "b64")]
    kinds += [("add", "f32"), ("add", "f64"), ("inc", "u32"), ("dec", "u32"), ("add.noftz", "f16x2"), ("add.noftz", "bf16x2"), ("add.noftz", "f16")]
    for op, kind in kinds:
        bits = f"b{WIDTH[kind]}"
        t.add(f"atom.{op}.{kind}", kind, kind, kind,
              text=f"st.global.{bits} [%4], a; atom.global.{op}.{kind} d, [%4], b; {{.reg .{bits} x; ld.global.{bits} x, [%4]; xor.{bits} d, d, x;}}")
    for bits in ("b32", "b64", "b16"):
        t.add(f"atom.cas.{bits}", bits, bits, bits, bits,
              text=f"st.global.{bits} [%4], a; atom.global.cas.{bits} d, [%4], b, c; {{.reg .{bits} x; ld.global.{bits} x, [%4]; xor.{bits} d, d, x;}}")
    for space in ("shared", "generic"):
        name = ".shared" if space == "shared" else ""
        convert = "" if name else " cvta.shared.u64 at, at;"
        t.add(f"atom.{space}.add.f32 in shared memory", "f32", "f32", "f32",
              text=f"{{.shared .b32 words[128]; .reg .b64 at, i; .reg .b32 t, x; mov.u32 t, %tid.x; mul.wide.u32 i, t, 4; mov.u64 at, words; add.u64 at, at, i; "
                   f"st.shared.b32 [at], a;{convert} atom{name}.add.f32 d, [at], b; ld{name}.b32 x, [at]; xor.b32 d, d, x;}}")
    t.add("atom.generic.add.f32 in global memory", "f32", "f32", "f32",
          text="st.global.b32 [%4], a; atom.add.f32 d, [%4], b; {.reg .b32 x; ld.global.b32 x, [%4]; xor.b32 d, d, x;}")
    for op, kind in (("add", "u32"), ("add", "f32"), ("max", "s32"), ("xor", "b32"), ("min", "u64"), ("add", "f64")):
        bits = f"b{WIDTH[kind]}"
        t.add(f"red.{op}.{kind}", kind, kind, kind, text=f"st.global.{bits} [%4], a; red.global.{op}.{kind} [%4], b; ld.global.{bits} d, [%4];")


def matrix(t, op, a, b, c, kind):
    """A product of matrices: `a`, `b` and `c` registers of 32 bits (64 where `kind` is f64). Fractions are ±1, ±1.25, ±1.5, ±1.75, so that no
    sum is rounded and the order in which a GPU adds does not matter."""
    wide = kind == "f64"
    bits = 64 if wide else 32
    names = [f"{letter}{i}" for letter, count in (("A", a), ("B", b), ("C", c), ("D", c)) for i in range(count)]
    lines = [f".reg .b{bits} {', '.join(names)};"]
    mask = {"f16": ("0x83008300", "0x3c003c00"), "bf16": ("0x80608060", "0x3f803f80"), "tf32": ("0x80600000", "0x3f800000"),
            "f64": ("0x800C000000000000", "0x3FF0000000000000"), "whole": None}[kind]
    single = mask if wide else ("0x80600000", "0x3f800000")
    fraction_of_c = {"f32": single, "f64": mask, "f16": mask}.get(op.split(".")[-1])
    words = "abc"
    for number, name in enumerate(names[:a + b + c]):
        word = words[number % 3]
        if wide:
            lines.append(f"mul.lo.u64 {name}, {word}, {2 * number + 0x9E3779B97F4A7C15};")
        else:
            lines.append(f"{{.reg .b64 x; mul.lo.u64 x, {word}, {2 * number + 0x9E3779B97F4A7C15}; shr.u64 x, x, {7 * (number // 3)}; cvt.u32.u64 {name}, x;}}")
        fraction = fraction_of_c if name[0] == "C" else mask
        if fraction:
            lines.append(f"and.b{bits} {name}, {name}, {fraction[0]}; or.b{bits} {name}, {name}, {fraction[1]};")
        elif name[0] == "C":
            lines.append(f"shr.s32 {name}, {name}, 3;")
    group = lambda letter, count: "{" + ", ".join(f"{letter}{i}" for i in range(count)) + "}"  # noqa: E731
    lines.append(f"{op} {group('D', c)}, {group('A', a)}, {group('B', b)}, {group('C', c)};")
    lines.append("mov.u64 d, 0;")
    for i in range(c):
        lines.append(f"mad.lo.u64 d, d, 0x9E3779B97F4A7C15, D{i};" if wide else f"{{.reg .b64 x; cvt.u64.u32 x, D{i}; mad.lo.u64 d, d, 0x9E3779B97F4A7C15, x;}}")
    t.add(op, "b64", "b64", "b64", "b64", text="{" + " ".join(lines) + "}")


def matrices(t):
    for x, y, sat in itertools.product("su", "su", ("", ".satfinite")):
        for shape, bits, a, b, c in (("m16n8k32", 8, 4, 2, 4), ("m16n8k16", 8, 2, 1, 4), ("m8n8k16", 8, 1, 1, 2), ("m16n8k64", 4, 4, 2, 4),
                                     ("m16n8k32", 4, 2, 1, 4), ("m8n8k32", 4, 1, 1, 2)):
            matrix(t, f"mma.sync.aligned.{shape}.row.col{sat}.s32.{x}{bits}.{y}{bits}.s32", a, b, c, "whole")
    for op in ("xor", "and"):
        for shape, a, b, c in (("m16n8k256", 4, 2, 4), ("m16n8k128", 2, 1, 4), ("m8n8k128", 1, 1, 2)):
            matrix(t, f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc", a, b, c, "whole")
    for kind, shapes in (("f16", (("m16n8k16", 4, 2), ("m16n8k8", 2, 1))), ("bf16", (("m16n8k16", 4, 2), ("m16n8k8", 2, 1))),
                         ("tf32", (("m16n8k8", 4, 2), ("m16n8k4", 2, 1)))):
        for shape, a, b in shapes:
            matrix(t, f"mma.sync.aligned.{shape}.row.col.f32.{kind}.{kind}.f32", a, b, 4, kind)
            if kind == "f16":
                matrix(t, f"mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16", a, b, 2, kind)
    for shape, a, b, c in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)):
        matrix(t, f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64", a, b, c, "f64")
    for count, trans in itertools.product((1, 2, 4), ("", ".trans")):
        registers = ", ".join(f"D{i}" for i in range(count))
        sums = " ".join(f"{{.reg .b64 x; cvt.u64.u32 x, D{i}; mad.lo.u64 d, d, 0x9E3779B97F4A7C15, x;}}" for i in range(count))
        shared = "{.shared .align 16 .b8 rows[2048]; .reg .b32 at, D0, D1, D2, D3; mov.u32 at, %tid.x; shl.b32 at, at, 4; {.reg .b32 x; mov.u32 x, rows; add.u32 at, at, x;} "
        t.add(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16", "b64", "b64", "b64",
              text=f"{shared} st.shared.v2.b64 [at], {{a, b}}; bar.sync 0; ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [at]; mov.u64 d, 0; {sums}}}")
        halves_of = "mov.b64 {D0, D1}, a; mov.b64 {D2, D3}, b;"
        t.add(f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16", "b64", "b64", "b64", "b64",
              text=f"{shared} st.shared.v2.b64 [at], {{c, c}}; {halves_of} bar.sync 0; stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [at], {{{registers}}}; bar.sync 0; "
                   "{.reg .b64 x, y; ld.shared.v2.b64 {x, y}, [at]; mad.lo.u64 d, x, 0x9E3779B97F4A7C15, y;}}")
    t.add("movmatrix.sync.aligned.m8n8.trans.b16", "b32", "b32", text="movmatrix.sync.aligned.m8n8.trans.b16 d, a;")


def table():
    t = Table()
    for part in (integers, floats, halves, conversions, together, atomics, matrices):
        part(t)
    return t.rows


CLASSES = {"f16": "half", "f16x2": "half", "bf16": "brain", "bf16x2": "brain", "f32": "single", "f64": "double"}
COUNT = 2048  # of operands of each instruction: CTAs of 128 threads


def kernel(name, row):
    """An entry: of each thread's three words of 64 bits, the instruction's result, with a word of its own in memory."""
    _, text, result, operands, _ = row
    width = 32 if WIDTH[result] == 1 else WIDTH[result]
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 own)", "{",
             ".reg .b32 %i, %n, %c;", ".reg .b64 %w<3>, %in, %out, %own, %o;", f".reg .pred p; .reg .b{width} d;",
             "mov.u32 %i, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %i, %n, %c, %i;",
             "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %own, [own];",
             "mad.wide.u32 %in, %i, 24, %in; mad.wide.u32 %out, %i, 8, %out; mad.wide.u32 %own, %i, 8, %own;",
             "ld.global.u64 %w0, [%in]; ld.global.u64 %w1, [%in+8]; ld.global.u64 %w2, [%in+16];"]
    for at, (operand, kind) in enumerate(zip("abc", operands)):
        bits = WIDTH[kind]
        lines.append(f".reg .b{bits} {operand}; " + (f"mov.b64 {operand}, %w{at};" if bits == 64 else f"cvt.u{bits}.u64 {operand}, %w{at};")
                     + (f" cvt.{kind[0]}16.{kind} {operand}, {operand};" if kind in ("u8", "s8") else ""))
    if WIDTH[result] == 1 and not text.startswith("{"):
        text = text.replace(" d,", " p,", 1)
    lines.append(text.replace("%4", "%own"))
    if WIDTH[result] == 1:
        lines.append("selp.b32 d, 1, 0, p;")
    lines += ["mov.b64 %o, d;" if width == 64 else f"cvt.u64.u{width} %o, d;", "st.global.u64 [%out], %o;", "ret;", "}"]
    return "\n".join(lines) + "\n"


class Draw:
    """Operands: small and great numbers, powers of two and what is beside them, special values, bit patterns at random."""

    HALVES = (0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 1, 0x8001, 0x3FF, 0x400, 0x7BFF, 0xFBFF, 0x3800, 0x3E00, 0x4100, 0x5BF8, 0x77FF,
              0x7800, 0xF800)
    BRAINS = (0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 1, 0x8001, 0x7F, 0x80, 0x7F7F, 0xFF7F, 0x3F00, 0x3FC0, 0x4020, 0x437F, 0x4F00,
              0x4F80, 0x5F00)
    SINGLES = (0.0, 1.0, 0.5, 1.5, 2.5, 3.5, 127.5, 128.5, 255.5, 256.0, 32767.5, 65535.5, 65504.0, 65520.0, 2.0**31, 2.0**31 - 128, 2.0**32,
               2.0**32 - 256, 2.0**63, 2.0**64, 3.4028234e38, 1.1754944e-38, 1.1754942e-38, 1e-45, 2.0**-14, 2.0**-24, 2.0**-25, 448.0, 464.0, 57344.0)
    SINGLE_BITS = (0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F812345, 0x80000001, 0x3F800001, 0xBF7FFFFF)
    DOUBLE_BITS = (0, 1 << 63, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000012345, 0x7FF0000000012345, 1,
                   0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x43E0000000000000, 0x43DFFFFFFFFFFFFF,
                   0x43F0000000000000, 0x41DFFFFFFFE00000, 0x41EFFFFFFFE00000)

    def __init__(self):
        self.random = random.Random(1)

    def bits(self, count):
        return self.random.getrandbits(count)

    def below(self, limit):
        return self.bits(32) % limit

    def whole(self):
        way = self.below(6)
        ways = (self.below(40), -self.below(40), (1 << self.below(64)) - self.below(3), self.bits(32), self.bits(64), self.bits(64))
        return ways[way] % (1 << 64)

    def _half(self, special, one):
        near = (self.bits(16) & 0x8000) + one - 0x1000 + (self.below(5) - 2)  # whose product is near the least number that is no denormal
        return (special[self.below(len(special))], (self.bits(16) & 0x8FFF) + one, self.bits(16), self.bits(16), near)[self.below(5)]

    def half(self):
        return self._half(self.HALVES, 0x3000) | self._half(self.HALVES, 0x3000) << 16

    def brain(self):
        return self._half(self.BRAINS, 0x3C00) | self._half(self.BRAINS, 0x3C00) << 16

    def single(self):
        special = self.SINGLES[self.below(len(self.SINGLES))] * (1 if self.below(2) else -1)
        ways = (struct.unpack("<I", struct.pack("<f", special))[0], self.SINGLE_BITS[self.below(len(self.SINGLE_BITS))],
                struct.unpack("<I", struct.pack("<f", (self.below(200001) - 100000) / 128))[0],
                self.bits(32) & 0x807FFFFF | 100 + self.below(56) << 23, self.bits(32),
                (self.bits(32) & 0x80000000) + (64 << 23) + self.below(5) - 2)  # the product of two is near the least number that is no denormal
        return ways[self.below(6)]

    def double(self):
        single = struct.unpack("<f", struct.pack("<I", self.single()))[0]
        ways = (struct.unpack("<Q", struct.pack("<d", single))[0], self.DOUBLE_BITS[self.below(len(self.DOUBLE_BITS))],
                struct.unpack("<Q", struct.pack("<d", (self.below(20000001) - 10000000) / 4096))[0],
                self.bits(64) & 0x800FFFFFFFFFFFFF | 900 + self.below(247) << 52, self.bits(64))
        return ways[self.below(5)]


def write(folder):
    """instructions.ptx; instructions.tsv: entry, name, bits of the result, its type, which operands, units apart, apart; operands.bin."""
    rows = table()
    sets = sorted({tuple(CLASSES.get(kind, "whole") for kind in (row[3] + ("b64",) * 3)[:3]) for row in rows})
    draw = Draw()
    with open(folder / "operands.bin", "wb") as out:
        for kinds in sets:
            for _ in range(COUNT):
                out.write(struct.pack("<3Q", *(getattr(draw, kind)() for kind in kinds)))
    with open(folder / "instructions.ptx", "w", encoding="ascii") as ptx, open(folder / "instructions.tsv", "w", encoding="ascii") as tsv:
        ptx.write(".version 8.6\n.target sm_90\n.address_size 64\n")
        for number, row in enumerate(rows):
            kinds = tuple(CLASSES.get(kind, "whole") for kind in (row[3] + ("b64",) * 3)[:3])
            ptx.write(kernel(f"k{number}", row))
            tsv.write(f"k{number}\t{row[0]}\t{max(WIDTH[row[2]], 8)}\t{row[2]}\t{sets.index(kinds)}\t{row[4][0]}\t{row[4][1]}\n")
    results = pathlib.Path(__file__).with_name("instructions.h100.xz")
    if results.exists():
        (folder / "results.bin").write_bytes(lzma.decompress(results.read_bytes()))
    return len(rows)


if __name__ == "__main__":
    print(write(pathlib.Path(sys.argv[1])), "instructions")
