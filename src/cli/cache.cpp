// kymo cache: the names that reports have looked up and kept on this user's disk.
#include "base/clean_text.h"
#include "cli/verbs.h"
#include "program/name_cache.h"

#include <fmt/format.h>

namespace kymo::cli {
namespace {

constexpr const char* kCacheExamples =
    "Names of functions, with lines and inlining, are kept by build id if to look them up took long: the next report "
    "of "
    "that program does not read its debug information again. The directory is $KYMO_CACHE, or $XDG_CACHE_HOME/kymo, "
    "or "
    "~/.cache/kymo; KYMO_CACHE=off keeps nothing. What was used longest ago goes first.\n\n"
    "examples:\n"
    "  kymo cache                          where it is, and how large\n"
    "  kymo cache --clear\n"
    "  KYMO_CACHE=off kymo report my_program.kymo\n";

int run_cache(int argc, char** argv) {
    CLI::App options("Show or clear the names that reports have kept.", "kymo cache");
    set_usage(options, "kymo cache [--clear]");
    options.footer(kCacheExamples);
    bool is_to_clear = false;
    options.add_flag("--clear", is_to_clear, "remove all of them");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const program::NameCache cache = program::NameCache::of_user();
    if (cache.folder().empty()) {
        fmt::print(
            "no names are kept: KYMO_CACHE is off or no absolute path, there is no home directory, or others may "
            "write to "
            "the cache\n");
        return 0;
    }
    const auto before = cache.contents();
    if (is_to_clear && !cache.clear()) {
        return fail({ErrorKind::kPermission, cache.folder().string() + ": not all of it could be removed",
                     "remove the directory by hand"});
    }
    fmt::print("{}  {} image{}, {:.1f} MB of at most {:.0f}{}\n", clean_text(cache.folder().string()), before.images,
               before.images == 1 ? "" : "s", static_cast<double>(before.bytes) / 1e6,
               static_cast<double>(program::NameCache::kMostBytes) / 1e6, is_to_clear ? ": removed" : "");
    return 0;
}

const Registration kCache({"cache", "show or clear the names that reports have kept", 44, run_cache});

}  // namespace
}  // namespace kymo::cli
