#include "spacetime/evidence/account/paths.h"

#include "spacetime/evidence/account/system_calls.h"
#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

// Calls of MPI that return when another rank has done its part. Sends may copy and go on.
bool awaits_others(std::string_view function) {
    static constexpr std::array<std::string_view, 18> kCalls = {
        "recv",      "wait",    "probe",    "sendrecv", "barrier", "bcast", "reduce",    "allreduce", "gather",
        "allgather", "scatter", "alltoall", "scan",     "exscan",  "ssend", "win_fence", "win_wait",  "win_complete"};
    std::string name(qualified_name(function));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const std::size_t begin = name.starts_with("pmpi_") ? 5 : name.starts_with("mpi_") ? 4 : std::string::npos;
    return begin != std::string::npos && std::any_of(kCalls.begin(), kCalls.end(), [&](std::string_view call) {
               return std::string_view(name).substr(begin).starts_with(call);
           });
}

// The C++ library's barrier and latch wait as atomics do.
bool is_meeting(std::string_view function) {
    return function.starts_with("std::barrier<") || function.starts_with("std::__tree_barrier") ||
           function.starts_with("std::latch::");
}

// Calls that return 0 where two texts, or pieces of memory, are equal.
bool compares(std::string_view function) {
    static constexpr std::array<std::string_view, 8> kCalls = {"strcmp", "strncmp", "strcasecmp", "strncasecmp",
                                                               "wcscmp", "memcmp",  "bcmp",       "strcoll"};
    const std::string name = call_name(function);
    return std::any_of(kCalls.begin(), kCalls.end(), [&](std::string_view call) {
        // "strcmp_evex", "memcmp_avx2_movbe": the C library has several.
        return name == call || (name.starts_with(call) && name[call.size()] == '_');
    });
}

// The functions that a hash table calls for its keys.
bool is_for_keys(std::string_view function) {
    const std::string_view name = qualified_name(function);
    return name.ends_with("operator()") || name.ends_with("operator==");
}

bool is_kernel(std::string_view module) {
    return module.starts_with("[kernel.") || module == "[kernel]" || module == "[guest.kernel.kallsyms]";
}

// "__x64_sys_read" is "read"; empty: it is no function of a system call.
std::string_view system_call_of(std::string_view function) {
    for (const std::string_view prefix : {"__x64_sys_", "__ia32_sys_", "__arm64_sys_", "__riscv_sys_", "__do_sys_"}) {
        if (function.starts_with(prefix)) {
            return function.substr(prefix.size());
        }
    }
    return {};
}

KernelEntry entry_of(std::string_view function) {
    const auto has = [&](std::string_view part) { return function.find(part) != std::string_view::npos; };
    return has("page_fault") || has("mem_abort") || has("da_abort")                        ? KernelEntry::kFault
           : has("syscall") || has("SYSCALL") || has("el0_svc") || has("_sys_")            ? KernelEntry::kCall
           : has("sysvec") || has("_irq") || has("irq_") || has("interrupt") || has("nmi") ? KernelEntry::kInterrupt
                                                                                           : KernelEntry::kNotKnown;
}

// The first function of an interrupt, on x86-64 and aarch64.
bool is_interrupt(std::string_view function) {
    return function.starts_with("asm_sysvec_") || function.starts_with("asm_common_interrupt") ||
           function.starts_with("el1_interrupt") || function.starts_with("el1h_64_irq") ||
           function.starts_with("el0_interrupt");
}

bool runs_soft_interrupts(std::string_view function) {
    return function.starts_with("handle_softirqs") || function.starts_with("__do_softirq");
}

// The C library begins threads; the main thread begins in the program or in the loader. What a library's own thread
// does is neither before the program nor behind it.
bool begins_thread(std::string_view module) {
    return module.starts_with("libc.") || module.starts_with("libc-") || module.starts_with("libpthread");
}

