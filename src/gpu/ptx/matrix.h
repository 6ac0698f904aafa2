// The matrices that a warp multiplies: their shapes, their elements, and how the 32 lanes share them.
//
// One layout serves mma and wmma. A register holds p elements (1 of 32 or 64 bits, 2 of 16, 4 of 8, 8 of 4, 32 of
// 1); with g = lane / 4 and t = lane % 4, register r of the left factor (M×K) holds row g + 8 (r mod M/8), columns
// t p … from 4 p (r div M/8) on; of the right factor (K×N) rows t p … from 4 p (r mod K/4p) on, column g + 8 (r
// div K/4p); and elements 2j, 2j + 1 of the sum (M×N) are row g + 8 (j mod M/8), columns 2t and 2t + 1 from 8 (j
// div M/8) on. For N = 8 this is the ISA's layout of mma; wmma's layout is unspecified, as long as its loads,
// products and stores agree.
//
// Contract: plain data; included by lanes/ (see warp.h for the consequences). Source: PTX ISA 9.0, chapter
// 9.7.14–9.7.15.
#pragma once

#include <cstdint>

namespace kymo::gpu::ptx {

enum class Element : std::uint8_t { kNone, kF16, kBf16, kTf32, kF32, kF64, kS8, kU8, kS4, kU4, kB1, kS32 };
inline constexpr std::uint8_t kElementBits[] = {0, 16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 32};

struct MatrixForm {
    enum class Role : std::uint8_t { kProduct, kLeft, kRight, kSum };
    std::uint32_t m = 0;
    std::uint32_t n = 0;
    std::uint32_t k = 0;
    Element left = Element::kNone;
    Element right = Element::kNone;
    Element addend = Element::kNone;
    Element sum = Element::kNone;
    bool saturate = false;
    bool exclusive = false;       // of single bits: xor instead of and
    Role role = Role::kProduct;   // which one a load or store moves
    bool by_columns = false;      // it lies so in memory
    std::int64_t offset = 0;      // of its address
    std::uint32_t registers = 0;  // a load's or a store's
};

// What an operation's list (Warp::lists from Op::immediate on) begins with; places in the frame follow: a product's
// results, left factor, right factor and addend, each register once; or what is loaded or stored.
inline constexpr std::uint32_t kMatrixWords = sizeof(MatrixForm) / sizeof(std::uint32_t);
static_assert(sizeof(MatrixForm) % sizeof(std::uint32_t) == 0);

}  // namespace kymo::gpu::ptx
