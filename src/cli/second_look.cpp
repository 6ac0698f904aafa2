#include "cli/second_look.h"

#include "base/time.h"
#include "cli/image_options.h"
#include "events/kept_code.h"
#include "events/kept_file.h"
#include "events/request.h"
#include "launch/program.h"
#include "spacetime/look/kept_code.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <tbb/global_control.h>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

// Checks that the program to be run is one of those in the earlier recording.
std::optional<Error> check_program(const std::string& earlier, const std::string& program,
                                   const spacetime::Profile& profile) {
    const char* search_path = std::getenv("PATH");
    const auto found = launch::find_program(program, search_path != nullptr ? search_path : "/usr/bin:/bin");
    if (!found) {
        return found.error();
    }
    const auto is_it = [&](const spacetime::ImageInfo& image) { return image.build_id == found->build_id; };
    if (found->build_id.empty()) {
        return Error{ErrorKind::kUnsupported,
                     program + " has no build id, so its code cannot be matched between runs",
                     "link it with -Wl,--build-id and record both times"};
    }
    if (std::any_of(profile.images.begin(), profile.images.end(), is_it)) {
        return std::nullopt;
    }
    const std::string name = fs::path(program).filename().string();
    const bool same_name = std::any_of(
        profile.images.begin(), profile.images.end(),
        [&](const spacetime::ImageInfo& image) { return fs::path(image.path).filename().string() == name; });
    if (same_name) {
        return Error{ErrorKind::kUsage, earlier + " is of another build of " + name + ": its code lies elsewhere",
                     fmt::format("record this one first: kymo record -- {}", program)};
    }
    return Error{ErrorKind::kUsage, fmt::format("{} is not of {}", earlier, program),
                 "omit the program to run the one that was recorded"};
}

// Bit i: event i of the session was requested, and samples. Not the clock: time is measured everywhere.
std::uint32_t asked_events(const std::vector<std::string>& requests, const events::Session& session) {
    std::uint32_t mask = 0;
    for (const std::string& text : requests) {
        const auto request = events::parse_request(text);
        for (std::uint32_t i = 1; request && i < session.event_count; ++i) {
            if (session.events[i].samples() && request->name == session.events[i].name) {
                mask |= 1U << i;
            }
        }
    }
    return mask;
}

std::vector<events::CodeOfImage> kept_code_of(const analysis::SpaceTime& analysed) {
    std::vector<events::CodeOfImage> code;
    for (const spacetime::KeptCodeOfImage& image : spacetime::kept_code(analysed.evidence)) {
        events::CodeOfImage& to = code.emplace_back();
        to.build_id = image.build_id;
        for (const spacetime::ByteRange& range : image.ranges) {
            to.ranges.emplace_back(range.begin, range.end);
        }
    }
    return code;
}

// What the earlier recording kept, and a row that identifies it.
class KeptCodeFile final : public launch::CompanionFile {
  public:
    explicit KeptCodeFile(std::shared_ptr<EarlierRun> earlier)
        : CompanionFile(events::kKeptFile), earlier_(std::move(earlier)) {}

    Result<void> prepare(const launch::RecordOptions& options, const events::Session& session) override {
        const auto analysed = earlier_->analyse(options.command.front());
        if (!analysed) {
            return analysed.error();
        }
        const std::vector<events::CodeOfImage> code = kept_code_of(**analysed);
        for (const std::string& event : options.events) {
            events_ += event + '\0';
        }
        set_text(events::format_kept_code(asked_events(options.events, session), code));
        return {};
    }

  private:
    void write_rows(recording::StreamWriter& rows) override {
        const std::string path = earlier_->absolute_path();
        recording::Look row;
        row.time = monotonic_now().ns;
        row.recording = path;
        row.begin = earlier_->identity().begin;
        row.events = events_;
        recording::write_schema<recording::Look>(rows);
        rows.append(row);
    }

    std::shared_ptr<EarlierRun> earlier_;
    std::string events_;  // requested ones, each ended by a NUL
};

}  // namespace

std::string EarlierRun::absolute_path() const {
    std::error_code ignored;
    return fs::absolute(name_, ignored).lexically_normal().string();
}

Result<const analysis::SpaceTime*> EarlierRun::analyse(const std::string& program) {
    if (!analysed_) {
        // The launcher must be the only thread: signals could be delivered to any other one.
        const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
        auto analysed = analysis::analyse_space_time(recording_);
        if (!analysed) {
            return analysed.error();
        }
        analysed_.emplace(std::move(*analysed));
    }
    // If a program ran too short for a sample, neither its code nor its images are known.
    if (kept_code_of(*analysed_).empty()) {
        return Error{ErrorKind::kUsage, name_ + " contains no code space to look at again",
                     "record a longer run first; kymo report shows what is kept"};
    }
    if (auto error = check_program(name_, program, analysed_->profile)) {
        return *error;
    }
    return &*analysed_;
}

Result<std::shared_ptr<EarlierRun>> open_earlier(const std::string& earlier, launch::RecordOptions& options) {
    auto recording = open_with_images(earlier);
    if (!recording) {
        return recording.error();
    }
    const auto identity = spacetime::load_run_identity(*recording);
    if (!identity) {
        return identity.error();
    }
    if (options.command.empty()) {
        std::error_code ignored;
        if (identity->command.empty()) {
            return Error{ErrorKind::kUsage, earlier + " does not say which program was run",
                         fmt::format("kymo record --for {} -e EVENT -- PROGRAM ARGUMENTS…", earlier)};
        }
        if (!identity->directory.empty() && fs::current_path(ignored) != fs::path(identity->directory)) {
            return Error{ErrorKind::kUsage,
                         fmt::format("{} was recorded in {}: its command would be another one here", earlier,
                                     identity->directory),
                         "go there, or give the program after --"};
        }
        options.command = identity->command;
    }
    return std::make_shared<EarlierRun>(earlier, std::move(*recording), *identity);
}

std::unique_ptr<launch::CompanionFile> kept_code_file(std::shared_ptr<EarlierRun> earlier) {
    return std::make_unique<KeptCodeFile>(std::move(earlier));
}

}  // namespace kymo::cli
