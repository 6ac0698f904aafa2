// The lines of `kymo top`: a pure function of what happened and of what is asked to be shown.
#pragma once

#include "ring/live/live_view.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::cli {

enum class TopSort { kOnCpu, kLockWait, kWait, kFaults, kSwitches };
inline constexpr int kTopSorts = 5;

struct TopShown {
    TopSort sort = TopSort::kOnCpu;
    bool threads = true;
    bool processors = true;
    bool channels = true;
    bool metrics = true;
    std::size_t rows = 10;  // at most, of each table
};

std::string_view name_of(TopSort sort);

// Without a trailing newline each; coloured where the style is.
std::vector<std::string> top_lines(const view::Style& style, const ring::LiveView& view, const TopShown& shown);

// One object; its keys are in docs/top.md.
nlohmann::ordered_json top_json(const ring::LiveView& view);

}  // namespace kymo::cli
