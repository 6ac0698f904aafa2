// Whose call system time outside of recorded waits is, in a stream whose clock takes no samples in the kernel.
//
// Between two samples it is known how much system time there was, but not in which call: neither sample was there.
// Where ticks of the kernel's found the thread in it (recording::KernelTick), the calls are known in which they did.
// Ticks come whatever a program does, so calls are found as often as their time in the kernel is long; each tick
// between the samples stands for the same part of the system time there. Where none did, it is the call of the
// nearest tick within a tenth of a second, in which the thread goes on as before. Where there is none, the call is
// not known: that is said, at the innermost caller that both samples have in common. It is none of the sampled
// functions' own, which may not call anything at all.
#pragma once

#include "base/index.h"
#include "recording/tables.h"
#include "spacetime/load/thread_states.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
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

// Lays them in time, and leaves out those in waits that are known one by one: their system time has its place. Of
// kinds whose calls are mostly too short for that (`brief`: how many were), those that are long by a look alone are
// as good as not known. Cost: sorting both.
void lay_in_time(std::vector<KernelLook>* looks, std::span<const ThreadWait> waits,
                 const std::map<recording::WaitKind, std::uint64_t>& brief);

// Whether this sample, and those before it, say nothing of system time.
bool is_blind_in_kernel(const EventRoles& roles, const recording::Sample& row);

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

    // Is this one to be placed here? If so, calls place(part, context, source) for its parts, in order. Once for each
    // interval, in order.
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
