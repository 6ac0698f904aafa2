// What to do about an event's heaviest hitter: what its class says, or what is known of the function it is in.
#include "spacetime/hunt_results/directions.h"

#include "spacetime/event_classes/event_class.h"

#include <array>
#include <cctype>
#include <string_view>

namespace kymo::spacetime {
namespace {

struct Advice {
    std::string_view event;     // the event's name begins so
    std::string_view function;  // and the function's holds this
    std::string_view text;
};

constexpr std::array kAdvice = {
    Advice{"page-faults", "memset",
           "Fresh memory is cleared here, page by page. Keep and reuse the buffer instead of allocating it again, or "
           "use huge pages (madvise MADV_HUGEPAGE)."},
    Advice{"page-faults", "memcpy", "The copy's target is fresh memory. Keep and reuse the buffer, or copy less."},
};

}  // namespace

std::string direction_for(const std::string& event, const HeavyHitter& hitter) {
    for (const Advice& advice : kAdvice) {
        if (event.starts_with(advice.event) && hitter.place.function.find(advice.function) != std::string::npos) {
            return std::string(advice.text);
        }
    }
    const EventClass& known = event_class(event);
    if (known.remedy.empty()) {
        return {};
    }
    std::string remedy(known.remedy);
    remedy[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy[0])));
    return std::string(known.cause) + ". " + remedy + ".";
}

}  // namespace kymo::spacetime
