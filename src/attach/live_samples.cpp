#include "attach/live_samples.h"

#include "attach/present.h"
#include "attach/proc_file.h"
#include "base/time.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>

namespace kymo::attach {
namespace {

namespace perf = import::perf;

// Drains between two looks at which threads have ended.
constexpr unsigned kDrainsToGone = 10;

// A process that nobody has waited for yet has ended, too.
bool has_ended(const Seams::Member& member) {
    const auto pid = static_cast<pid_t>(member.pid);
    const auto tid = static_cast<pid_t>(member.tid);
    if (syscall(SYS_tgkill, pid, tid, 0) != 0) {
        return errno == ESRCH;
    }
    const char state = tid == pid ? parse_state(text_of("/proc/" + std::to_string(pid) + "/stat")) : '\0';
    return state == 'Z' || state == 'X';
}

struct Births : perf::Visitor {
    std::vector<perf::Fork> rows;
    void fork(const perf::Fork& row) override { rows.push_back(row); }
};

// A ring holds so many records at least.
constexpr std::size_t kLeastInRing = 8;

// The record of a birth comes somewhat later than the new thread has its events.
constexpr std::uint64_t kBirthTakes = 10'000'000;  // ns, at most

}  // namespace

Result<void> LiveSamples::open(const Scope& scope, const SampleSettings& settings) {
    if (auto opened = rings_.open(scope, settings); !opened) {
        return opened;
    }
    scope_ = scope;
    fits_stack_ = settings.fits_stack;
    const auto most = std::max<std::size_t>(settings.stack_bytes, rings_.ring_bytes() / kLeastInRing);
    size_.emplace(settings.stack_bytes, static_cast<std::uint32_t>(std::min<std::size_t>(kMostStackBytes, most)));
    return {};
}

import::perf::Visitor& LiveSamples::deliver_to(import::RecordingBuilder& builder) {
    builder_ = &builder;
    return seams_.emplace(scope_.is_tree(), rings_.switches(), builder);
}

void LiveSamples::drain(bool last) {
    rings_.drain(last, *seams_);
    if (last) {
        tell_rest_of_lost();
        rings_.tell_lost_of_asked();
        return;
    }
    if (scope_.is_tree() && ++drains_ % kDrainsToGone == 0) {
        end_gone();
    }
    if (!fits_stack_) {
        return;
    }
    const std::uint32_t before = size_->bytes();
    const std::uint32_t wanted = size_->next(builder_->stack_use(), builder_->counts().lost);
    if (wanted != before && !change_stack(wanted)) {
        size_->refused(before);
    }
}

// The record of an end may be lost: nobody would wait for the recording's end any longer. What had ended at the last
// look, some drains ago, and of which no record has come since, ends now.
void LiveSamples::end_gone() {
    std::vector<Seams::Member> gone;
    for (const Seams::Member& member : seams_->threads()) {
        if (!has_ended(member)) {
            continue;
        }
        if (!std::binary_search(gone_.begin(), gone_.end(), member)) {
            gone.push_back(member);
            continue;
        }
        perf::Exit row;
        row.time = monotonic_now().ns;
        row.pid = member.pid;
        row.tid = member.tid;
        seams_->exit(row);
    }
    gone_ = std::move(gone);
}

// A ring that stays full to the end has no room for the record that says so.
void LiveSamples::tell_rest_of_lost() {
    const std::uint64_t told = builder_->counts().lost;
    if (const std::uint64_t lost = rings_.lost(); lost > told) {
        perf::Lost row;
        row.time = monotonic_now().ns;
        row.count = lost - told;
        seams_->lost(row);
    }
}

// New events begin before the old ones end: seams.h counts what both have seen once.
bool LiveSamples::change_stack(std::uint32_t bytes) {
    seams_->begin_change();
    Scope scope = scope_;
    if (scope.is_tree()) {
        scope.threads.clear();
        for (const Seams::Member& member : seams_->threads()) {
            scope.threads.push_back(static_cast<pid_t>(member.tid));
        }
    }
    const bool is_made = rings_.begin_change(scope, bytes) == 0 && (!scope.is_tree() || cover_births());
    rings_.end_change(is_made);
    return is_made;
}

// A thread that began meanwhile has the new events from the one that started it, if that had them by then; else it
// gets events of its own. One that gets both has more samples, which count no time twice.
bool LiveSamples::cover_births() {
    constexpr unsigned kMostRounds = 8;  // of threads that start threads which start threads, faster than this is
    const std::uint64_t begun = monotonic_now().ns;
    std::unordered_map<std::uint32_t, std::uint64_t> covered;  // of births: since when
    for (unsigned round = 0; round < kMostRounds; ++round) {
        Births births;
        rings_.look_ahead(PERF_RECORD_FORK, births);
        std::sort(births.rows.begin(), births.rows.end(),
                  [](const perf::Fork& a, const perf::Fork& b) { return a.time < b.time; });
        Scope bare;
        for (const perf::Fork& birth : births.rows) {
            if (covered.contains(birth.tid)) {
                continue;
            }
            const auto parent = covered.find(birth.parent_tid);
            const std::uint64_t since = parent != covered.end() ? parent->second : begun;
            if (birth.time >= since && birth.time - since >= kBirthTakes) {
                covered[birth.tid] = birth.time;
            } else {
                covered[birth.tid] = UINT64_MAX;  // nor its children, up to now
                bare.threads.push_back(static_cast<pid_t>(birth.tid));
            }
        }
        if (bare.threads.empty()) {
            return true;
        }
        if (rings_.add_to_change(bare) != 0) {
            return false;
        }
        const std::uint64_t now = monotonic_now().ns;
        for (const pid_t thread : bare.threads) {
            covered[static_cast<std::uint32_t>(thread)] = now;
        }
    }
    return true;
}

}  // namespace kymo::attach
