#include "analysis/earlier_look.h"

#include "analysis/space_time.h"

#include <filesystem>
#include <utility>

namespace kymo::analysis {
namespace {

namespace fs = std::filesystem;

// Where the earlier recording is now; it may have moved together with the later one.
std::optional<recording::Recording> open_earlier(const spacetime::LookedFor& asked, const fs::path& later,
                                                 std::string& problem) {
    const fs::path there = asked.recording;
    for (const fs::path& path : {there, later.parent_path() / there.filename()}) {
        auto found = recording::Recording::open(path);
        if (!found) {
            problem = problem.empty() ? found.error().what : problem;
            continue;
        }
        const auto identity = spacetime::load_run_identity(*found);
        if (identity && identity->begin == asked.begin) {
            return std::move(*found);
        }
        problem = path.string() + " is not the recording that this one was made for any more";
    }
    return std::nullopt;
}

}  // namespace

EarlierLook EarlierLook::of(const recording::Recording& recording, spacetime::LookedFor asked,
                            const spacetime::EvidenceOptions& options) {
    EarlierLook look;
    look.asked_ = std::move(asked);
    if (look.asked_.is_look && !recording.files().empty()) {
        const fs::path later = fs::absolute(recording.files().front().path()).parent_path();
        if (const auto earlier = open_earlier(look.asked_, later, look.problem_)) {
            SpaceTimeOptions first{.spaces = options};
            first.spaces.sums_code = true;
            first.spaces.looked_at = nullptr;
            first.spaces.on_stage = {};
            first.spaces.team = nullptr;  // every process needs it
            auto analysed = analyse_space_time(*earlier, first);
            if (analysed) {
                look.evidence_ = std::move(analysed->evidence);
                look.problem_.clear();
            } else {
                look.problem_ = analysed.error().what;
            }
        }
    }
    return look;
}

spacetime::SecondLook EarlierLook::join(const spacetime::Evidence& evidence) const {
    if (evidence_) {
        return spacetime::join_looks(asked_, *evidence_, evidence);
    }
    spacetime::SecondLook look;
    look.asked = asked_;
    look.problem = problem_;
    return look;
}

}  // namespace kymo::analysis