// The monitor tries a lock before it waits for it, so that a lock that is free costs no more than a call, and its own
// frames are not on the path. So a try on a path may be another call of the program's: one of these. The trying call
// first.
using LockCalls = std::array<std::string_view, 4>;
constexpr std::array<LockCalls, 7> kLockCalls = {{
    {"pthread_mutex_trylock", "pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock"},
    {"pthread_rwlock_tryrdlock", "pthread_rwlock_rdlock"},
    {"pthread_rwlock_trywrlock", "pthread_rwlock_wrlock"},
    {"pthread_spin_trylock", "pthread_spin_lock"},
    {"mtx_trylock", "mtx_lock", "mtx_timedlock"},
    {"omp_test_lock", "omp_set_lock"},
    {"omp_test_nest_lock", "omp_set_nest_lock"},
}};

// "gomp_test_lock_30", in debug information, and Fortran's "omp_test_lock_" are "omp_test_lock".
std::string lock_call(std::string_view function) {
    std::string name = call_name(function);
    name.erase(0, name.starts_with("gomp_") ? 1 : 0);
    if (name.starts_with("omp_")) {
        name.erase(name.find_last_not_of("_0123456789") + 1);
    }
    return name;
}

// Null if it is not a call that tries.
const LockCalls* calls_of_try(std::string_view name) {
    const auto found =
        std::find_if(kLockCalls.begin(), kLockCalls.end(), [&](const LockCalls& calls) { return calls[0] == name; });
    return found == kLockCalls.end() ? nullptr : &*found;
}

class PathReader {
  public:
    PathReader(const Profile& profile, const Names& names, const CodeMap* code)
        : profile_(profile),
          names_(names),
          code_(code),
          symbols_(names.symbols()),
          is_own_(own_functions(profile, symbols_)),
          named_(symbols_.functions.size()) {}

    PathEnds read() {
        PathEnds result;
        result.ends.emplace_back();
        find_lock_calls();
        std::map<PathEnd, std::uint32_t> known{{PathEnd{}, 0}};
        std::vector<PathEnd> ends(profile_.nodes.size());
        for (std::uint32_t i = 0; i < profile_.nodes.size(); ++i) {
            const ProfileNode& node = profile_.nodes[i];
            PathEnd end = i == 0 ? PathEnd{} : ends[node.parent];
            end.kind.slow = TaxFamily::kNone;
            const std::uint32_t above = i == 0 ? 0 : repeats_in(node.parent);
            repeating_.push_back(above);
            const std::uint32_t repeating = above != 0 ? above : repeats_inlined(node);
            const auto outer = i == 0 ? destroying_by_.end() : destroying_by_.find(node.parent);
            destroying_ = outer == destroying_by_.end() ? std::nullopt : std::optional(outer->second);
            if (node.kind == NodeKind::kFrame) {
                for (const program::Frame& frame : names_.at(node.image, node.offset)) {
                    enter(frame, node.parent, &end);
                }
                if (end.function != 0 && repeating != 0) {
                    end.kind.slow = TaxFamily::kRepeated;
                    end.kind.repeating = repeating;
                } else if (end.function != 0 && !end.kind.is_call) {
                    end.kind.slow = family_of(slow_work(node));
                }
            } else if (node.kind == NodeKind::kUnknownCall) {
                end.kind.is_unknown_call = true;
            } else {
                end = PathEnd{};
                end.kind.is_partial = node.kind == NodeKind::kPartial || node.kind == NodeKind::kDropped;
            }
            ends[i] = end;
            if (destroying_) {
                destroying_by_.emplace(i, *destroying_);
            }
            const auto [entry, is_new] = known.try_emplace(end, static_cast<std::uint32_t>(result.ends.size()));
            if (is_new) {
                result.ends.push_back(end);
            }
            result.of_node.push_back(entry->second);
        }
        return result;
    }

