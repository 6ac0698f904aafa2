#include "view/threads/created_with.h"

#include "program/demangle.h"
#include "view/json_text.h"
#include "view/summary.h"
#include "view/threads/registers.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kStackPointerOfX86 = 7;

Json address(std::uint64_t value) {
    return fmt::format("{:#x}", value);
}

Json json_registers(const CreatedWith& state) {
    Json json = Json::object();
    const auto registers = known_registers(state);
    for (std::size_t number = 0; number < registers.size(); ++number) {
        if (registers[number] || number < named_registers(state.machine)) {
            json[register_name(state.machine, number)] =
                registers[number] ? address(*registers[number]) : Json(nullptr);
        }
    }
    return json;
}

Json json_floating(const CreatedWith& state) {
    const auto floating = floating_state(state.machine, state.floating);
    if (!floating) {
        return nullptr;
    }
    Json vectors = Json::object();
    for (std::size_t i = 0; i < floating->vectors.size(); ++i) {
        vectors[fmt::format("xmm{}", i)] = vector_text(floating->vectors[i]);
    }
    return {{"rounding", floating->rounding()},
            {"flush_to_zero", floating->flushes_to_zero()},
            {"denormals_are_zero", floating->denormals_are_zero()},
            {"unmasked_exceptions", floating->unmasked_exceptions()},
            {"mxcsr", address(floating->mxcsr)},
            {"x87_control", address(floating->x87_control)},
            {"vectors", std::move(vectors)}};
}

Json json_path(const std::vector<PathPlace>& path) {
    Json json = Json::array();
    for (const PathPlace& place : path) {
        json.push_back({{"function", place.function},
                        {"module", place.module},
                        {"file", place.file.empty() ? Json(nullptr) : Json(place.file)},
                        {"line", known_or_null(place.line)},
                        {"inlined", place.inlined}});
    }
    return json;
}

}  // namespace

std::vector<PathPlace> creation_places(const Profile& profile, const Names& names, const ProfileThread& thread) {
    std::vector<PathPlace> path;
    const auto& symbols = names.symbols();
    for (std::uint32_t at = raw(thread.creation_node); at != 0 && at < profile.nodes.size();
         at = profile.nodes[at].parent) {
        const ProfileNode& node = profile.nodes[at];
        if (node.kind != NodeKind::kFrame) {
            continue;
        }
        const auto frames = names.at(node.image, node.offset);
        for (const auto& frame : std::views::reverse(frames)) {
            const program::Function& function = symbols.functions[frame.function];
            if (!is_start_up(function.name)) {
                path.push_back({.function = function.name,
                                .module = function.module,
                                .file = symbols.files[frame.file],
                                .line = frame.line,
                                .inlined = frame.inlined});
            }
        }
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<std::optional<std::uint64_t>> known_registers(const CreatedWith& state) {
    std::vector<std::optional<std::uint64_t>> known(named_registers(state.machine));
    const auto set = [&](std::uint64_t number, std::uint64_t value) {
        constexpr std::uint64_t kMost = 256;
        if (number < kMost) {
            known.resize(std::max<std::size_t>(known.size(), number + 1));
            known[number] = value;
        }
    };
    for (const auto& [number, value] : state.registers) {
        set(number, value);
    }
    if (state.machine == kMachineX86_64) {
        set(kStackPointerOfX86, state.stack_pointer);
    }
    return known;
}

std::string words(const PathPlace& place) {
    return fmt::format("{}  {}{}", program::plain_name(place.function),
                       place.line == 0
                           ? place.module
                           : fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line),
                       place.inlined ? " (inlined)" : "");
}

std::vector<std::string> created_with_lines(const Profile& profile, const Names& names, const ProfileThread& thread) {
    std::vector<std::string> lines;
    if (!thread.created_with) {
        return lines;
    }
    const CreatedWith& state = *thread.created_with;
    if (const auto path = creation_places(profile, names, thread); !path.empty()) {
        lines.push_back("called from " + words(path.back()));
    }
    const auto blocked = signal_names(state.blocked_signals);
    lines.push_back("blocked signals: " + (blocked.empty() ? "none" : fmt::format("{}", fmt::join(blocked, ", "))));
    lines.emplace_back(state.is_callers ? "registers of the caller:" : "registers inside Kymo's library:");
    const auto registers = known_registers(state);
    for (std::size_t number = 0; number < registers.size(); ++number) {
        if (registers[number]) {
            lines.push_back(fmt::format("  {} {:#x}", register_name(state.machine, number), *registers[number]));
        }
    }
    lines.push_back(fmt::format("program counter {:#x}", state.program_counter));
    if (const auto floating = floating_state(state.machine, state.floating)) {
        lines.push_back(fmt::format("MXCSR {:#x}, rounding: {}", floating->mxcsr, floating->rounding()));
    }
    return lines;
}

Json json_created_with(const Profile& profile, const Names& names, const ProfileThread& thread) {
    if (!thread.created_with) {
        return nullptr;
    }
    const CreatedWith& state = *thread.created_with;
    return {{"call_path", json_path(creation_places(profile, names, thread))},
            {"registers_of", state.is_callers ? "caller" : "monitor"},
            {"registers", json_registers(state)},
            {"program_counter", address(state.program_counter)},
            {"stack_pointer", address(state.stack_pointer)},
            {"floating", json_floating(state)},
            {"blocked_signals", signal_names(state.blocked_signals)}};
}

}  // namespace kymo::view
