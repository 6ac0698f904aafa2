#include "spacetime/evidence/make_account.h"

#include "program/flow/repeated/math_functions.h"
#include "spacetime/evidence/account/parked.h"
#include "spacetime/evidence/account/system_calls.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

using recording::WaitKind;

constexpr std::array<TimeClassInfo, kTimeClasses> kClasses = {{
    {"work", "work"},
    {"run-time", "run-time libraries"},
    {"system-call", "system calls"},
    {"page-faults", "page faults"},
    {"kernel", "unknown system calls"},
    {"interrupts", "interrupts"},
    {"spinning", "polling"},
    {"lock-wait", "waiting for locks"},
    {"barrier-wait", "waiting at barriers"},
    {"thread-wait", "waiting for another thread"},
    {"message-wait", "waiting for messages"},
    {"child-wait", "waiting for child processes"},
    {"input-output", "waiting for input and output"},
    {"timer", "asleep"},
    {"parked", "without work to do"},
    {"ready", "without a processor: too many threads"},
    {"taken", "without a processor: other programs"},
    {"off", "off the processor, not known why"},
    {"start-end", "start and end of run-time libraries"},
    {"unseen", "on a processor, without samples"},
    {"not-measured", "not measured"},
}};

TimeClass class_of_wait(WaitKind kind) {
    switch (kind) {
        case WaitKind::kMutex:
        case WaitKind::kReadLock:
        case WaitKind::kWriteLock:
        case WaitKind::kSpinLock:
        case WaitKind::kOmpCritical:
        case WaitKind::kOmpLock:
        case WaitKind::kOmpOrdered:
        case WaitKind::kOmpAtomic:
        case WaitKind::kFileLock:
            return TimeClass::kLockWait;
        case WaitKind::kBarrier:
        case WaitKind::kOmpBarrier:
            return TimeClass::kBarrierWait;
        case WaitKind::kCondition:
        case WaitKind::kSemaphore:
        case WaitKind::kJoin:
        case WaitKind::kOnce:
        case WaitKind::kFutex:
        case WaitKind::kOmpTasks:
        case WaitKind::kOmpSingle:
            return TimeClass::kThreadWait;
        case WaitKind::kMessage:
            return TimeClass::kMessageWait;
        case WaitKind::kChild:
            return TimeClass::kChildWait;
        case WaitKind::kRead:
        case WaitKind::kWrite:
        case WaitKind::kPoll:
        case WaitKind::kAccept:
        case WaitKind::kConnect:
        case WaitKind::kSync:
            return TimeClass::kInputOutput;
        case WaitKind::kSleep:
        case WaitKind::kSignal:
            return TimeClass::kTimer;
        case WaitKind::kOmpIdle:
            return TimeClass::kParked;
    }
    return TimeClass::kOff;
}

// Of the allocator's functions.
bool releases_memory(std::string_view function) {
    return function.find("free") != std::string_view::npos || function.find("delete") != std::string_view::npos ||
           function.find("dealloc") != std::string_view::npos;
}

// The kernel is in a library's function for its memory, not for a call that it makes.
bool is_memory_function(std::string_view call) {
    return call.starts_with("mem") || call.starts_with("str") || call.starts_with("wmem") || call.starts_with("wcs");
}

// Nor in an allocator's, where that calls nothing: it is the first to touch the memory that it hands out. It touches
// nothing new where it takes memory back.
bool touches_new_memory(TaxFamily family, std::string_view function) {
    return family == TaxFamily::kAllocation && !releases_memory(function);
}

struct RowKey {
    TimeClass time_class{};
    TaxFamily family{};
    std::string detail;  // where it says what the time is; otherwise the one of RowSums with most time is shown
    std::string function;
    std::string module;
    auto operator<=>(const RowKey&) const = default;
};

struct RowSums {
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;
    std::map<std::uint32_t, std::int64_t> threads;
    std::map<std::pair<std::string, std::uint32_t>, std::int64_t> lines;
    std::map<program::SourcePlace, std::int64_t> held_by;
    std::map<std::string, std::int64_t> details;
};

