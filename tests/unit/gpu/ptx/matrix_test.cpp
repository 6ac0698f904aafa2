// Matrix products: each mma shape against a plain triple loop, its shares laid out as the ISA's tables say element by
// element; wmma through nvcc's kernels; all with values whose sums are exact in any order.
#include "kernels.h"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

// A small whole number as an element's bits.
std::uint64_t encoded(std::string_view type, int value) {
    if (type == "f16") {  // exact up to 2048
        if (value == 0) {
            return 0;
        }
        const unsigned size = static_cast<unsigned>(std::abs(value));
        const unsigned exponent = 31U - static_cast<unsigned>(std::countl_zero(size));
        return (value < 0 ? 0x8000U : 0U) | (exponent + 15) << 10U | ((size << 10U >> exponent) & 0x3FFU);
    }
    if (type == "bf16") {
        return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U;
    }
    if (type == "tf32" || type == "f32") {
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    if (type == "f64") {
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
    return static_cast<std::uint32_t>(value);
}

unsigned bits_of(std::string_view type) {
    return type == "f64"                     ? 64
           : type == "f16" || type == "bf16" ? 16
           : type == "s8" || type == "u8"    ? 8
           : type == "s4" || type == "u4"    ? 4
           : type == "b1"                    ? 1
                                             : 32;
}

struct Place {
    int row;
    int column;
};

struct Shape {
    const char* words;  // between mma.sync.aligned. and the operands
    int m, n, k;
    const char* factor;
    const char* other;
    const char* sum;
    int most;  // the factors' largest value
    // The ISA's tables: element i of a lane, group = lane / 4, in_group = lane % 4.
    Place (*left)(int group, int in_group, int i);
    Place (*right)(int group, int in_group, int i);
};

Place sum_place(const Shape& shape, int group, int in_group, int i) {
    return {shape.m == 8 || i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

// Registers of `elements` values a lane, for 32 lanes: lane-major words as the kernel loads them.
std::vector<std::uint32_t> packed(std::string_view type, int elements,
                                  const std::function<int(int lane, int i)>& value) {
    const unsigned bits = bits_of(type);
    const std::size_t words = static_cast<std::size_t>(elements) * bits / 32;
    std::vector<std::uint32_t> made(32 * words);
    for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < elements; ++i) {
            const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            const std::uint64_t element = encoded(type, value(lane, i)) & mask;
            const std::size_t at = static_cast<std::size_t>(i) * bits;
            std::uint32_t* const word = &made[static_cast<std::size_t>(lane) * words + at / 32];
            if (bits == 64) {
                word[0] = static_cast<std::uint32_t>(element);
                word[1] = static_cast<std::uint32_t>(element >> 32U);
            } else {
                *word |= static_cast<std::uint32_t>(element << at % 32);
            }
        }
    }
    return made;
}

std::string list(char letter, std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", letter, i);
    }
    return text + "}";
}

std::string moves(const char* verb, char letter, std::size_t count, unsigned bits, const std::string& pointer) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string place = fmt::format("[%{}+{}]", pointer, i * bits / 8);
        text += std::string_view(verb) == "ld" ? fmt::format("ld.global.b{} %{}{}, {};\n", bits, letter, i, place)
                                               : fmt::format("st.global.b{} {}, %{}{};\n", bits, place, letter, i);
    }
    return text;
}

