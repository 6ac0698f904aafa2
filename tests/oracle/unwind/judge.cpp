#include "judge.h"

#include "known_cases.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace kymo::oracle {

namespace {

// The innermost frame after which two paths part: the one that one of them unwound wrongly.
const PathFrame& parting(const CallPath& a, const CallPath& b) {
    const std::size_t shorter = std::min(a.frames.size(), b.frames.size());
    std::size_t common = 1;
    while (common < shorter && a.frames[common] == b.frames[common]) {
        common++;
    }
    return a.frames[common - 1];
}

constexpr std::array kIndependent = {kLibunwind, kElfutils, kShadow};

std::uint64_t lookup_address(const PathFrame& frame) {
    return frame.pc - (frame.is_return ? 1 : 0);
}

bool matches(std::string_view pattern, std::string_view name) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

std::string_view known_error(Witness witness, std::string_view program, std::string_view function) {
    for (const KnownCase& known : known_cases()) {
        if (known.errs == witness && matches(known.program, program) && matches(known.function, function)) {
            return known.why;
        }
    }
    return {};
}

bool is_unknowable(const Names& names, const PathFrame& frame) {
    // Also by the address itself: a return address may be made up and then points at a function's first byte.
    const std::string by_lookup = names.function_at(lookup_address(frame));
    const std::string by_address = names.function_at(frame.pc);
    return std::any_of(unknowable_places().begin(), unknowable_places().end(), [&](const Unknowable& place) {
        return matches(place.function, by_lookup) || matches(place.function, by_address);
    });
}

// Do the two agree up to and with the frame `last` of the first?
bool is_prefix(const CallPath& path, const PathFrame& last, const CallPath& other) {
    for (std::size_t i = 0; i < path.frames.size() && i < other.frames.size(); i++) {
        if (path.frames[i] != other.frames[i]) {
            return false;
        }
        if (path.frames[i] == last) {
            return true;
        }
    }
    return false;
}

// The path two voters agree on, or that of the only voter.
const CallPath* settle(const std::vector<const CallPath*>& paths) {
    if (paths.size() == 1) {
        return paths[0];
    }
    for (std::size_t i = 0; i < paths.size(); i++) {
        for (std::size_t j = i + 1; j < paths.size(); j++) {
            if (paths[i]->complete && *paths[i] == *paths[j]) {
                return paths[i];
            }
        }
    }
    return nullptr;
}

}  // namespace

Judge::Judge(std::string program, const Names& names, bool verbose)
    : program_(std::move(program)), names_(names), verbose_(verbose) {}

bool Judge::hear(const Testimony& testimony) {
    heard_++;
    if (testimony[kKymo].complete && testimony[kKymo] == testimony[kLibunwind] &&
        testimony[kKymo] == testimony[kElfutils] && testimony[kKymo] == testimony[kShadow]) {
        unanimous_++;
        return true;
    }
    const std::vector<const CallPath*> paths = voters(testimony);
    const CallPath* truth = settle(paths);
    if (truth == nullptr) {
        return unsettled(testimony, paths);
    }
    for (std::size_t witness = 0; witness < kWitnesses; witness++) {
        if (testimony[witness] != *truth) {
            outvoted(testimony, static_cast<Witness>(witness), *truth);
        }
    }
    const CallPath& ours = testimony[kKymo];
    const bool right = ours == *truth || (ours.frames == truth->frames && is_unknowable(names_, ours.frames.back()));
    mismatches_ += right ? 0 : 1;
    return right;
}

// Those of the independent witnesses that are not known to err about this path.
std::vector<const CallPath*> Judge::voters(const Testimony& testimony) const {
    std::vector<const CallPath*> paths;
    for (const Witness witness : kIndependent) {
        const bool errs = std::any_of(kIndependent.begin(), kIndependent.end(), [&](Witness other) {
            return testimony[witness] != testimony[other] &&
                   !why_known(witness, parting(testimony[other], testimony[witness])).empty();
        });
        if (!errs) {
            paths.push_back(&testimony[witness]);
        }
    }
    return paths;
}

std::string_view Judge::why_known(Witness witness, const PathFrame& at) const {
    return known_error(witness, program_, names_.function_at(lookup_address(at)));
}

