#include "hooks/plan/planner.h"

#include "hooks/plan/data_steps.h"
#include "hooks/plan/function_names.h"
#include "hooks/plan/image_functions.h"
#include "hooks/plan/line_points.h"
#include "hooks/plan/plan_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <fnmatch.h>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace kymo::hooks {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
    return fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

struct Steps {
    std::vector<cells::Step> entry;
    std::vector<cells::Step> exit;
};

// The requests for one function.
struct Wanted {
    std::string name;                // for messages
    std::vector<std::string> names;  // all that were requested
    bool is_indirect = false;
    std::string_view not_followed;  // by any of its names: why its exits cannot be hooked
    std::vector<std::size_t> requests;
    std::map<std::size_t, Steps> settled;  // of the requests that read data

    void ask(std::size_t request) {
        if (std::find(requests.begin(), requests.end(), request) == requests.end()) {
            requests.push_back(request);
        }
    }

    // Its number if occurrences are recorded; 0: they are not.
    std::uint32_t counted(std::span<const Request> all) const {
        for (const std::size_t request : requests) {
            if (all[request].counted) {
                return all[request].counted->number;
            }
        }
        return 0;
    }
    std::vector<cells::Step> entry(std::span<const Request> all) const {
        std::vector<cells::Step> steps;
        for (const std::size_t request : requests) {
            const auto own = settled.find(request);
            const std::vector<cells::Step>& more = own == settled.end() ? all[request].entry : own->second.entry;
            steps.insert(steps.end(), more.begin(), more.end());
        }
        return steps;
    }
    std::vector<cells::Step> exit(std::span<const Request> all) const {
        std::vector<cells::Step> steps;
        for (const std::size_t request : requests) {
            const auto own = settled.find(request);
            const std::vector<cells::Step>& more = own == settled.end() ? all[request].exit : own->second.exit;
            steps.insert(steps.begin(), more.begin(), more.end());
        }
        return steps;
    }
};

// Whether this image's stacks are unwound while the program runs: it has names that occur only in code that
// throws, or switches stacks.
bool is_unwound(const ImageFunctions& image) {
    constexpr std::string_view kNames[] = {"__cxa_throw", "__gxx_personality_v0", "rust_eh_personality",
                                           "runtime.morestack_noctxt"};
    const auto is_one = [&](std::string_view name) {
        return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    };
    return std::any_of(image.functions().begin(), image.functions().end(),
                       [&](const NamedFunction& function) { return is_one(function.name); }) ||
           std::any_of(image.imports().begin(), image.imports().end(), is_one);
}

class Planner {
  public:
    Planner(const Images& images, std::span<const Request> requests, Means means, Planned* out)
        : requests_(requests),
          means_(means),
          out_(out),
          lines_(requests, out->outcomes),
          data_(images.files, images.later, writer_) {
        out_->outcomes.resize(requests.size());
    }

    void run(std::span<const std::filesystem::path> paths) {
        for (const std::filesystem::path& path : paths) {
            images_.push_back(std::make_unique<ImageFunctions>(path));
            if (!images_.back()->problem().empty()) {
                images_.pop_back();
            }
        }
        for (const auto& image : images_) {
            imported_.insert(image->imports().begin(), image->imports().end());
            lines_.find(*image);
        }
        lines_.settle();
        settle_lines();
        if (means_ == Means::kProbes) {
            is_unwound_ = std::any_of(images_.begin(), images_.end(), [](const auto& it) { return is_unwound(*it); });
        }
        for (const auto& image : images_) {
            means_ == Means::kProbes ? probe_image(*image) : plan_image(*image);
        }
        for (const auto& [name, wanted] : by_import_) {
            const std::uint32_t point = writer_.add_point(wanted.entry(requests_), wanted.exit(requests_));
            writer_.add_import(name, point);
            for (const std::size_t request : wanted.requests) {
                ++out_->outcomes[request].imports;
            }
        }
        if (means_ == Means::kHooks) {
            out_->file = writer_.text();
        }
        suggest();
    }

  private:
    struct Asked {
        std::size_t request;
        bool is_pattern;
    };

