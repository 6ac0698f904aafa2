#include "attach/live_names.h"

#include "attach/proc_file.h"
#include "import/generated_code.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace kymo::attach {
namespace {

// The n-th number behind a key at a line's beginning; from 0; of a line with fewer numbers the last one.
std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view key, std::size_t n) {
    const std::string begin = "\n" + std::string(key);
    const std::size_t at = text.find(begin);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    text.remove_prefix(at + begin.size());
    text = text.substr(0, text.find('\n'));
    std::optional<std::uint32_t> found;
    for (std::size_t i = 0; i <= n; ++i) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        std::uint32_t number = 0;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{}) {
            break;
        }
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
        found = number;
    }
    return found;
}

}  // namespace

std::optional<OwnNumbers> parse_status(std::string_view text) {
    constexpr std::size_t kInnermost = 32;  // more pid namespaces than can be in one another
    constexpr std::size_t kEffective = 1;
    const auto pid = number_behind(text, "NSpid:", kInnermost);
    const auto user = number_behind(text, "Uid:", kEffective);
    return pid && user ? std::optional(OwnNumbers{*pid, *user}) : std::nullopt;
}

void LiveNames::prepare(std::uint32_t pid) {
    if (places_.size() >= kMostKept) {
        return;
    }
    const std::filesystem::path folder = proc_ / std::to_string(pid);
    const auto own = parse_status(text_of(folder / "status"));
    // A link there would lead out of the process's root, into ours.
    const Descriptor root(::open((folder / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    Descriptor tmp(root ? ::openat(root.number(), "tmp", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1);
    if (own && tmp) {
        places_.insert_or_assign(pid, Place{std::move(tmp), *own});
    }
}

Descriptor LiveNames::open(std::uint32_t pid) {
    const auto place = places_.find(pid);
    if (place == places_.end()) {
        const Descriptor tmp(::open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
        return import::open_perf_map(tmp.number(), pid, geteuid());
    }
    Descriptor map = import::open_perf_map(place->second.tmp.number(), place->second.own.pid, place->second.own.user);
    places_.erase(place);
    return map;
}

}  // namespace kymo::attach