// Loads each lane's registers of a, b and c, multiplies, and stores d where c was.
std::string matrix_kernel(const Shape& shape, std::size_t a, std::size_t b, std::size_t c) {
    const unsigned factor = bits_of(shape.factor) == 64 ? 64 : 32;
    const unsigned sum = bits_of(shape.sum) == 64 ? 64 : 32;
    std::string text = fmt::format(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, .param "
        ".u64 "
        "pc)\n{{ .reg .b{0} %a<16>, %b<16>; .reg .b{1} %c<16>, %d<16>; .reg .b64 %p, %q, %r; .reg .b32 %t;\n"
        "ld.param.u64 %p, [pa]; ld.param.u64 %q, [pb]; ld.param.u64 %r, [pc]; mov.u32 %t, %tid.x;\n"
        "mad.wide.u32 %p, %t, {2}, %p; mad.wide.u32 %q, %t, {3}, %q; mad.wide.u32 %r, %t, {4}, %r;\n",
        factor, sum, a * factor / 8, b * factor / 8, c * sum / 8);
    text += moves("ld", 'a', a, factor, "p") + moves("ld", 'b', b, factor, "q") + moves("ld", 'c', c, sum, "r");
    text += fmt::format("mma.sync.aligned.{} {}, {}, {}, {};\n", shape.words, list('d', c), list('a', a),
                        list('b', b), list('c', c));
    return text + moves("st", 'd', c, sum, "r") + "ret; }";
}

class Products : public testing::TestWithParam<Shape> {};