    // The requests for functions that the image may have. A pattern without an image means the program's functions.
    std::vector<Asked> asked_of(const ImageFunctions& image) const {
        std::vector<Asked> asked;
        for (std::size_t r = 0; r < requests_.size(); ++r) {
            const Request& request = requests_[r];
            if (request.counted) {
                continue;
            }
            const bool is_pattern = is_glob(request.function);
            const bool is_of_image = request.image.empty() ? !is_pattern || !image.is_c_library()
                                                           : matches(request.image, image.file_name());
            if (request.line == 0 && is_of_image) {
                asked.push_back({r, is_pattern});
            }
        }
        return asked;
    }

    // By offset, so that names of one function share its hook.
    std::map<std::uint64_t, Wanted> wanted_in(ImageFunctions& image) {
        std::map<std::uint64_t, Wanted> found;
        const std::vector<Asked> asked = asked_of(image);
        for (std::size_t r = 0; r < requests_.size(); ++r) {
            if (const auto& counted = requests_[r].counted; counted && counted->build_id == image.build_id()) {
                found[image.entry_of(counted->offset)].ask(r);
            }
        }
        if (asked.empty() && found.empty()) {
            return found;  // names cost time
        }
        for (const NamedFunction& function : image.functions()) {
            if (asked.empty()) {
                break;
            }
            const FunctionNames names(function.name);
            for (const auto& [r, is_pattern] : asked) {
                const Request& request = requests_[r];
                if (!names.are_asked_for_by(request.function, is_pattern)) {
                    continue;
                }
                Wanted& wanted = found[function.offset];
                if (wanted.name.empty() || request.function == function.name) {
                    wanted.name = request.function == function.name ? function.name : names.source();
                }
                if (wanted.names.empty() || wanted.names.back() != names.linkage()) {
                    wanted.names.push_back(names.linkage());
                }
                wanted.is_indirect = wanted.is_indirect || function.is_indirect;
                wanted.ask(r);
            }
        }
        for (const NamedFunction& function : image.functions()) {
            const auto wanted = found.find(function.offset);
            if (const std::string_view why = why_not_followed(function.name); wanted != found.end() && !why.empty()) {
                wanted->second.not_followed = why;
            }
            if (wanted != found.end() && wanted->second.counted(requests_) != 0) {
                wanted->second.name = wanted->second.name.empty() ? function.name : wanted->second.name;
                wanted->second.is_indirect = wanted->second.is_indirect || function.is_indirect;
            }
        }
        for (auto& [offset, wanted] : found) {
            std::sort(wanted.requests.begin(), wanted.requests.end());
        }
        return found;
    }

    // Makes a request's steps ready for a place. None: `steps` are.
    std::optional<DataSteps::Problem> settle(std::size_t r, const ImageFunctions& image, std::uint64_t offset,
                                             Steps& steps) {
        const Request& request = requests_[r];
        steps = {request.entry, request.exit};
        if (means_ == Means::kProbes) {
            std::string reason = needs_monitor(request);
            return reason.empty() ? std::nullopt : std::optional(DataSteps::Problem{0, std::move(reason)});
        }
        using Kind = program::DataScope::Kind;
        auto problem =
            data_.settle(request, image, offset, request.line == 0 ? Kind::kEntry : Kind::kPlace, steps.entry);
        return problem ? problem : data_.settle(request, image, offset, Kind::kExit, steps.exit);
    }

    // Removes requests that read data which cannot be read there.
    void settle(const ImageFunctions& image, std::uint64_t offset, Wanted& wanted) {
        std::erase_if(wanted.requests, [&](std::size_t r) {
            Steps steps;
            const auto problem = settle(r, image, offset, steps);
            if (problem) {
                refuse_data(image, wanted.name, r, *problem);
            } else if (!requests_[r].data.empty()) {
                wanted.settled[r] = std::move(steps);
            }
            return problem.has_value();
        });
    }

    void refuse_data(const ImageFunctions& image, const std::string& name, std::size_t r,
                     const DataSteps::Problem& problem) {
        Refused refused{name, image.file_name(), problem.reason, {}, problem.is_unknown};
        if (problem.name < requests_[r].data.size()) {
            refused.data = problem.name;
        }
        out_->outcomes[r].refused.push_back(std::move(refused));
    }

