// A view of the ring, as text and as JSON.
#pragma once

#include "live/request.h"
#include "live/ring_view.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::live {

enum class RingSort { kBusy, kOnCpu, kLocks, kWaits, kSwitches, kFaults, kMessages, kBytes, kMpi };
inline constexpr int kRingSorts = 9;
std::string_view name_of(RingSort sort);

// Which parts of it to show.
struct RingShown {
    RingSort sort = RingSort::kBusy;
    std::size_t rows = 40;             // hosts at most
    bool service = true;               // the ring's own channels
    std::optional<ring::Slot> chosen;  // host
    bool is_inside = false;            // all metrics of that host, instead of a line per host
};

std::vector<std::string> ring_lines(const view::Style& style, const RingView& view, const std::vector<Asked>& asked,
                                    const RingShown& shown);

// Slots as ring_lines() orders their hosts.
std::vector<ring::Slot> order_of(const RingView& view, RingSort sort);

// One object; its keys are in docs/top.md.
nlohmann::ordered_json ring_json(const RingView& view, const std::vector<Asked>& asked);

}  // namespace kymo::live
