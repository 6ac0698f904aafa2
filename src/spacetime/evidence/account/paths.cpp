#include "spacetime/evidence/account/paths.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
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

// The C library begins threads; the main thread begins in the program or in the loader. What a library's own thread
// does is neither before the program nor behind it.
bool begins_thread(std::string_view module) {
    return module.starts_with("libc.") || module.starts_with("libc-") || module.starts_with("libpthread");
}

class PathReader {
  public:
    PathReader(const Profile& profile, const Names& names, const CodeMap* code)
        : profile_(profile),
          names_(names),
          code_(code),
          symbols_(names.symbols()),
          is_own_(own_functions(profile, symbols_)),
          families_(symbols_.functions.size()) {}

    PathEnds read() {
        PathEnds result;
        result.ends.emplace_back();
        std::map<PathEnd, std::uint32_t> known{{PathEnd{}, 0}};
        std::vector<PathEnd> ends(profile_.nodes.size());
        for (std::uint32_t i = 0; i < profile_.nodes.size(); ++i) {
            const ProfileNode& node = profile_.nodes[i];
            PathEnd end = i == 0 ? PathEnd{} : ends[node.parent];
            end.kind.slow = TaxFamily::kNone;
            if (node.kind == NodeKind::kFrame) {
                for (const program::Frame& frame : names_.at(node.image, node.offset)) {
                    enter(frame, &end);
                }
                if (end.function != 0 && !end.kind.is_call) {
                    end.kind.slow = slow_work(node);
                }
            } else if (node.kind == NodeKind::kUnknownCall) {
                end.kind.is_unknown_call = true;
            } else {
                end = PathEnd{};
                end.kind.is_partial = node.kind == NodeKind::kPartial || node.kind == NodeKind::kDropped;
            }
            ends[i] = end;
            const auto [entry, is_new] = known.try_emplace(end, static_cast<std::uint32_t>(result.ends.size()));
            if (is_new) {
                result.ends.push_back(end);
            }
            result.of_node.push_back(entry->second);
        }
        return result;
    }

  private:
    // `end` of the path above becomes that of the path with this frame.
    void enter(const program::Frame& frame, PathEnd* end) {
        const program::Function& function = symbols_.functions[frame.function];
        const bool has_name = frame.function != 0 && function.source != program::NameSource::kAddress &&
                              function.source != program::NameSource::kFrame;
        PathKind& kind = end->kind;
        if (!kind.is_known) {
            const bool is_outside = !kind.is_partial && !begins_thread(function.module);
            *end = PathEnd{.kind = {.is_outside = is_outside, .is_known = true, .is_partial = kind.is_partial}};
        }
        if (is_users(frame)) {
            *end = PathEnd{
                .kind = {.is_known = true}, .function = frame.function, .file = frame.file, .line = frame.line};
            return;
        }
        kind.is_call = kind.is_call || !frame.inlined;
        // The family is that of the outermost call that has one: a string that grows allocates, but its time is that
        // of strings. The memory that the copy of a container takes is apart from the copying.
        const TaxFamily own = kind.family == TaxFamily::kNone || kind.family == TaxFamily::kCopying
                                  ? family(frame.function)
                                  : TaxFamily::kNone;
        if (kind.family == TaxFamily::kNone || own == TaxFamily::kAllocation) {
            kind.family = own;
            kind.taxing = kind.family == TaxFamily::kNone || !has_name ? 0 : frame.function;
            kind.awaits_message = kind.family == TaxFamily::kMessages && awaits_others(function.name);
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

    TaxFamily slow_work(const ProfileNode& node) {
        const std::uint32_t function = code_ == nullptr ? kNone : code_->function_at(node.image, node.offset);
        if (function == kNone) {
            return TaxFamily::kNone;
        }
        const auto [known, is_new] = slow_.try_emplace(function);
        if (is_new) {
            known->second = code_->slow_instructions(function);
        }
        const auto behind = std::upper_bound(
            known->second.begin(), known->second.end(), node.offset,
            [](std::uint64_t offset, const program::SlowInstruction& slow) { return offset < slow.begin; });
        const bool is_in = behind != known->second.begin() && node.offset < std::prev(behind)->end;
        return is_in ? family_of(std::prev(behind)->work) : TaxFamily::kNone;
    }

    TaxFamily family(std::uint32_t function) {
        if (!families_[function]) {
            families_[function] = family_of(symbols_.functions[function].name, symbols_.functions[function].module);
        }
        return *families_[function];
    }

    const Profile& profile_;
    const Names& names_;
    const CodeMap* code_;
    const program::Symbols& symbols_;
    std::vector<bool> is_own_;
    std::vector<std::optional<TaxFamily>> families_;                       // by function
    std::unordered_map<std::uint64_t, bool> users_;                        // by function and file
    std::map<std::uint32_t, std::vector<program::SlowInstruction>> slow_;  // by function of code_
};

}  // namespace

PathEnds make_path_ends(const Profile& profile, const Names& names, const CodeMap* code) {
    return PathReader(profile, names, code).read();
}

}  // namespace kymo::spacetime
