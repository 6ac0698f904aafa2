#include "gpu/ptx/parse/module.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

struct TypeFacts {
    const char* name;
    unsigned bytes;
};
// In the order of Type.
constexpr std::array<TypeFacts, 26> kTypes = {{
    {"none", 0},   {"b8", 1},    {"b16", 2},   {"b32", 4},    {"b64", 8}, {"b128", 16}, {"u8", 1},
    {"u16", 2},    {"u32", 4},   {"u64", 8},   {"s8", 1},     {"s16", 2}, {"s32", 4},   {"s64", 8},
    {"f16", 2},    {"f16x2", 4}, {"bf16", 2},  {"bf16x2", 4}, {"f32", 4}, {"f64", 8},   {"e4m3x2", 2},
    {"e5m2x2", 2}, {"u16x2", 4}, {"s16x2", 4}, {"pred", 0},   {"", 0},
}};
static_assert(static_cast<std::size_t>(Type::kPredicate) == 24);

}  // namespace

unsigned bytes(Type type) {
    return kTypes[static_cast<std::size_t>(type)].bytes;
}

const char* name(Type type) {
    return kTypes[static_cast<std::size_t>(type)].name;
}

Type type_named(std::string_view word) {
    for (std::size_t i = 1; i <= static_cast<std::size_t>(Type::kPredicate); ++i) {
        if (word == kTypes[i].name) {
            return static_cast<Type>(i);
        }
    }
    return Type::kNone;
}

const char* name(StateSpace space) {
    static constexpr std::array<const char*, 7> kNames = {"generic", "reg",   "global", "const",
                                                          "shared",  "local", "param"};
    return kNames[static_cast<std::size_t>(space)];
}

const Function* Module::function(std::string_view wanted) const {
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == wanted; });
    return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::variable(std::string_view wanted) const {
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == wanted; });
    return found == variables.end() ? nullptr : &*found;
}

std::string Module::where(const Place& place) const {
    if (place.source_line != 0 && place.file < files.size() && !files[place.file].empty()) {
        const std::string& path = files[place.file];
        return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), place.source_line);
    }
    return fmt::format("{}:{}", name, place.line);
}

}  // namespace kymo::gpu::ptx
