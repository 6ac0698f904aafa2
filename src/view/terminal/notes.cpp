// Defects of the recording, or of files that it names; and code without names, with the remedy.
#include "view/terminal/sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::size_t kNamedFiles = 3;
constexpr double kHeavyImage = 0.02;  // of the processor time

struct SameNote {
    std::string text;  // behind the file
    std::vector<std::string> files;
};

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// "ld.so, libc.so.6, libm.so.6 and 4 more"
std::string list_of(const std::vector<std::string>& files) {
    const std::size_t shown = files.size() > kNamedFiles + 1 ? kNamedFiles : files.size();
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        text += (i == 0 ? "" : ", ") + last_part(files[i]);
    }
    return shown == files.size() ? text : fmt::format("{} and {} more", text, files.size() - shown);
}

// "PATH: TEXT" of several paths is one note.
std::vector<std::string> collapsed(const std::vector<std::string>& notes) {
    std::vector<SameNote> same;
    for (const std::string& note : notes) {
        const std::size_t colon =
            note.starts_with('/') || note.starts_with('[') ? note.find(": ") : std::string::npos;
        if (colon == std::string::npos) {
            same.push_back({note, {}});
            continue;
        }
        const std::string text = note.substr(colon);
        const auto known = std::find_if(same.begin(), same.end(),
                                        [&](const SameNote& one) { return !one.files.empty() && one.text == text; });
        if (known == same.end()) {
            same.push_back({text, {note.substr(0, colon)}});
        } else {
            known->files.push_back(note.substr(0, colon));
        }
    }
    std::vector<std::string> all;
    all.reserve(same.size());
    for (const SameNote& note : same) {
        all.push_back(note.files.empty() ? note.text
                      : note.files.size() == 1
                          ? note.files.front() + note.text
                          : fmt::format("{} files{}: {}", note.files.size(), note.text, list_of(note.files)));
    }
    return all;
}

// Images whose functions have no names, by processor time.
std::vector<std::pair<std::string, std::int64_t>> heavy_without_names(const CallTree& tree) {
    std::map<std::string, std::int64_t> times;
    for (std::size_t row = 0; row < tree.functions.size(); ++row) {
        const program::Function& function = tree.symbols.functions[tree.functions[row].function];
        const bool has_name =
            function.source != program::NameSource::kFrame && function.source != program::NameSource::kAddress;
        if (!has_name && !function.module.empty() && !function.module.starts_with('[')) {
            times[function.module] += processor_time(tree.function_self[row]);
        }
    }
    std::vector<std::pair<std::string, std::int64_t>> heavy;
    for (const auto& [module, time] : times) {
        if (share(time, processor_time(tree.total[0])) >= kHeavyImage) {
            heavy.emplace_back(module, time);
        }
    }
    std::stable_sort(heavy.begin(), heavy.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return heavy;
}

// Heavy code that is shown as offsets, and the remedy.
std::string nameless_code(const CallTree& tree) {
    const auto heavy = heavy_without_names(tree);
    if (heavy.empty()) {
        return {};
    }
    std::string images;
    std::int64_t all = 0;
    for (const auto& [module, time] : heavy) {
        images += (images.empty() ? "" : ", ") + module;
        all += time;
    }
    return fmt::format(
        "{} of the processor time is in functions without names, in {}: install {} (Debian: PACKAGE-dbgsym), or set "
        "DEBUGINFOD_URLS (such as https://debuginfod.debian.net), and report again.",
        percent(share(all, processor_time(tree.total[0]))), images,
        heavy.size() == 1 ? "its debug package" : "their debug packages");
}

}  // namespace

void notes(Sheet& sheet) {
    std::vector<std::string> all;
    if (std::string nameless = nameless_code(sheet.tree); !nameless.empty()) {
        all.push_back(std::move(nameless));
    }
    std::vector<std::string> told = sheet.profile.warnings;
    told.insert(told.end(), sheet.tree.symbols.warnings.begin(), sheet.tree.symbols.warnings.end());
    const std::vector<std::string> fewer = collapsed(told);
    all.insert(all.end(), fewer.begin(), fewer.end());
    if (all.empty()) {
        return;
    }
    sheet.heading("Notes");
    const std::size_t shown = sheet.options.is_short ? std::min(sheet.options.limits.notes, all.size()) : all.size();
    for (std::size_t i = 0; i < shown; ++i) {
        sheet.out += paint(sheet.style, Ink::kWarning, wrap(sheet.style, all[i], 2, 4));
    }
    if (shown < all.size()) {
        sheet.out += fmt::format("  {} {} more (--all)\n", sheet.sign().ellipsis, all.size() - shown);
    }
}

}  // namespace kymo::view
