// kymo view: a recording as one self-contained page.
#include "analysis/analysis.h"
#include "archive/pack.h"
#include "base/result.h"
#include "cli/analysis_progress.h"
#include "cli/help/missing_parts.h"
#include "cli/image_options.h"
#include "cli/output/serve_page.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "view/exports/new_file.h"
#include "view/page/editor_link.h"
#include "view/page/page.h"
#include "view/page/page_range.h"
#include "view/page/shell.h"

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
    "samples\n"
    "  kymo view --serve my_program.kymo                            also of a program that still runs; more detail "
    "on "
    "demand\n";

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
    bool whole_sources = false;
    bool no_creator = false;
    bool serve = false;
    std::uint16_t port = 0;
    std::string editor_link(view::kDefaultEditorLink);
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("-o,--output", out, "the file to write (NAME.html)");
    options.add_option("--range", range, "only from A to B, in seconds since the start, in more detail");
    options.add_flag("--no-sources", no_sources, "no source lines and no disassembly in the page");
    options
        .add_flag("--sources", whole_sources,
                  "whole source files of the program's own code in the page, not only lines around samples")
        ->excludes("--no-sources");
    options
        .add_option("--editor-link", editor_link,
                    "what a file:line in the page opens, with {file} and {line}, such as\n"
                    "\"idea://open?file={file}&line={line}\"; \"none\": nothing")
        ->type_name("TEMPLATE")
        ->capture_default_str();
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    CLI::Option* const served = options.add_flag(
        "--serve", serve, "serve it to browsers of this machine instead, at any resolution, until Ctrl-C");
    served->excludes("--output")->excludes("--range");
    options.add_option("--port", port, "with --serve: the port (any that is free)")->needs(served);
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    if (view::page_shell().empty()) {
        return fail(no_page_error());
    }
    if (const auto checked = view::check_editor_link(editor_link); !checked) {
        return fail(checked.error());
    }
    view::PageOptions asked{.range = {},
                            .sources = !no_sources,
                            .whole_sources = whole_sources,
                            .editor_link = editor_link == "none" ? std::string() : editor_link};
    if (!range.empty()) {
        const auto parsed = view::parse_page_range(range);
        if (!parsed) {
            return fail(parsed.error());
        }
        asked.range = *parsed;
    }
    if (serve) {
        return serve_page({.folder = folder, .below_creators = !no_creator, .page = asked}, port);
    }
    const CommandTeam team;
    const auto recording = open_with_images(folder);
    if (const auto opened = team.agree(recording); !opened) {
        return team.fail(opened.error());
    }
    if (out.empty()) {
        // For a packed one: as of the directory in it, here.
        const bool is_packed = archive::is_packed(folder) && !recording->files().empty();
        out = page_name(
            is_packed ? std::filesystem::path(recording->files().front().path()).parent_path().filename().string()
                      : folder);
    }
    if (const auto is_new = team.agree(view::check_new_name(out)); !is_new) {
        return team.fail(is_new.error());
    }
    AnalysisProgress progress(team.is_first());
    const auto analysed = analysis::analyse(
        *recording,
        {.below_creators = !no_creator,
         .spaces = {.on_stage = [&](std::string_view stage) { progress.begin(stage); }, .team = team.get()},
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
        return team.fail(analysed.error());
    }
    if (!team.is_first()) {
        return 0;
    }
    progress.begin("page");
    const auto page = view::make_page(*analysed, view::page_shell(), asked);
    progress.end();
    if (!page) {
        return fail(page.error());
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