// Without call-frame information there is nothing to agree on; it only counts whether the unwinder under test guessed
// right.
bool Judge::unsettled(const Testimony& testimony, const std::vector<const CallPath*>& paths) {
    const PathFrame* at = &testimony[kShadow].frames[0];
    for (const CallPath* path : paths) {
        if (*path != *paths[0]) {
            at = &parting(*path, *paths[0]);
        }
    }
    if (!names_.is_described(lookup_address(*at))) {
        uncharted_++;
        recovered_ += std::any_of(paths.begin(), paths.end(),
                                  [&](const CallPath* path) { return path->complete && *path == testimony[kKymo]; });
        return true;
    }
    if (!paths.empty() && is_unknowable(names_, *at)) {
        unknowable_++;
        if (is_prefix(*paths[0], *at, testimony[kKymo])) {
            return true;
        }
    }
    unsettled_++;
    if (places_["no two agree at " + names_.describe(at->pc)].count++ == 0) {
        print(testimony, "UNSETTLED");
    }
    return false;
}

void Judge::outvoted(const Testimony& testimony, Witness witness, const CallPath& truth) {
    (testimony[witness].complete ? wrong_ : gave_up_)[witness]++;
    const PathFrame& at = parting(truth, testimony[witness]);
    const std::string function = names_.function_at(lookup_address(at));
    std::string where = std::string(kWitnessNames[witness]) + " at ";
    where += witness == kKymo || function.empty() ? names_.describe(at.pc) : function;
    Place& place = places_[where];
    place.known = why_known(witness, at);
    if (place.count++ == 0 && (witness == kKymo || (verbose_ && place.known.empty()))) {
        print(testimony, witness == kKymo ? "MISMATCH" : "OUTVOTED " + std::string(kWitnessNames[witness]));
    }
}

void Judge::print(const Testimony& testimony, std::string_view verdict) const {
    std::printf("%.*s in %s at %s\n", static_cast<int>(verdict.size()), verdict.data(), program_.c_str(),
                names_.describe(testimony[kShadow].frames[0].pc).c_str());
    std::size_t rows = 0;
    for (const CallPath& path : testimony) {
        rows = std::max(rows, path.frames.size());
    }
    for (std::size_t row = 0; row < std::min<std::size_t>(rows, 24); row++) {
        std::printf("  #%-3zu", row);
        for (std::size_t witness = 0; witness < kWitnesses; witness++) {
            const CallPath& path = testimony[witness];
            std::string cell = "-";
            if (row < path.frames.size()) {
                const PathFrame& frame = path.frames[row];
                char text[64];
                std::snprintf(text, sizeof text, "%llx sp %llx %s", static_cast<unsigned long long>(frame.pc),
                              static_cast<unsigned long long>(frame.sp), frame.is_return ? "r" : "p");
                cell = text;
            } else if (row == path.frames.size()) {
                cell = path.complete ? "bottom" : "gave up: " + path.why;
            }
            std::printf(" | %-9.*s %-36s", static_cast<int>(kWitnessNames[witness].size()),
                        kWitnessNames[witness].data(), cell.c_str());
        }
        for (const std::size_t witness : {kShadow, kElfutils, kLibunwind, kKymo}) {
            if (row < testimony[witness].frames.size()) {
                std::printf(" | %s", names_.describe(testimony[witness].frames[row].pc).c_str());
                break;
            }
        }
        std::printf("\n");
    }
}

void Judge::print_summary() const {
    std::printf("%s: %zu instructions, all four agree on %zu; kymo wrong on %zu, unsettled %zu\n", program_.c_str(),
                heard_, unanimous_, mismatches_, unsettled_);
    if (uncharted_ != 0) {
        std::printf("  no call-frame information on %zu: kymo recovered the path of %zu\n", uncharted_, recovered_);
    }
    if (unknowable_ != 0) {
        std::printf("  caller unknowable on %zu: compared up to there\n", unknowable_);
    }
    for (const Witness witness : kIndependent) {
        if (wrong_[witness] + gave_up_[witness] != 0) {
            std::printf("  %s: outvoted on %zu, gave up on %zu\n", kWitnessNames[witness].data(), wrong_[witness],
                        gave_up_[witness]);
        }
    }
    for (const auto& [place, entry] : places_) {
        std::printf("  %6zu  %s%s%s\n", entry.count, place.c_str(), entry.known.empty() ? "" : ": known, ",
                    entry.known.c_str());
    }
}

}  // namespace kymo::oracle
