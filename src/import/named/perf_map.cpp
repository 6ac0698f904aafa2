#include "import/named/perf_map.h"

#include "import/named/lines.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace kymo::import::named {
namespace {

// Takes a number in hexadecimal digits, with or without 0x, and the blank behind it off the line's front.
bool take_address(std::string_view& line, std::uint64_t* number) {
    constexpr int kHexadecimal = 16;
    if (line.starts_with("0x") || line.starts_with("0X")) {
        line.remove_prefix(2);
    }
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), *number, kHexadecimal);
    const auto digits = static_cast<std::size_t>(rest - line.data());
    if (error != std::errc{} || digits == line.size() || line[digits] != ' ') {
        return false;
    }
    line.remove_prefix(digits + 1);
    return true;
}

}  // namespace

void PerfMap::add(std::string_view line) {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    if (!take_address(line, &begin) || !take_address(line, &bytes) || line.empty() || bytes == 0 ||
        begin + bytes < begin) {
        return;
    }
    const auto first = std::lower_bound(wanted_.begin(), wanted_.end(), begin);
    const auto last = std::lower_bound(first, wanted_.end(), begin + bytes);
    if (first == last) {
        return;
    }
    const auto from = static_cast<std::size_t>(first - wanted_.begin());
    const auto to = static_cast<std::size_t>(last - wanted_.begin());
    // What earlier lines say of these addresses is gone; of a longer function its ends are left.
    auto at = parts_.upper_bound(from);
    if (at != parts_.begin() && std::prev(at)->second.end > from) {
        --at;
    }
    while (at != parts_.end() && at->first < to) {
        const std::size_t old_begin = at->first;
        const Part old = std::move(at->second);
        at = parts_.erase(at);
        if (old_begin < from) {
            parts_.insert({old_begin, {from, old.function}});
        }
        if (old.end > to) {
            parts_.insert({to, {old.end, old.function}});
        }
    }
    parts_[from] = {to, std::make_shared<const Function>(
                            Function{begin, begin + bytes, std::string(line.substr(0, kMostNameBytes))})};
}

Result<void> PerfMap::read(Input& input) {
    Lines lines(input);
    for (;;) {
        const auto line = lines.next();
        if (!line) {
            return line.error();
        }
        if (!*line) {
            return {};
        }
        add(**line);
    }
}

std::vector<GeneratedFunction> PerfMap::functions() const {
    std::vector<GeneratedFunction> found;
    std::uint64_t last_wanted = 0;  // of the one before
    for (const auto& [first, part] : parts_) {
        GeneratedFunction function{part.function->begin, part.function->end, part.function->name};
        if (!found.empty() && found.back().end > function.begin) {
            // They overlap: the later line's function is whole. If this is it, the one before ends where it begins.
            if (function.begin > last_wanted) {
                found.back().end = function.begin;
            } else {
                function.begin = found.back().end;
            }
        }
        last_wanted = wanted_[part.end - 1];
        found.push_back(function);
    }
    return found;
}

std::size_t PerfMap::named() const {
    std::size_t count = 0;
    for (const auto& [first, part] : parts_) {
        count += part.end - first;
    }
    return count;
}

}  // namespace kymo::import::named
