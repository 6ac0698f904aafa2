// 8-bit floating point: every code, and every number that a half can hold, against the formats' definitions.
#include "../kernels.h"

#include <bit>

namespace kymo::gpu::ptx {
namespace {

struct EightBitFormat {
    const char* name;
    int fraction;
    int bias;
    unsigned most;  // the greatest finite number's code
    bool has_infinity;
};
constexpr EightBitFormat kEightBitFormats[] = {{"e4m3x2", 3, 7, 0x7E, false}, {"e5m2x2", 2, 15, 0x7B, true}};

// By the definition: sign, exponent, fraction.
double value_of_code(const EightBitFormat& format, unsigned code) {
    const int exponent = static_cast<int>(code & 0x7FU) >> format.fraction;
    const int fraction = static_cast<int>(code) & ((1 << format.fraction) - 1);
    const double sign = (code & 0x80U) != 0 ? -1 : 1;
    if ((code & 0x7FU) > format.most) {
        return format.has_infinity && fraction == 0 ? sign * INFINITY : NAN;
    }
    const double scale = std::ldexp(1.0, std::max(exponent, 1) - format.bias - format.fraction);
    return sign * scale * (exponent == 0 ? fraction : fraction + (1 << format.fraction));
}

// The nearest of all finite ones, the even one of two.
unsigned nearest_code(const EightBitFormat& format, double value, bool relu) {
    if (std::isnan(value)) {
        return 0x7F;
    }
    const unsigned sign = std::signbit(value) ? 0x80U : 0U;
    if (relu && sign != 0) {
        return 0;
    }
    if (std::abs(value) >= value_of_code(format, format.most)) {
        return sign | format.most;
    }
    unsigned best = 0;
    for (unsigned code = 1; code <= format.most; ++code) {
        const double now = std::abs(value_of_code(format, code) - std::abs(value));
        const double before = std::abs(value_of_code(format, best) - std::abs(value));
        if (now < before || (now == before && code % 2 == 0)) {
            best = code;
        }
    }
    return sign | best;
}

double value_of_half(std::uint16_t bits) {
    const int exponent = bits >> 10U & 31U;
    const int fraction = bits & 0x3FFU;
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    return exponent == 31 ? (fraction != 0 ? NAN : sign * INFINITY)
                          : sign * std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
}

std::string conversion_kernel(const std::string& load, const std::string& convert, const std::string& store) {
    return ".version 8.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out) {\n"
           ".reg .b64 %a, %b; .reg .b32 %t, %x, %y; .reg .b16 %h; .reg .f32 %f, %g;\n"
           "mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mad.lo.u32 %t, %x, 256, %t;\n"
           "ld.param.u64 %a, [in]; ld.param.u64 %b, [out];\n" +
           load + convert + store + " ret; }";
}

template <typename From, typename To>
std::vector<To> converted(const std::string& text, const std::vector<From>& from, std::size_t results) {
    auto module = parse(text, "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    if (!module) {
        return std::vector<To>(results);
    }
    Device device(*module);
    const auto in = device.array(from);
    const auto out = device.array<To>(results);
    device.run("k", {static_cast<std::uint32_t>(results / 256)}, {256}, Parameters().add(in.data()).add(out.data()));
    return {out.begin(), out.end()};
}

TEST(EightBits, EveryCodeAsAHalf) {
    std::vector<std::uint16_t> codes(65'536);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = static_cast<std::uint16_t>(i);
    }
    for (const EightBitFormat& format : kEightBitFormats) {
        const auto halves = converted<std::uint16_t, std::uint32_t>(
            conversion_kernel("mad.wide.u32 %a, %t, 2, %a; ld.global.u16 %h, [%a]; ",
                              std::string("cvt.rn.f16x2.") + format.name + " %y, %h; ",
                              "mad.wide.u32 %b, %t, 4, %b; st.global.u32 [%b], %y;"),
            codes, codes.size());
        for (unsigned i = 0; i < codes.size(); ++i) {
            for (const unsigned shift : {0U, 16U}) {
                const auto half = static_cast<std::uint16_t>(halves[i] >> shift);
                const double wanted = value_of_code(format, i >> shift / 2 & 0xFFU);
                if (std::isnan(wanted)) {
                    ASSERT_EQ(half, 0x7FFF) << format.name << " " << i;
                } else {
                    ASSERT_EQ(value_of_half(half), wanted) << format.name << " " << i;
                    ASSERT_EQ(half >> 15U, std::signbit(wanted) ? 1U : 0U) << format.name << " " << i;
                }
            }
        }
    }
}

TEST(EightBits, EveryHalfIsRoundedToNearest) {
    std::vector<std::uint32_t> pairs(65'536);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        pairs[i] = (i ^ 0xFFFFU) << 16U | i;
    }
    for (const EightBitFormat& format : kEightBitFormats) {
        for (const bool relu : {false, true}) {
            const auto codes = converted<std::uint32_t, std::uint16_t>(
                conversion_kernel(
                    "mad.wide.u32 %a, %t, 4, %a; ld.global.u32 %x, [%a]; ",
                    std::string("cvt.rn.satfinite") + (relu ? ".relu." : ".") + format.name + ".f16x2 %h, %x; ",
                    "mad.wide.u32 %b, %t, 2, %b; st.global.u16 [%b], %h;"),
                pairs, pairs.size());
            for (std::uint32_t i = 0; i < pairs.size(); i += 7) {
                const unsigned low = nearest_code(format, value_of_half(static_cast<std::uint16_t>(i)), relu);
                const unsigned high =
                    nearest_code(format, value_of_half(static_cast<std::uint16_t>(i ^ 0xFFFFU)), relu);
                ASSERT_EQ(codes[i], high << 8U | low) << format.name << " " << i;
            }
        }
    }
}

TEST(EightBits, SinglesBetweenNeighbours) {
    for (const EightBitFormat& format : kEightBitFormats) {
        // Around each number and each middle of two: the single itself and those beside it.
        std::vector<float> numbers;
        for (unsigned code = 0; code <= format.most; ++code) {
            const auto at = static_cast<float>(value_of_code(format, code));
            const auto next = static_cast<float>(value_of_code(format, code + 1));
            const float middle = std::isfinite(next) ? (at + next) / 2 : at * 1.03F;
            for (const float one : {at, middle}) {
                for (const float sign : {1.0F, -1.0F}) {
                    numbers.push_back(sign * one);
                    numbers.push_back(std::nextafter(sign * one, INFINITY));
                    numbers.push_back(std::nextafter(sign * one, -INFINITY));
                }
            }
        }
        for (const float one : {INFINITY, -INFINITY, std::nanf(""), 1e30F, -1e-40F}) {
            numbers.push_back(one);
        }
        numbers.resize((numbers.size() + 511) / 512 * 512);
        const auto codes = converted<float, std::uint16_t>(
            conversion_kernel("mad.wide.u32 %a, %t, 8, %a; ld.global.v2.f32 {%f, %g}, [%a]; ",
                              std::string("cvt.rn.satfinite.") + format.name + ".f32 %h, %g, %f; ",
                              "mad.wide.u32 %b, %t, 2, %b; st.global.u16 [%b], %h;"),
            numbers, numbers.size() / 2);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            ASSERT_EQ(codes[i / 2] >> 8U * (i % 2) & 0xFFU,
                      nearest_code(format, static_cast<double>(numbers[i]), false))
                << format.name << " " << numbers[i];
        }
    }
}

}  // namespace
}  // namespace kymo::gpu::ptx