TEST_P(Products, AreThoseOfTheTripleLoop) {
    const Shape& shape = GetParam();
    const int of_left = shape.m * shape.k / 32;
    const int of_right = shape.k * shape.n / 32;
    const int of_sum = shape.m * shape.n / 32;
    const auto matrix = [](std::string_view type, int count, int most, int seed) {
        const bool is_unsigned = type == "u8" || type == "u4" || type == "b1";
        return integers(static_cast<std::size_t>(count), is_unsigned ? 0 : -most, most, static_cast<unsigned>(seed));
    };
    const std::vector<int> left = matrix(shape.factor, shape.m * shape.k, shape.most, 1);
    const std::vector<int> right = matrix(shape.other, shape.k * shape.n, shape.most, 2);
    const std::vector<int> addend = integers(static_cast<std::size_t>(shape.m * shape.n), -50, 50, 3);
    const auto at = [](const std::vector<int>& values, int columns, Place place) {
        return values[static_cast<std::size_t>(place.row * columns + place.column)];
    };
    const auto a = packed(shape.factor, of_left,
                          [&](int lane, int i) { return at(left, shape.k, shape.left(lane / 4, lane % 4, i)); });
    const auto b = packed(shape.other, of_right,
                          [&](int lane, int i) { return at(right, shape.n, shape.right(lane / 4, lane % 4, i)); });
    const auto c = packed(shape.sum, of_sum, [&](int lane, int i) {
        return at(addend, shape.n, sum_place(shape, lane / 4, lane % 4, i));
    });
    const bool differs = std::string_view(shape.words).find("xor") != std::string_view::npos;
    const auto wanted = packed(shape.sum, of_sum, [&](int lane, int i) {
        const Place place = sum_place(shape, lane / 4, lane % 4, i);
        int sum = at(addend, shape.n, place);
        for (int k = 0; k < shape.k; ++k) {
            const int x = at(left, shape.k, {place.row, k});
            const int y = at(right, shape.n, {k, place.column});
            sum += differs ? x ^ y : x * y;
        }
        return sum;
    });
    const std::size_t wide = bits_of(shape.factor) == 64 ? 2 : 1;
    const std::size_t wide_sum = bits_of(shape.sum) == 64 ? 2 : 1;
    const auto module =
        parse(matrix_kernel(shape, a.size() / 32 / wide, b.size() / 32 / wide, c.size() / 32 / wide_sum), "mma.ptx");
    ASSERT_TRUE(module.ok()) << module.error().what;
    Device device(*module);
    const auto pa = device.array(a);
    const auto pb = device.array(b);
    const auto pc = device.array(c);
    device.run("k", {1}, {32}, Parameters().add(pa.data()).add(pb.data()).add(pc.data()));
    expect_equal<std::uint32_t>(pc, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Mma, Products,
    testing::Values(
        Shape{"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, "f16", "f16", "f32", 20,
              [](int g, int t, int i) -> Place { return {i < 2 ? g : g + 8, t * 2 + (i & 1)}; },
              [](int g, int t, int i) -> Place { return {t * 2 + i, g}; }},
        Shape{"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, "f16", "f16", "f32", 20,
              [](int g, int t, int i) -> Place {
                  return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
              },
              [](int g, int t, int i) -> Place { return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g}; }},
        Shape{"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, "f16", "f16", "f16", 5,
              [](int g, int t, int i) -> Place {
                  return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
              },
              [](int g, int t, int i) -> Place { return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g}; }},
        Shape{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, "bf16", "bf16", "f32", 20,
              [](int g, int t, int i) -> Place {
                  return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
              },
              [](int g, int t, int i) -> Place { return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g}; }},
        Shape{"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, "tf32", "tf32", "f32", 100,
              [](int g, int t, int i) -> Place { return {i == 0 ? g : g + 8, t}; },
              [](int g, int t, int) -> Place { return {t, g}; }},
        Shape{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, "tf32", "tf32", "f32", 100,
              [](int g, int t, int i) -> Place { return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; },
              [](int g, int t, int i) -> Place { return {i == 0 ? t : t + 4, g}; }},
        Shape{"m8n8k16.row.col.satfinite.s32.s8.s8.s32", 8, 8, 16, "s8", "s8", "s32", 127,
              [](int g, int t, int i) -> Place { return {g, t * 4 + i}; },
              [](int g, int t, int i) -> Place { return {t * 4 + i, g}; }},
        Shape{"m16n8k16.row.col.s32.u8.s8.s32", 16, 8, 16, "u8", "s8", "s32", 127,
              [](int g, int t, int i) -> Place { return {i < 4 ? g : g + 8, t * 4 + (i & 3)}; },
              [](int g, int t, int i) -> Place { return {t * 4 + i, g}; }},
        Shape{"m16n8k32.row.col.s32.s8.u8.s32", 16, 8, 32, "s8", "u8", "s32", 127,
              [](int g, int t, int i) -> Place {
                  return {i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
              },
              [](int g, int t, int i) -> Place { return {t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g}; }},
        Shape{"m16n8k64.row.col.s32.s4.u4.s32", 16, 8, 64, "s4", "u4", "s32", 7,
              [](int g, int t, int i) -> Place {
                  return {i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
              },
              [](int g, int t, int i) -> Place { return {t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g}; }},
        Shape{"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 128, "b1", "b1", "s32", 1,
              [](int g, int t, int i) -> Place { return {i < 32 ? g : g + 8, t * 32 + (i & 31)}; },
              [](int g, int t, int i) -> Place { return {t * 32 + i, g}; }},
        Shape{"m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 8, 128, "b1", "b1", "s32", 1,
              [](int g, int t, int i) -> Place { return {g, t * 32 + i}; },
              [](int g, int t, int i) -> Place { return {t * 32 + i, g}; }},
        Shape{"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, "f64", "f64", "f64", 1000,
              [](int g, int t, int) -> Place { return {g, t}; }, [](int g, int t, int) -> Place { return {t, g}; }},
        Shape{"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, "f64", "f64", "f64", 1000,
              [](int g, int t, int i) -> Place { return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; },
              [](int g, int t, int i) -> Place { return {i == 0 ? t : t + 4, g}; }}),
    [](const auto& info) {
        std::string name = info.param.words;
        std::replace(name.begin(), name.end(), '.', '_');
        return name;
    });

// Whole matrices in memory, a of rows × inner, b of inner × columns: c += a b.
struct Tile {
    const char* kernel;
    int rows, columns, inner;
    const char* factor;
    const char* sum;
    int most;
    bool left_by_columns, right_by_columns, result_by_columns;
    bool starts_with_one;  // its sum, whatever c holds
};

class Tiles : public testing::TestWithParam<Tile> {};

