#include "cli/exact_look.h"

#include "base/clean_text.h"
#include "hooks/plan/planner.h"
#include "hooks/plan_file.h"
#include "program/demangle.h"
#include "recording/tables/exact.h"
#include "spacetime/exact/chosen_functions.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

namespace kymo::cli {
namespace {

class ExactPlanFile final : public launch::CompanionFile {
  public:
    ExactPlanFile(std::shared_ptr<EarlierRun> earlier, bool quiet)
        : CompanionFile(hooks::kPlanFile), earlier_(std::move(earlier)), quiet_(quiet) {}

    Result<void> prepare(const launch::RecordOptions& options, const events::Session& /*session*/) override {
        const auto analysed = earlier_->analyse(options.command.front());
        if (!analysed) {
            return analysed.error();
        }
        for (spacetime::ChosenFunction& chosen :
             spacetime::chosen_functions((*analysed)->evidence, hooks::kMaxCounted)) {
            functions_.push_back({std::move(chosen.place), {}});
        }
        if (functions_.empty()) {
            return Error{ErrorKind::kUsage, earlier_->name() + " keeps no function whose code is known",
                         "record a longer run first; kymo report shows what is kept"};
        }
        plan((*analysed)->profile);
        if (std::all_of(functions_.begin(), functions_.end(),
                        [](const Function& function) { return !function.refused.empty(); })) {
            return Error{ErrorKind::kUnsupported,
                         fmt::format("none of the functions that {} keeps can be hooked: {} {}", earlier_->name(),
                                     name_of(functions_.front()), functions_.front().refused),
                         "docs/hooks.md lists what can be hooked"};
        }
        if (!quiet_) {
            tell();
        }
        return {};
    }

  private:
    struct Function {
        spacetime::Place place;
        std::string refused;  // empty: it is hooked
    };

    static std::string name_of(const Function& function) {
        return function.place.function.empty()
                   ? fmt::format("{}+{:#x}", function.place.module, function.place.ranges.front().begin)
                   : program::plain_name(function.place.function);
    }

    void plan(const spacetime::Profile& profile) {
        hooks::Images images;
        std::vector<hooks::Request> requests;
        for (const Function& function : functions_) {
            hooks::Request request;
            request.counted = {function.place.build_id, function.place.ranges.front().begin,
                               static_cast<std::uint32_t>(requests.size() + 1)};
            requests.push_back(std::move(request));
            for (const spacetime::ImageInfo& image : profile.images) {
                std::error_code ignored;
                if (image.build_id == function.place.build_id &&
                    std::filesystem::is_regular_file(image.path, ignored) &&
                    std::find(images.files.begin(), images.files.end(), image.path) == images.files.end()) {
                    images.files.emplace_back(image.path);
                }
            }
        }
        hooks::Planned planned = hooks::plan(images, requests);
        for (std::size_t i = 0; i < functions_.size(); ++i) {
            const hooks::Outcome& outcome = planned.outcomes[i];
            if (outcome.entries == 0) {
                functions_[i].refused = outcome.refused.empty()
                                            ? "lies in a file that is not there any more as it was"
                                            : outcome.refused.front().reason;
            }
        }
        set_text(std::move(planned.file));
    }

    void tell() const {
        constexpr std::size_t kMostNames = 4;
        std::map<std::string, std::vector<std::string>> by_reason;
        for (const Function& function : functions_) {
            if (!function.refused.empty()) {
                by_reason[function.refused].push_back(name_of(function));
            }
        }
        for (auto& [reason, names] : by_reason) {
            const std::size_t more = names.size() > kMostNames ? names.size() - kMostNames : 0;
            names.resize(names.size() - more);
            fmt::print(stderr, "kymo: calls not counted: {}{}: {}\n",
                       clean_text(fmt::format("{}", fmt::join(names, ", "))),
                       more == 0 ? "" : fmt::format(" and {} more", more), clean_text(reason));
        }
    }

    void write_rows(recording::StreamWriter& rows) override {
        const std::string path = earlier_->absolute_path();
        recording::write_schema<recording::ExactFunction>(rows);
        for (std::size_t i = 0; i < functions_.size(); ++i) {
            recording::ExactFunction row;
            const Function& function = functions_[i];
            row.function = i + 1;
            row.name = function.place.function;
            row.module = function.place.module;
            row.build_id = function.place.build_id;
            row.offset = function.place.ranges.front().begin;
            row.refused = function.refused;
            row.earlier = path;
            rows.append(row);
        }
    }

    std::shared_ptr<EarlierRun> earlier_;
    bool quiet_;
    std::vector<Function> functions_;
};

}  // namespace

std::unique_ptr<launch::CompanionFile> exact_plan(std::shared_ptr<EarlierRun> earlier, bool quiet) {
    return std::make_unique<ExactPlanFile>(std::move(earlier), quiet);
}

}  // namespace kymo::cli
