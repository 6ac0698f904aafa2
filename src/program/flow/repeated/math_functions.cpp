#include "program/flow/repeated/math_functions.h"

#include "program/flow/calls_x86_64.h"

#include <algorithm>
#include <array>

namespace kymo::program {
namespace {

struct MathFunction {
    std::string_view name;
    unsigned arguments = 1;
    bool is_sincos = false;  // its results go to where rdi and rsi point
};

// ISO C 7.12; sincos, exp10: GNU. By name.
constexpr auto kFunctions = std::to_array<MathFunction>({{"acos"},         {"acosh"},   {"asin"},
                                                         {"asinh"},        {"atan"},    {"atan2", 2},
                                                         {"atanh"},        {"cbrt"},    {"cos"},
                                                         {"cosh"},         {"erf"},     {"erfc"},
                                                         {"exp"},          {"exp10"},   {"exp2"},
                                                         {"expm1"},        {"fmod", 2}, {"hypot", 2},
                                                         {"lgamma"},       {"log"},     {"log10"},
                                                         {"log1p"},        {"log2"},    {"pow", 2},
                                                         {"remainder", 2}, {"sin"},     {"sincos", 1, true},
                                                         {"sinh"},         {"sqrt"},    {"tan"},
                                                         {"tanh"},         {"tgamma"}});

std::string_view without(std::string_view text, std::string_view begin, std::string_view end) {
    text.remove_prefix(text.starts_with(begin) ? begin.size() : 0);
    text.remove_suffix(text.ends_with(end) ? end.size() : 0);
    return text;
}

const MathFunction* find(std::string_view name) {
    const auto* const found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                           [&](const MathFunction& each) { return each.name == name; });
    return found == kFunctions.end() ? nullptr : found;
}

const MathFunction* function_of(std::string_view symbol) {
    std::string_view name = symbol.substr(0, symbol.find('@'));
    name = without(name, "__", "_finite");
    name = without(name, "ieee754_", "");
    for (const std::string_view processor : {"_fma", "_fma4", "_avx2", "_avx", "_sse2", "_sse4_1"}) {
        name = without(name, "", processor);
    }
    const MathFunction* const found = find(name);
    return found != nullptr || !name.ends_with('f') ? found : find(name.substr(0, name.size() - 1));
}

FunctionEffects effects_of(const MathFunction& function) {
    FunctionEffects effects;
    effects.is_pure = true;
    effects.vector_arguments = (1U << function.arguments) - 1;
    effects.results_by = function.is_sincos ? register_bit(kFirstArgument) | register_bit(kSecondArgument) : 0;
    effects.writes = ~(kKept | register_bit(kStackPointer));
    effects.vector_writes = ~0U;
    return effects;
}

}  // namespace

std::string_view math_function(std::string_view symbol) {
    const MathFunction* const function = function_of(symbol);
    return function == nullptr ? std::string_view() : function->name;
}

const FunctionEffects* math_effects(std::string_view symbol) {
    static const auto kEffects = [] {
        std::array<FunctionEffects, kFunctions.size()> all;
        std::transform(kFunctions.begin(), kFunctions.end(), all.begin(), effects_of);
        return all;
    }();
    const MathFunction* const function = function_of(symbol);
    return function == nullptr ? nullptr : &kEffects[static_cast<std::size_t>(function - kFunctions.data())];
}

}  // namespace kymo::program