// "std::vector<int>::push_back": "std::vector::push_back".
std::string without_arguments(std::string_view name) {
    std::string result;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool is_operator = name.substr(0, i).ends_with("operator") ||
                                 name.substr(0, i).ends_with("operator<") ||
                                 name.substr(0, i).ends_with("operator-") || name.substr(0, i).ends_with("operator>");
        depth += name[i] == '<' && !is_operator ? 1 : 0;
        if (depth == 0) {
            result += name[i];
        }
        depth -= name[i] == '>' && !is_operator && depth > 0 ? 1 : 0;
    }
    return result;
}

class AccountMaker {
  public:
    AccountMaker(const Profile& profile, const PathEnds& paths, const program::Symbols& symbols,
                 std::span<const WaitTarget> targets, std::span<const WaitSum> sums)
        : profile_(profile), paths_(paths), symbols_(symbols), targets_(targets), sums_(sums), parked_(profile) {}

    Account make(std::span<const AccountEntry> entries) {
        for (const AccountEntry& entry : entries) {
            add(entry);
        }
        add_unseen(entries);
        Account account;
        for (auto& [key, sums] : rows_) {
            account.total_ns += sums.ns;
            account.rows.push_back(row(key, sums));
        }
        std::stable_sort(account.rows.begin(), account.rows.end(),
                         [](const AccountRow& a, const AccountRow& b) { return a.ns > b.ns; });
        return account;
    }

  private:
    const PathEnd& end(const AccountEntry& entry) const { return paths_.ends[entry.end]; }
    WaitKind kind(const AccountEntry& entry) const {
        return entry.target == kNone ? WaitKind{} : targets_[entry.target].kind;
    }

    std::string name(std::uint32_t function) const {
        return function == 0 ? std::string() : without_arguments(call_name(symbols_.functions[function].name));
    }

    // A function without a name counts as its own.
    bool is_of_c_library(std::uint32_t function) const {
        const std::string& module = symbols_.functions[function].module;
        return function == 0 || module.starts_with("libc.") || module.starts_with("libc-") ||
               module.starts_with("libpthread") || module.starts_with("ld-") || module == "[vdso]";
    }

    // Time on a processor: a user's or the kernel's.
    void class_on_processor(const AccountEntry& entry, RowKey* key) const {
        const PathKind& path = end(entry).kind;
        const bool is_kernel = entry.state == ThreadState::kSystem;
        const std::string callee = name(path.callee);
        if (path.is_known && path.is_outside && !path.is_interpreted) {
            key->time_class = TimeClass::kStartEnd;
            key->detail = name(path.taxing);
        } else if (path.family == TaxFamily::kStartEnd) {
            key->time_class = TimeClass::kStartEnd;
            key->detail = name(path.taxing);
        } else if (path.awaits_message) {
            key->time_class = TimeClass::kMessageWait;
            key->detail = name(path.taxing);
        } else if (path.is_meeting) {
            key->time_class = TimeClass::kSpinning;
            key->detail = name(path.taxing);
        } else if (is_kernel && path.entry == KernelEntry::kSoftInterrupt) {
            key->time_class = TimeClass::kInterrupts;
            key->detail = "soft interrupts";
        } else if (is_kernel && path.entry == KernelEntry::kInterrupt) {
            key->time_class = TimeClass::kInterrupts;
        } else if (is_kernel && entry.target != kNone) {
            const TimeClass waits = class_of_wait(kind(entry));
            key->time_class = waits == TimeClass::kInputOutput ? TimeClass::kSystemCall : waits;
            key->detail = wait_words(targets_[entry.target].kind, targets_[entry.target].object);
        } else if (is_kernel && (path.is_unknown_call || !path.is_known)) {
            key->time_class = TimeClass::kKernel;
        } else if (is_kernel && path.entry == KernelEntry::kFault) {
            key->time_class = TimeClass::kPageFaults;
        } else if (is_kernel && path.entry == KernelEntry::kCall && path.family == TaxFamily::kNone) {
            key->time_class = TimeClass::kSystemCall;
            key->detail = is_of_c_library(path.callee) && !callee.empty() ? callee
                          : path.kernel_call != 0 ? kernel_call_name(symbols_.functions[path.kernel_call].name)
                                                  : callee;
        } else if (is_system_call(callee)) {
            key->time_class = TimeClass::kSystemCall;
            key->detail = callee;
        } else if (is_kernel && (!path.is_call || is_memory_function(callee) ||
                                 touches_new_memory(path.family, name(path.taxing)))) {
            key->time_class = TimeClass::kPageFaults;
        } else if (path.family != TaxFamily::kNone) {
            key->time_class = TimeClass::kRunTime;
            key->family = path.family;
            key->detail = name(path.taxing);
        } else if (is_kernel && !is_of_c_library(path.callee)) {
            key->time_class = TimeClass::kPageFaults;  // other libraries make their calls through it
        } else if (is_kernel) {
            key->time_class = TimeClass::kSystemCall;
            key->detail = callee;
        } else {
            key->time_class = TimeClass::kWork;
            key->family = path.slow;
            const bool is_math = path.is_call && path.slow == TaxFamily::kRepeated;
            key->detail = !path.is_known                      ? "place not known"
                          : is_math                           ? std::string(program::math_function(callee))
                          : path.is_call                      ? callee
                          : path.slow == TaxFamily::kRepeated ? name(path.repeating)
                                                              : std::string();
        }
    }