  private:
    // Which function of locks each call site calls: seen where a path of the same site waits in that function itself.
    void find_lock_calls() {
        std::vector<bool> is_lock_call(symbols_.functions.size());
        for (std::uint32_t i = 0; i < symbols_.functions.size(); ++i) {
            if (symbols_.functions[i].name.find("lock") == std::string::npos) {
                continue;
            }
            const std::string name = lock_call(symbols_.functions[i].name);
            is_lock_call[i] = std::any_of(kLockCalls.begin(), kLockCalls.end(), [&](const LockCalls& calls) {
                return std::find(calls.begin() + 1, calls.end(), name) != calls.end();
            });
        }
        for (const ProfileNode& node : profile_.nodes) {
            const auto frames = node.kind == NodeKind::kFrame ? names_.at(node.image, node.offset)
                                                              : std::span<const program::Frame>();
            if (!frames.empty() && is_lock_call[frames.front().function]) {
                lock_calls_.try_emplace(node.parent, frames.front().function);
            }
        }
    }

    // What the program called, where this was called at the end of the path `caller`; 0: not known.
    std::uint32_t called(std::uint32_t function, std::uint32_t caller) const {
        const LockCalls* calls = calls_of_try(lock_call(symbols_.functions[function].name));
        if (calls == nullptr) {
            return function;
        }
        const auto seen = lock_calls_.find(caller);
        const bool is_seen =
            seen != lock_calls_.end() && std::find(calls->begin() + 1, calls->end(),
                                                   lock_call(symbols_.functions[seen->second].name)) != calls->end();
        return is_seen ? seen->second : 0;
    }

    // What the kernel does is for the function that called it, or that it interrupted.
    void enter_kernel(const program::Function& function, std::uint32_t number, PathKind* kind) {
        if (is_interrupt(function.name)) {
            kind->entry = KernelEntry::kInterrupt;
        } else if (kind->entry == KernelEntry::kInterrupt && runs_soft_interrupts(function.name)) {
            kind->entry = KernelEntry::kSoftInterrupt;
        } else if (kind->entry == KernelEntry::kNotKnown) {
            kind->entry = entry_of(function.name);
        }
        if (kind->kernel_call == 0 && kind->entry == KernelEntry::kCall && !system_call_of(function.name).empty()) {
            kind->kernel_call = number;
        }
    }

