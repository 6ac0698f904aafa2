#include "hooks/plan/line_points.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fnmatch.h>

namespace kymo::hooks {
namespace {

std::string text_of(const Request& request) {
    return fmt::format("{}:{}", request.file, request.line);
}

}  // namespace

void LinePoints::find(ImageFunctions& image) {
    for (std::size_t r = 0; r < requests_.size(); ++r) {
        const Request& request = requests_[r];
        const bool asked =
            request.image.empty() || fnmatch(request.image.c_str(), image.file_name().c_str(), FNM_NOESCAPE) == 0;
        if (request.line == 0 || !asked || image.is_c_library()) {
            continue;
        }
        Meant& meant = meant_[r];
        const program::LineTable& table = image.lines();
        meant.has_tables = meant.has_tables || !table.files().empty();
        for (const std::uint32_t file : table.files_named(request.file)) {
            const std::vector<std::uint32_t> lines = table.lines(file);
            if (lines.empty()) {
                continue;
            }
            meant.paths.insert(table.files()[file]);
            meant.lines.insert(lines.begin(), lines.end());
            const auto places = image.places().statements(table, file, request.line);
            std::vector<std::uint64_t>& all = meant.places[&image];
            all.insert(all.end(), places.begin(), places.end());
        }
        if (meant.paths.empty()) {
            for (const std::string& path : table.files()) {
                meant.files.insert(std::filesystem::path(path).filename().string());
            }
        }
    }
}

void LinePoints::settle() {
    for (std::size_t r = 0; r < requests_.size(); ++r) {
        if (requests_[r].line == 0) {
            continue;
        }
        Meant& meant = meant_[r];
        const bool somewhere = std::any_of(meant.places.begin(), meant.places.end(),
                                           [](const auto& entry) { return !entry.second.empty(); });
        NoLine& no_line = outcomes_[r].no_line;
        if (!meant.has_tables) {
            no_line.why = NoLine::kNoTables;
        } else if (meant.paths.empty()) {
            no_line.why = NoLine::kNoFile;
            no_line.files.assign(meant.files.begin(), meant.files.end());
        } else if (meant.paths.size() > 1) {
            no_line.why = NoLine::kSeveralFiles;
            no_line.files.assign(meant.paths.begin(), meant.paths.end());
        } else if (!somewhere) {
            no_line.why = NoLine::kNoCode;
            const auto behind = meant.lines.upper_bound(requests_[r].line);
            const auto before = meant.lines.lower_bound(requests_[r].line);
            if (before != meant.lines.begin()) {
                no_line.near.push_back(*std::prev(before));
            }
            if (behind != meant.lines.end()) {
                no_line.near.push_back(*behind);
            }
        }
        if (no_line.why != NoLine::kFound) {
            meant.places.clear();
        }
    }
}

std::vector<std::pair<const ImageFunctions*, std::uint64_t>> LinePoints::places_of(std::size_t request) const {
    std::vector<std::pair<const ImageFunctions*, std::uint64_t>> all;
    for (const auto& [image, places] : meant_[request].places) {
        for (const std::uint64_t place : places) {
            all.emplace_back(image, place);
        }
    }
    return all;
}

void LinePoints::set_steps(std::size_t request, std::vector<cells::Step> steps) {
    meant_[request].steps = std::move(steps);
}

// Uses a hook that covers the place, or is just before it, for the place as well.
std::string LinePoints::join(ImageFunctions& image, Site& site, std::uint64_t place, std::size_t request) const {
    const std::vector<cells::Step>& steps = meant_[request].steps;
    if (!image.places().leads_straight(site.entry.offset, place)) {
        return "is too near to another hook";
    }
    if (site.entry_steps.size() + steps.size() > cells::kMaxSteps) {
        return fmt::format("has more than {} steps", cells::kMaxSteps);
    }
    site.entry_steps.insert(site.entry_steps.end(), steps.begin(), steps.end());
    return {};
}

std::string LinePoints::add_place(ImageFunctions& image, std::vector<Site>& sites, std::uint64_t place,
                                  std::size_t request) const {
    const auto behind = std::upper_bound(sites.begin(), sites.end(), place,
                                         [](std::uint64_t at, const Site& site) { return at < site.entry.offset; });
    Site* before = behind == sites.begin() ? nullptr : &*std::prev(behind);
    if (before != nullptr && place < before->end()) {
        return join(image, *before, place, request);
    }
    Site site{};
    std::string reason = image.places().plan(place, before == nullptr ? 0 : before->end(), &site.entry);
    if (!reason.empty()) {
        if (before != nullptr && join(image, *before, place, request).empty()) {
            return {};
        }
        return reason;
    }
    if (behind != sites.end() && site.end() > behind->entry.offset) {
        return "is too near to another hook";
    }
    site.entry_steps = meant_[request].steps;
    sites.insert(behind, std::move(site));
    return {};
}

std::vector<std::pair<std::uint64_t, std::size_t>> LinePoints::places_in(const ImageFunctions& image) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> wanted;
    for (std::size_t r = 0; r < requests_.size(); ++r) {
        if (const auto found = meant_[r].places.find(&image); found != meant_[r].places.end()) {
            for (const std::uint64_t place : found->second) {
                wanted.emplace_back(place, r);
            }
        }
    }
    std::sort(wanted.begin(), wanted.end());
    return wanted;
}

void LinePoints::refuse(ImageFunctions& image, std::uint64_t place, std::size_t request, const std::string& reason) {
    const std::string function = image.places().function_at(place);
    outcomes_[request].refused.push_back(
        {text_of(requests_[request]) + (function.empty() ? "" : " in " + function), image.file_name(), reason});
}

void LinePoints::add(ImageFunctions& image, std::vector<Site>& sites) {
    for (const auto& [place, r] : places_in(image)) {
        const std::string reason = add_place(image, sites, place, r);
        if (reason.empty()) {
            ++outcomes_[r].places;
        } else {
            refuse(image, place, r, reason);
        }
    }
}

}  // namespace kymo::hooks