TEST_P(Tiles, AreThoseOfTheTripleLoop) {
    const Tile& tile = GetParam();
    const auto size = [](int rows, int columns) { return static_cast<std::size_t>(rows * columns); };
    const std::vector<int> left = integers(size(tile.rows, tile.inner), -tile.most, tile.most, 1);
    const std::vector<int> right = integers(size(tile.inner, tile.columns), -tile.most, tile.most, 2);
    const std::vector<int> addend = integers(size(tile.rows, tile.columns), -50, 50, 3);
    const auto in_memory = [](std::string_view type, const std::vector<int>& values, int columns, bool by_columns) {
        const int rows = static_cast<int>(values.size()) / columns;
        const unsigned width = bits_of(type) / 8;
        std::vector<std::uint8_t> made(values.size() * width);
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                const std::uint64_t element = encoded(type, values[static_cast<std::size_t>(row * columns + column)]);
                const auto at = static_cast<std::size_t>(by_columns ? column * rows + row : row * columns + column);
                std::memcpy(&made[at * width], &element, width);
            }
        }
        return made;
    };
    std::vector<int> sums = addend;
    for (int row = 0; row < tile.rows; ++row) {
        for (int column = 0; column < tile.columns; ++column) {
            int& sum = sums[static_cast<std::size_t>(row * tile.columns + column)];
            sum = tile.starts_with_one ? 1 : sum;
            for (int k = 0; k < tile.inner; ++k) {
                sum += left[static_cast<std::size_t>(row * tile.inner + k)] *
                       right[static_cast<std::size_t>(k * tile.columns + column)];
            }
        }
    }
    Device device(kernels("matrices"));
    const auto a = device.array(in_memory(tile.factor, left, tile.inner, tile.left_by_columns));
    const auto b = device.array(in_memory(tile.factor, right, tile.columns, tile.right_by_columns));
    const auto c = device.array(in_memory(tile.sum, addend, tile.columns, tile.result_by_columns));
    device.run_checked(tile.kernel, {1}, {32}, Parameters().add(a.data()).add(b.data()).add(c.data()));
    expect_equal<std::uint8_t>(c, in_memory(tile.sum, sums, tile.columns, tile.result_by_columns));
}

