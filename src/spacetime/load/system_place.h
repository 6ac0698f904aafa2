// Charges system time outside of recorded waits to calls, in a stream whose clock takes no samples in the kernel.
//
// Two samples show how much system time passed between them, but not in which call: neither sample was in it. Ticks
// of the kernel that found the thread in a call do (recording::KernelTick). Ticks do not depend on what a program
// does, so they find a call as often as its time in the kernel is long; each tick between the two samples stands for
// the same part of the system time there. Without a tick between them, the time goes to the call of the nearest tick
// within a tenth of a second. Without that, the call is not known, and the time goes to the innermost caller that
// both samples have in common: never to a sampled function itself, which may make no call at all.
#pragma once

#include "base/index.h"
#include "recording/tables.h"
#include "spacetime/load/state_builder.h"
#include "spacetime/load/thread_states.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct EventRoles;

// A tick of the kernel's found the stream's thread in a call.
struct KernelLook {
    std::uint64_t time = 0;     // ns, as the recording's
    std::uint32_t context = 0;  // as ThreadWait's
    bool operator==(const KernelLook&) const = default;
};

// Sorts looks by time and removes those in recorded waits, whose system time is charged to those calls already. But a
// look makes a call longer: one that is too brief to be recorded otherwise may be so only because of the look. So of
// the looks that lie in a call path's recorded waits, as many are kept as exceed what these waits' processor time
// explains, one in kLookNs, if that is more than chance. `offs` in time. Cost: sorts looks and waits.
inline constexpr std::uint64_t kLookNs = 4'000'000;  // of processor time: a tick on most kernels (250 Hz)
void lay_in_time(std::vector<KernelLook>* looks, std::span<const ThreadWait> waits,
                 std::span<const OffInterval> offs);

// Whether this sample, and those before it, say nothing of system time.
bool is_blind_in_kernel(const EventRoles& roles, const recording::Sample& row);

// Whether the thread was off its processor in a call that is not known: 10 µs and more for no recorded wait, where
// the kernel's records tell absences from preemption. Shorter ones are waits that are only counted, and mostly where
// samples see them.
bool is_unknown_absence(const StateInterval& interval, bool has_switch_records);

// How the place of a piece of system time is known.
enum class SystemSource : std::uint8_t {
    kSeen,     // looks between the two samples found the thread there
    kNear,     // the nearest look did, before or after them
    kUnknown,  // by nothing: the context is a caller of it
};

class SystemPlace {
  public:
    static constexpr std::uint64_t kNear = 100'000'000;  // ns

    // `looks` in time; `parents` as TimePlace's. Both must outlive this.
    SystemPlace(std::span<const KernelLook> looks, std::span<const std::uint32_t> parents, std::uint64_t begin)
        : looks_(looks), parents_(parents), last_(begin) {}

    // The intervals up to the next sample, which was at `sampled`; kNone: there is none, the stream ends. `is_blind`:
    // it says nothing of them.
    void next(std::span<const StateInterval> intervals, std::uint32_t sampled, bool is_blind);

    // The innermost caller that the two samples have in common, and that is neither; 0: none, kNone: there is no
    // later one.
    std::uint32_t caller_between() const { return sampled_ == kNone ? kNone : common_caller(before_, sampled_); }

    // Calls place(part, context, source) for the parts of an interval, in order, if it is one to charge here; returns
    // whether it is. Call once for each interval, in order.
    template <typename Place>
    bool each(const StateInterval& interval, Place&& place) {
        if (!is_blind_ || interval.state != ThreadState::kSystem || interval.wait != kNone) {
            return false;
        }
        StateInterval part = interval;
        while (part.begin < interval.end) {
            const std::uint64_t length = std::min(interval.end - part.begin, left_of_share());
            part.end = part.begin + length;
            place(part, context_of_share(), source_);
            given_ += length;
            part.begin = part.end;
        }
        return true;
    }

  private:
    std::uint32_t common_caller(std::uint32_t a, std::uint32_t b) const;
    // A look's part of the system time between the samples; the last one has what is left over.
    std::uint64_t share() const { return count_ == 0 ? 0 : system_ / count_; }
    std::size_t number() const {
        return share() == 0 ? count_ - 1 : std::min<std::uint64_t>(given_ / share(), count_ - 1);
    }
    std::uint64_t left_of_share() const {
        return count_ < 2 || number() + 1 == count_ ? ~std::uint64_t{0} : share() * (number() + 1) - given_;
    }
    std::uint32_t context_of_share() const { return count_ == 0 ? context_ : looks_[first_ + number()].context; }

    std::span<const KernelLook> looks_;
    std::span<const std::uint32_t> parents_;
    std::uint64_t last_;             // the end of the intervals before
    std::uint32_t before_ = kNone;   // where the sample before the last one was
    std::uint32_t sampled_ = kNone;  // where the last sample was
    std::size_t first_ = 0;          // of the looks behind the sample before
    std::size_t count_ = 0;          // of these, those up to the last sample
    std::uint64_t system_ = 0;       // ns outside of waits between the two
    std::uint64_t given_ = 0;        // ns of it that are placed
    std::uint32_t context_ = 0;      // where there is no look between them
    SystemSource source_ = SystemSource::kUnknown;
    bool is_blind_ = false;
};

}  // namespace kymo::spacetime
