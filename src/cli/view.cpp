// kymo view: a recording as one self-contained page.
#include "analysis/analysis.h"
#include "archive/pack.h"
#include "base/result.h"
#include "cli/analysis_progress.h"
#include "cli/help/missing_parts.h"
#include "cli/image_options.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "view/exports/new_file.h"
#include "view/page/page.h"
#include "view/page/shell.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

constexpr const char* kViewExamples =
    "examples:\n"
    "  kymo view my_program.kymo\n"
    "  kymo view my_program.kymo -o page.html\n"
    "  kymo view my_program.kymo --range 1.2..1.3 -o closer.html    seconds since the start; down to single "
    "samples\n";

// "1.25" → nanoseconds; none where it is no number of seconds.
std::optional<std::uint64_t> nanoseconds(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0) || seconds > 1e9) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(seconds * 1e9);
}

Result<TimeRange> parse_range(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos) {
        const auto begin = nanoseconds(std::string_view(text).substr(0, dots));
        const auto end = nanoseconds(std::string_view(text).substr(dots + 2));
        if (begin && end && *begin < *end) {
            return TimeRange{*begin, *end};
        }
    }
    return Error{ErrorKind::kUsage, "\"" + text + "\" is not a time range",
                 "a range is two numbers of seconds since the start, the smaller first: --range 1.2..1.3"};
}

// REC.kymo/ → REC.html
std::string page_name(std::string folder) {
    while (folder.size() > 1 && folder.back() == '/') {
        folder.pop_back();
    }
    const std::string_view ending = ".kymo";
    if (folder.ends_with(ending)) {
        folder.resize(folder.size() - ending.size());
    }
    return folder + ".html";
}

int run_view(int argc, char** argv) {
    CLI::App options("Write one self-contained page that shows code against time. Open it in any browser.",
                     "kymo view");
    set_usage(options, "kymo view [OPTIONS] REC.kymo");
    options.footer(kViewExamples);
    std::string folder;
    std::string out;
    std::string range;
    bool no_sources = false;
    bool no_creator = false;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("-o,--output", out, "the file to write (NAME.html)");
    options.add_option("--range", range, "only from A to B, in seconds since the start, in more detail");
    options.add_flag("--no-sources", no_sources, "no source lines and no disassembly in the page");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    if (view::page_shell().empty()) {
        return fail(no_page_error());
    }
    view::PageOptions asked{.range = {}, .sources = !no_sources};
    if (!range.empty()) {
        const auto parsed = parse_range(range);
        if (!parsed) {
            return fail(parsed.error());
        }
        asked.range = *parsed;
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    AnalysisProgress progress;
    const auto analysed = analysis::analyse(
        *recording, {.below_creators = !no_creator,
                     .spaces = {.on_stage = [&](std::string_view stage) { progress.begin(stage); }},
                     .check = [&](const spacetime::Profile& profile) -> std::optional<Error> {
                         if (!asked.range || asked.range->begin < profile.end - profile.begin) {
                             return std::nullopt;
                         }
                         return Error{ErrorKind::kUsage,
                                      fmt::format("the range begins after the end: the recording is {:.3f} s long",
                                                  static_cast<double>(profile.end - profile.begin) / 1e9),
                                      "name an earlier one: --range A..B"};
                     }});
    if (!analysed) {
        progress.end();
        return fail(analysed.error());
    }
    progress.begin("page");
    const auto page = view::make_page(*analysed, view::page_shell(), asked);
    progress.end();
    if (!page) {
        return fail(page.error());
    }
    if (out.empty()) {
        // Of a packed one: as of the directory in it, here.
        const bool is_packed = archive::is_packed(folder) && !recording->files().empty();
        out = page_name(
            is_packed ? std::filesystem::path(recording->files().front().path()).parent_path().filename().string()
                      : folder);
    }
    if (const auto written = view::write_new_file(out, *page); !written) {
        return fail(written.error());
    }
    if (out == "-") {
        return 0;
    }
    fmt::print("{} ({:.1f} MB): open it in a browser\n", out, static_cast<double>(page->size()) / 1e6);
    return 0;
}

const Registration kView({"view", "write a page that shows code against time", 25, run_view});

}  // namespace
}  // namespace kymo::cli