    void add(const AccountEntry& entry) {
        RowKey key;
        const PathEnd& at = end(entry);
        program::SourcePlace place;
        if (at.function != 0) {
            place = {symbols_.functions[at.function].name, symbols_.functions[at.function].module,
                     symbols_.files[at.file], at.line};
        }
        const bool is_start = at.kind.family == TaxFamily::kStartEnd;
        const bool is_parked = parked_.is_parked(entry.thread, entry.state, kind(entry));
        std::int64_t taken = 0;
        switch (entry.state) {
            case ThreadState::kUser:
            case ThreadState::kSystem:
                class_on_processor(entry, &key);
                break;
            case ThreadState::kSpinning:
                key.time_class = is_start ? TimeClass::kStartEnd : TimeClass::kSpinning;
                key.detail = wait_kind_words(kind(entry));
                break;
            case ThreadState::kWaiting:
                key.time_class = is_start             ? TimeClass::kStartEnd
                                 : is_parked          ? TimeClass::kParked
                                 : at.kind.is_meeting ? TimeClass::kBarrierWait
                                                      : class_of_wait(kind(entry));
                key.detail = at.kind.is_meeting ? name(at.kind.taxing)
                             : entry.target == kNone
                                 ? std::string()
                                 : wait_words(targets_[entry.target].kind, targets_[entry.target].object);
                break;
            case ThreadState::kReady:
                key.time_class = TimeClass::kReady;
                taken = entry.ns - entry.crowded_ns;
                break;
            case ThreadState::kOff:
                key.time_class = is_start ? TimeClass::kStartEnd : TimeClass::kOff;
                break;
            case ThreadState::kPaused:
                key.time_class = TimeClass::kNotMeasured;
                break;
        }
        if (entry.ns != taken) {
            add(key, entry.thread, entry.ns - taken, is_parked ? 0 : entry.shorter_ns, place, entry.target);
        }
        if (taken != 0) {
            key.time_class = TimeClass::kTaken;
            add(key, entry.thread, taken, 0, place, kNone);
        }
    }

    void add(RowKey key, std::uint32_t thread, std::int64_t ns, std::int64_t shorter_ns,
             const program::SourcePlace& place, std::uint32_t target) {
        key.function = place.function;
        key.module = place.module;
        std::string detail;
        if (key.time_class == TimeClass::kWork || key.time_class == TimeClass::kRunTime) {
            detail = std::exchange(key.detail, {});
        }
        RowSums& sums = rows_[std::move(key)];
        sums.details[std::move(detail)] += ns;
        sums.ns += ns;
        sums.shorter_ns += shorter_ns;
        sums.threads[thread] += ns;
        if (!place.function.empty()) {
            sums.lines[{place.file, place.line}] += ns;
        }
        if (target != kNone && !sums_[target].holder_place.function.empty()) {
            sums.held_by[sums_[target].holder_place] += ns;
        }
    }