    // `end` of the path above, the profile's node `caller`, becomes that of the path with this frame.
    void enter(const program::Frame& frame, std::uint32_t caller, PathEnd* end) {
        const program::Function& function = symbols_.functions[frame.function];
        const bool has_name = frame.function != 0 && function.source != program::NameSource::kAddress &&
                              function.source != program::NameSource::kFrame;
        PathKind& kind = end->kind;
        if (is_kernel(function.module)) {
            enter_kernel(function, frame.function, &kind);
            return;
        }
        if (!kind.is_known) {
            const bool is_outside = !kind.is_partial && !begins_thread(function.module);
            *end = PathEnd{.kind = {.is_outside = is_outside, .is_known = true, .is_partial = kind.is_partial}};
        }
        const bool is_own = is_users(frame);
        // What compares elements is a part of sorting them.
        if (is_own && kind.family == TaxFamily::kSorting && end->function != 0) {
            kind.is_callback = true;
            return;
        }
        const SpecialMember member = is_own ? named(frame.function).member : SpecialMember::kNone;
        const bool is_copy = member == SpecialMember::kCopy && end->function != 0;
        if (is_own && !is_copy) {
            if (member != SpecialMember::kDestructor) {
                destroying_.reset();
            } else if (!destroying_ && end->function != 0) {
                destroying_ = *end;
            }
            const bool is_callback =
                kind.family == TaxFamily::kHashing && (kind.is_callback || is_for_keys(function.name));
            *end = PathEnd{.kind = {.family = is_callback ? TaxFamily::kHashing : TaxFamily::kNone,
                                    .is_known = true,
                                    .is_callback = is_callback,
                                    .taxing = is_callback ? kind.taxing : 0},
                           .function = frame.function,
                           .file = frame.file,
                           .line = frame.line};
            return;
        }
        // The family is that of the outermost call that has one: a string that grows allocates, but its time is that
        // of strings. The memory that the copy of a container takes is apart from the copying.
        const bool is_compared = kind.family == TaxFamily::kSorting && kind.is_callback;
        const bool may_have_one = !kind.is_meeting && (kind.family == TaxFamily::kNone ||
                                                       kind.family == TaxFamily::kCopying || is_compared);
        const bool is_search = may_have_one && !kind.is_call && has_name && named(frame.function).compares &&
                               profile_.nodes[caller].kind == NodeKind::kFrame &&
                               slow_work(profile_.nodes[caller]) == program::SlowWork::kSearchByCall;
        const TaxFamily own = !may_have_one ? TaxFamily::kNone
                              : is_copy     ? TaxFamily::kCopying
                              : is_search   ? TaxFamily::kShifting
                                            : named(frame.function).family;
        kind.is_call = kind.is_call || !frame.inlined;
        // Exceptions are their own cost, whichever function of a library throws or catches them.
        const bool is_thrown = !kind.is_meeting && kind.family != TaxFamily::kStartEnd &&
                               named(frame.function).family == TaxFamily::kExceptions;
        if (kind.family == TaxFamily::kCopying && own == TaxFamily::kFilling && !kind.is_meeting) {
            kind.family = TaxFamily::kFilling;  // a container's elements get one value: its function names it still
        } else if (is_thrown ||
                   (!kind.is_meeting && (kind.family == TaxFamily::kNone || own == TaxFamily::kAllocation ||
                                         (is_compared && own != TaxFamily::kNone)))) {
            kind.family = is_thrown ? TaxFamily::kExceptions : own;
            kind.taxing = kind.family == TaxFamily::kNone || !has_name ? 0 : called(frame.function, caller);
            kind.awaits_message = kind.family == TaxFamily::kMessages && awaits_others(function.name);
        }
        // The members' memory goes where the object does.
        if (kind.family == TaxFamily::kAllocation && destroying_) {
            end->function = destroying_->function;
            end->file = destroying_->file;
            end->line = destroying_->line;
        }
        if (!kind.is_meeting && named(frame.function).is_meeting) {
            kind.is_meeting = true;
            kind.taxing = frame.function;
        }
        kind.is_interpreted = kind.is_interpreted || is_interpreter(function.module);
        // A function without a name is inside the named one before it only where both are of one library.
        const bool is_same_library = symbols_.functions[kind.callee].module == function.module;
        kind.callee = has_name ? frame.function : is_same_library ? kind.callee : 0;
    }

    // An operator, a constructor: a header's function that was put into own code is not its users' own.
    bool is_users(const program::Frame& frame) {
        if (!is_own_[frame.function]) {
            return false;
        }
        const auto [known, is_new] = users_.try_emplace(std::uint64_t{frame.function} << 32U | frame.file);
        if (is_new) {
            const program::Function& function = symbols_.functions[frame.function];
            known->second = !is_runtime(function, symbols_.files[frame.file]) && !is_interpreter(function.module);
        }
        return known->second;
    }

    // The function of the outermost call on a path that computes again what was computed before; 0: none.
    std::uint32_t repeats_in(std::uint32_t number) {
        const ProfileNode& node = profile_.nodes[number];
        const std::uint32_t function = repeating_[number] != 0 || code_ == nullptr || node.kind != NodeKind::kFrame
                                           ? kNone
                                           : code_->function_at(node.image, node.offset);
        if (function == kNone || code_->made(function) == nullptr) {
            return repeating_[number];
        }
        const auto frames = names_.at(node.image, node.offset);
        if (frames.empty() || !is_own_[frames.back().function]) {
            return 0;
        }
        const auto [known, is_new] = repeated_.try_emplace(function);
        if (is_new) {
            known->second = code_->repeated_calls(
                function, [this](std::uint32_t called) -> const auto& { return effects_of(called); });
        }
        const bool repeats =
            !known->second.empty() && std::binary_search(known->second.begin(), known->second.end(),
                                                         code_->instruction_at(function, node.offset));
        return repeats ? frames.back().function : 0;
    }