INSTANTIATE_TEST_SUITE_P(Wmma, Tiles,
                         testing::Values(Tile{"halves", 16, 16, 16, "f16", "f32", 20, false, true, false, false},
                                         Tile{"halves_summed_in_halves", 32, 8, 16, "f16", "f16", 5, true, false,
                                              false, false},
                                         Tile{"bfloats", 8, 32, 16, "bf16", "f32", 20, false, false, false, false},
                                         Tile{"bytes", 16, 16, 16, "s8", "s32", 127, false, true, false, false},
                                         Tile{"doubles", 8, 8, 4, "f64", "f64", 1000, false, true, false, false},
                                         Tile{"tf32", 16, 16, 8, "f32", "f32", 100, false, false, true, true}),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(Matrices, AGemmOfHalvesInSharedMemory) {
    const int n = 128;
    const auto count = static_cast<std::size_t>(n * n);
    const std::vector<int> left = integers(count, -9, 9, 1);
    const std::vector<int> right = integers(count, -9, 9, 2);
    const auto halves = [](const std::vector<int>& values) {
        std::vector<std::uint16_t> made;
        for (const int value : values) {
            made.push_back(static_cast<std::uint16_t>(encoded("f16", value)));
        }
        return made;
    };
    Device device(kernels("matrices"));
    const auto a = device.array(halves(left));
    const auto b = device.array(halves(right));
    const auto c = device.array<float>(count);
    device.run_checked("gemm_halves", {2, 2}, {128}, Parameters().add(n).add(a.data()).add(b.data()).add(c.data()));
    std::vector<float> wanted(count);
    for (std::size_t i = 0; i < 128; ++i) {
        for (std::size_t j = 0; j < 128; ++j) {
            int sum = 0;
            for (std::size_t k = 0; k < 128; ++k) {
                sum += left[i * 128 + k] * right[k * 128 + j];
            }
            wanted[i * 128 + j] = static_cast<float>(sum);
        }
    }
    expect_equal<float>(c, wanted);
}

// What a product rounds: 2^11 + 1 is no half; sums of whole numbers wrap, or stay at the end with .satfinite.
TEST(Matrices, RoundOnceAndWrapOrStay) {
    const auto run = [](const char* words, std::size_t a, std::size_t b, std::size_t c, std::uint32_t factor,
                        std::uint32_t addend) {
        const Shape shape{words, 0, 0, 0, "s8", "s8", "s32", 0, nullptr, nullptr};
        const auto module = parse(matrix_kernel(shape, a, b, c), "mma.ptx");
        EXPECT_TRUE(module.ok());
        Device device(*module);
        const auto pa = device.array(std::vector<std::uint32_t>(32 * a, factor));
        const auto pb = device.array(std::vector<std::uint32_t>(32 * b, factor));
        const auto pc = device.array(std::vector<std::uint32_t>(32 * c, addend));
        device.run("k", {1}, {32}, Parameters().add(pa.data()).add(pb.data()).add(pc.data()));
        return pc[17];
    };
    // 8 products of 1 on top of 2048; one after another each would be rounded away.
    EXPECT_EQ(run("m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 0x3C003C00, 0x68006800), 0x68046804U);
    EXPECT_EQ(run("m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, 0x7F7F7F7F, 0x7FFFFFFF), 0x7FFFFFFFU + 16 * 127 * 127);
    EXPECT_EQ(run("m8n8k16.row.col.satfinite.s32.s8.s8.s32", 1, 1, 2, 0x7F7F7F7F, 0x7FFFFFFF), 0x7FFFFFFFU);
}

TEST(Matrices, WhatIsNotThereIsRefusedByNameAndLine) {
    const auto refusal = [](const std::string& words) {
        const Shape shape{words.c_str(), 0, 0, 0, "f16", "f16", "f32", 0, nullptr, nullptr};
        const auto module = parse(matrix_kernel(shape, 4, 2, 4), "mma.ptx");
        DeviceMemory memory;
        auto loaded = LoadedModule::load(*module, memory);
        auto launched = (*loaded)->launch("k", {{1}, {32}, 0, std::vector<std::uint8_t>(24)});
        return launched ? "launched" : launched.error().what;
    };
    EXPECT_EQ(refusal("m16n8k16.row.col.f32.f16.f16.f32"), "launched");
    EXPECT_THAT(refusal("m16n8k32.row.col.f32.e4m3.e4m3.f32"),
                HasSubstr("mma.ptx:18: in k: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 is not supported"));
    EXPECT_THAT(refusal("m16n8k24.row.col.f32.f16.f16.f32"), HasSubstr("is not supported"));
    EXPECT_THAT(refusal("m16n8k16.row.row.f32.f16.f16.f32"), HasSubstr("is not supported"));
    EXPECT_THAT(refusal("m16n8k8.row.col.f32.f16.f16.f32"), HasSubstr("4 registers where 2 are a lane's share"));
    EXPECT_THAT(refusal("m16n8k16.row.col.f32.f16.bf16.f32"), HasSubstr("is not supported"));
}

TEST(Matrices, AWarpThatIsNotWholeIsTold) {
    const Shape shape{"m16n8k16.row.col.f32.f16.f16.f32", 0, 0, 0, "f16", "f16", "f32", 0, nullptr, nullptr};
    const auto module = parse(matrix_kernel(shape, 4, 2, 4), "mma.ptx");
    Device device(*module);
    const auto memory = device.array<std::uint32_t>(256);
    EXPECT_THAT(device.fault("k", {1}, {24}, Parameters().add(memory.data()).add(memory.data()).add(memory.data())),
                HasSubstr("in lanes 0xffffff: it takes all 32 of a warp (CTA 0,0,0 thread 0,0,0)"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