    // Threads without samples: known from the kernel's records, or from their ends, alone.
    void add_unseen(std::span<const AccountEntry> entries) {
        std::vector<bool> is_seen(profile_.threads.size());
        for (const AccountEntry& entry : entries) {
            is_seen[entry.thread] = true;
        }
        for (std::uint32_t i = 0; i < profile_.threads.size(); ++i) {
            const ProfileThread& thread = profile_.threads[i];
            if (is_seen[i]) {
                continue;
            }
            const StateSums states = thread.states.sums();
            const auto part = [&](TimeClass time_class, std::int64_t ns) {
                if (ns != 0) {
                    add({.time_class = time_class, .family = {}, .detail = {}, .function = {}, .module = {}}, i, ns,
                        0, {}, kNone);
                }
            };
            part(TimeClass::kUnseen, states.processor());
            part(TimeClass::kTaken, states[ThreadState::kReady]);
            part(TimeClass::kOff, states[ThreadState::kWaiting] + states[ThreadState::kOff]);
            part(TimeClass::kNotMeasured, states[ThreadState::kPaused]);
        }
    }

    template <typename Map>
    static typename Map::key_type most(const Map& times) {
        const auto found = std::max_element(times.begin(), times.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
        return found == times.end() ? typename Map::key_type{} : found->first;
    }

    AccountRow row(const RowKey& key, const RowSums& sums) const {
        const auto [file, line] = most(sums.lines);
        const std::string detail = most(sums.details);
        const auto part = sums.details.find(detail);
        const bool is_most = part != sums.details.end() && part->second * 2 > sums.ns;
        std::int64_t released = 0;
        for (const auto& [call, ns] : sums.details) {
            released += key.family == TaxFamily::kAllocation && releases_memory(call) ? ns : 0;
        }
        AccountRow row{
            .time_class = key.time_class,
            .family = key.family,
            .detail = key.detail.empty() && is_most ? detail : key.detail,
            .place = {key.function, key.module, file, line},
            .ns = sums.ns,
            // Rounded piece by piece.
            .shorter_ns = std::min(sums.shorter_ns, static_cast<std::int64_t>(profile_.end - profile_.begin)),
            .released_ns = released,
            .threads = {},
            .held_by = most(sums.held_by)};
        for (const auto& [thread, ns] : sums.threads) {
            row.threads.push_back({thread, ns});
        }
        return row;
    }

    const Profile& profile_;
    const PathEnds& paths_;
    const program::Symbols& symbols_;
    std::span<const WaitTarget> targets_;
    std::span<const WaitSum> sums_;
    ParkedThreads parked_;
    std::map<RowKey, RowSums> rows_;
};

void add_times(std::span<const FunctionTimes> functions, const program::Symbols& symbols, Account* account) {
    constexpr std::int64_t kLeastPart = 20;  // one in so many
    const auto sum = [](const TimeBatches& times) {
        return std::accumulate(times.begin(), times.end(), std::int64_t{0});
    };
    for (const FunctionTimes& one : functions) {
        std::transform(one.ns.begin(), one.ns.end(), account->busy.begin(), account->busy.begin(), std::plus<>());
    }
    const std::int64_t all = sum(account->busy);
    for (const FunctionTimes& one : functions) {
        if (one.function != 0 && sum(one.ns) * kLeastPart >= all) {
            const program::Function& function = symbols.functions[one.function];
            account->in_time.push_back({function.name, function.module, one.ns});
        }
    }
}

}  // namespace

const TimeClassInfo& info_of(TimeClass time_class) {
    return kClasses[static_cast<std::size_t>(time_class)];
}

Account make_account(const Profile& profile, const PathEnds& paths, const program::Symbols& symbols,
                     std::span<const WaitTarget> targets, std::span<const WaitSum> sums,
                     std::span<const AccountEntry> entries, std::span<const FunctionTimes> functions) {
    Account account = AccountMaker(profile, paths, symbols, targets, sums).make(entries);
    add_times(functions, symbols, &account);
    return account;
}

}  // namespace kymo::spacetime