    // A recurrence whose first calls the compiler put into one another; 0: it is none.
    std::uint32_t repeats_inlined(const ProfileNode& node) {
        const auto frames = node.kind == NodeKind::kFrame && code_ != nullptr ? names_.at(node.image, node.offset)
                                                                              : std::span<const program::Frame>();
        if (frames.size() < 2 || !is_own_[frames.front().function]) {
            return 0;
        }
        const auto is_outer = [&](const program::Frame& frame) { return frame.function == frames.front().function; };
        if (std::none_of(frames.begin() + 1, frames.end(), is_outer)) {
            return 0;
        }
        const std::uint32_t function = code_->function_at(node.image, node.offset);
        const bool overlaps =
            function != kNone && code_->made(function) != nullptr && !effects_of(function).overlapping_calls.empty();
        return overlaps ? frames.front().function : 0;
    }

    const program::FunctionEffects& effects_of(std::uint32_t function) {
        const auto [effects, is_new] = effects_.try_emplace(function);
        if (is_new) {
            effects->second = code_->effects(function);
        }
        return effects->second;
    }

    program::SlowWork slow_work(const ProfileNode& node) {
        const std::uint32_t function = code_ == nullptr ? kNone : code_->function_at(node.image, node.offset);
        if (function == kNone) {
            return program::SlowWork::kNone;
        }
        const auto [known, is_new] = slow_.try_emplace(function);
        if (is_new) {
            known->second = code_->slow_instructions(function);
        }
        const auto behind = std::upper_bound(
            known->second.begin(), known->second.end(), node.offset,
            [](std::uint64_t offset, const program::SlowInstruction& slow) { return offset < slow.begin; });
        const bool is_in = behind != known->second.begin() && node.offset < std::prev(behind)->end;
        return is_in ? std::prev(behind)->work : program::SlowWork::kNone;
    }

    // What a function's name says.
    struct Named {
        TaxFamily family{};
        SpecialMember member{};
        bool is_meeting = false;
        bool compares = false;
    };

    const Named& named(std::uint32_t number) {
        if (!named_[number]) {
            const program::Function& function = symbols_.functions[number];
            named_[number] = Named{.family = family_of(function.name, function.module),
                                   .member = special_member(function.name),
                                   .is_meeting = kymo::spacetime::is_meeting(function.name),
                                   .compares = kymo::spacetime::compares(function.name)};
        }
        return *named_[number];
    }

    const Profile& profile_;
    const Names& names_;
    const CodeMap* code_;
    const program::Symbols& symbols_;
    std::vector<bool> is_own_;
    std::vector<std::optional<Named>> named_;                              // by function
    std::optional<PathEnd> destroying_;                                    // who destroys, in a destructor
    std::unordered_map<std::uint32_t, PathEnd> destroying_by_;             // by node: likewise
    std::unordered_map<std::uint64_t, bool> users_;                        // by function and file
    std::unordered_map<std::uint32_t, std::uint32_t> lock_calls_;          // by the caller's node: a function
    std::map<std::uint32_t, std::vector<program::SlowInstruction>> slow_;  // by function of code_
    std::map<std::uint32_t, std::vector<std::uint64_t>> repeated_;         // likewise
    std::map<std::uint32_t, program::FunctionEffects> effects_;            // likewise
    std::vector<std::uint32_t> repeating_;                                 // by node: repeats_in() its parent
};

}  // namespace

std::string kernel_call_name(std::string_view function) {
    return std::string(system_call_of(function));
}

PathEnds make_path_ends(const Profile& profile, const Names& names, const CodeMap* code) {
    return PathReader(profile, names, code).read();
}

}  // namespace kymo::spacetime
