#include "events/hardware_defaults.h"

#include "events/attributes.h"
#include "events/generic.h"

#include <iterator>
#include <optional>

namespace kymo::events {
namespace {

// One group of counters on the calling thread, as the monitor will open it.
class TrialGroup {
  public:
    TrialGroup(CounterOpener& opener, bool read_lost) : opener_(opener), read_lost_(read_lost) {}
    TrialGroup(const TrialGroup&) = delete;
    TrialGroup& operator=(const TrialGroup&) = delete;
    // Members before their leader: attributes.h.
    ~TrialGroup() {
        while (!counters_.empty()) {
            drop_last();
        }
    }

    // False: it does not open, or the processor has no counter left for it.
    bool add(const SessionEvent& event) {
        perf_event_attr attr = make_attributes(event, read_lost_);
        const int counter = opener_.open(attr, 0, -1, counters_.empty() ? -1 : counters_.front());
        if (counter >= 0) {
            counters_.push_back(counter);
        }
        return counter >= 0;
    }
    void drop_last() {
        opener_.close(counters_.back());
        counters_.pop_back();
    }
    // Precondition: not empty.
    [[nodiscard]] bool counts_whole() const { return opener_.counts_whole(counters_.front()); }

  private:
    CounterOpener& opener_;
    bool read_lost_;
    std::vector<int> counters_;
};

struct Wanted {
    const char* name;
    const char* otherwise;  // where that one does not open; nullptr: nothing
};

// Most important first. Many processors have stalls of one end of the pipeline only.
constexpr Wanted kWanted[] = {{"cycles", nullptr},           {"instructions", nullptr},
                              {"cache-misses", nullptr},     {"branch-misses", nullptr},
                              {"dTLB-load-misses", nullptr}, {"stalled-cycles-backend", "stalled-cycles-frontend"}};
static_assert(std::size(kWanted) == kMostHardwareDefaults);

bool add_named(const char* name, TrialGroup& group, std::vector<SessionEvent>& events) {
    auto event = name != nullptr ? generic_event(name) : std::nullopt;
    if (!event) {
        return false;
    }
    event->user_only = true;
    event->group = 1;
    if (!group.add(*event)) {
        return false;
    }
    events.push_back(*event);
    return true;
}

}  // namespace

std::vector<SessionEvent> hardware_defaults(CounterOpener& opener, bool read_lost, std::size_t most) {
    TrialGroup group(opener, read_lost);
    std::vector<SessionEvent> events;
    for (const Wanted& wanted : kWanted) {
        if (events.size() < most && !add_named(wanted.name, group, events)) {
            add_named(wanted.otherwise, group, events);
        }
    }
    // The kernel accepts a group that fits the processor, even if other users have some of its counters.
    while (!events.empty() && !group.counts_whole()) {
        group.drop_last();
        events.pop_back();
    }
    return events;
}

}  // namespace kymo::events