    // A line's steps are the same at all its places; if its names mean different variables there (a header's line
    // in several units, each with static variables of its own), the line is refused.
    void settle_lines() {
        for (std::size_t r = 0; r < requests_.size(); ++r) {
            std::optional<Steps> first;
            std::optional<DataSteps::Problem> problem;
            const ImageFunctions* where = nullptr;
            for (const auto& [image, place] : lines_.places_of(r)) {
                Steps steps;
                where = image;
                problem = settle(r, *image, place, steps);
                if (!problem && first && !are_same(first->entry, steps.entry)) {
                    problem = DataSteps::Problem{0, "a name in it means different variables at the line's places"};
                }
                if (!first) {
                    first = std::move(steps);
                }
                if (problem || requests_[r].data.empty()) {
                    break;
                }
            }
            if (problem) {
                refuse_data(*where, fmt::format("{}:{}", requests_[r].file, requests_[r].line), r, *problem);
                lines_.drop(r);
            } else if (first) {
                lines_.set_steps(r, std::move(first->entry));
            }
        }
    }

    static bool are_same(const std::vector<cells::Step>& one, const std::vector<cells::Step>& other) {
        return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                          [](const cells::Step& a, const cells::Step& b) {
                              return a.constant == b.constant && a.is_signed == b.is_signed;
                          });
    }

    void plan_image(ImageFunctions& image) {
        std::vector<Site> sites;
        for (auto& [offset, wanted] : wanted_in(image)) {
            const std::uint32_t counted = wanted.counted(requests_);
            if (!image.is_c_library() || is_imported(wanted)) {
                settle(image, offset, wanted);
            }
            if (wanted.requests.empty()) {
                continue;
            }
            const std::vector<cells::Step> exit = wanted.exit(requests_);
            std::string reason;
            PlanEntry entry;
            if (!wanted.not_followed.empty() && (!exit.empty() || counted != 0)) {
                refuse(image, wanted, std::string(wanted.not_followed));
                continue;
            }
            if (image.is_c_library() && counted != 0) {
                reason = "belongs to the C library, which Kymo itself uses";
            } else if (wanted.is_indirect && counted != 0) {
                reason = "is chosen when it is loaded (IFUNC)";
            } else if (image.is_c_library()) {
                reason = "belongs to the C library, and no image calls it through its linkage table";
            } else if (wanted.is_indirect) {
                reason = "is chosen when it is loaded (IFUNC), and no image calls it through its linkage table";
            } else {
                reason = image.plan_entry(offset, &entry);
                if (reason.empty() && counted != 0) {
                    reason = image.check_duration(offset);
                }
                if (reason.empty() && !sites.empty() && sites.back().end() > offset) {
                    reason = "is too near to the function before it";
                }
            }
            if (reason.empty()) {
                sites.push_back({entry, wanted.entry(requests_), exit, counted});
                for (const std::size_t request : wanted.requests) {
                    ++out_->outcomes[request].entries;
                }
            } else if (counted == 0 && hook_imports(wanted)) {
                continue;
            } else {
                refuse(image, wanted, reason);
            }
        }
        lines_.add(image, sites);
        std::vector<PlanEntry> entries;
        for (Site& site : sites) {
            site.entry.point = writer_.add_point(site.entry_steps, site.exit_steps, site.calls);
            entries.push_back(site.entry);
        }
        if (!entries.empty()) {
            writer_.add_image(image.path(), image.build_id(), entries);
        }
    }

    void probe_image(ImageFunctions& image) {
        for (auto& [offset, wanted] : wanted_in(image)) {
            settle(image, offset, wanted);
            if (wanted.requests.empty()) {
                continue;
            }
            const std::vector<cells::Step> exit = wanted.exit(requests_);
            std::vector<std::uint64_t> returns;
            std::string reason;
            if (!wanted.not_followed.empty() && !exit.empty()) {
                reason = wanted.not_followed;
            } else if (wanted.is_indirect) {
                reason = "is chosen when it is loaded (IFUNC): what the symbol names is not the function";
            } else {
                reason = image.check_calls(offset);
                reason = reason.empty() ? image.check_probe(offset) : reason;
            }
            if (reason.empty() && !exit.empty() && is_unwound_) {
                reason = image.find_returns(offset, &returns);
                reason +=
                    reason.empty() ? "" : ": its exits cannot be hooked in a program that throws or moves stacks";
            }
            if (!reason.empty()) {
                refuse(image, wanted, reason);
                continue;
            }
            const bool by_return = !is_unwound_ && !exit.empty();
            add_probe(image, offset, {.return_awaited = by_return, .requests = wanted.requests, .name = wanted.name},
                      wanted.entry(requests_));
            if (is_unwound_) {
                for (const std::uint64_t at : returns) {
                    add_probe(image, at, {.at_exit = true, .requests = wanted.requests, .name = wanted.name}, exit);
                }
            } else {
                add_probe(image, offset,
                          {.at_exit = true, .by_return = true, .requests = wanted.requests, .name = wanted.name},
                          exit);
            }
            for (const std::size_t each : wanted.requests) {
                ++out_->outcomes[each].entries;
            }
        }
        for (const auto& [place, r] : lines_.places_in(image)) {
            if (const std::string reason = image.check_probe(place); !reason.empty()) {
                lines_.refuse(image, place, r, reason);
                continue;
            }
            add_probe(image, place,
                      {.requests = {r}, .name = fmt::format("{}:{}", requests_[r].file, requests_[r].line)},
                      lines_.steps(r));
            ++out_->outcomes[r].places;
        }
    }

    void add_probe(const ImageFunctions& image, std::uint64_t offset, Probe probe, std::vector<cells::Step> steps) {
        const std::optional<std::uint64_t> in_file = image.file_offset(offset);
        if ((steps.empty() && !probe.return_awaited) || !in_file) {
            return;
        }
        probe.image = image.path();
        probe.in_file = *in_file;
        probe.point = static_cast<std::uint32_t>(out_->points.size());
        out_->points.push_back(std::move(steps));
        out_->probes.push_back(std::move(probe));
    }

    bool is_imported(const Wanted& wanted) const {
        return std::any_of(wanted.names.begin(), wanted.names.end(),
                           [this](const std::string& name) { return imported_.contains(name); });
    }

    // In the linkage tables, by every name used for it there. False: not called there.
    bool hook_imports(const Wanted& wanted) {
        bool found = false;
        for (const std::string& name : wanted.names) {
            if (imported_.contains(name)) {
                found = true;
                Wanted& import = by_import_[name];
                import.name = name;
                for (const std::size_t request : wanted.requests) {
                    import.ask(request);
                }
                import.settled.insert(wanted.settled.begin(), wanted.settled.end());
            }
        }
        return found;
    }

    void refuse(const ImageFunctions& image, const Wanted& wanted, const std::string& reason) {
        for (const std::size_t request : wanted.requests) {
            out_->outcomes[request].refused.push_back({wanted.name, image.file_name(), reason});
        }
    }

    void suggest() {
        bool is_missing = false;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            is_missing = is_missing || (requests_[i].line == 0 && !out_->outcomes[i].is_known());
        }
        if (!is_missing) {
            return;
        }
        std::set<std::string> names;
        for (const auto& image : images_) {
            for (const NamedFunction& function : image->functions()) {
                names.insert(FunctionNames(function.name).source());
            }
        }
        out_->known.assign(names.begin(), names.end());
    }

    std::span<const Request> requests_;
    Means means_;
    Planned* out_;
    bool is_unwound_ = false;
    std::vector<std::unique_ptr<ImageFunctions>> images_;
    std::set<std::string> imported_;
    std::map<std::string, Wanted> by_import_;
    LinePoints lines_;
    PlanWriter writer_;
    DataSteps data_;
};

}  // namespace

void leave_out(Planned& planned, std::span<const NotTaken> not_taken) {
    std::set<std::pair<std::string, std::filesystem::path>> functions;
    for (const NotTaken& each : not_taken) {
        if (!functions.emplace(each.probe.name, each.probe.image).second) {
            continue;
        }
        for (const std::size_t request : each.probe.requests) {
            Outcome& outcome = planned.outcomes[request];
            outcome.entries -= outcome.entries == 0 ? 0 : 1;
            outcome.refused.push_back({each.probe.name, each.probe.image.filename().string(), each.reason});
        }
    }
    std::erase_if(planned.probes, [&](const Probe& probe) { return functions.contains({probe.name, probe.image}); });
}

Planned plan(const Images& images, std::span<const Request> requests, Means means) {
    Planned planned;
    Planner(images, requests, means, &planned).run(images.files);
    return planned;
}

}  // namespace kymo::hooks
