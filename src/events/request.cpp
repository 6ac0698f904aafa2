#include "events/request.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kymo::events {
namespace {

constexpr const char* kForm = "the form is NAME[:period=N|:freq=N][:precise=N], for example -e page-faults:period=1";

Error bad(std::string_view text, std::string_view why) {
    return {ErrorKind::kUsage, "event '" + std::string(text) + "': " + std::string(why), kForm};
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t scale = 1;
    if (!text.empty()) {
        switch (text.back()) {
            case 'k':
                scale = 1'000;
                break;
            case 'M':
                scale = 1'000'000;
                break;
            case 'G':
                scale = 1'000'000'000;
                break;
            default:
                break;
        }
        if (scale != 1) {
            text.remove_suffix(1);
        }
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || __builtin_mul_overflow(value, scale, &value)) {
        return std::nullopt;
    }
    return value;
}

// A modifier at the end of `text`: its key and number, or none. Shortens `text` when there is one.
struct Modifier {
    std::string_view key;
    std::string_view number;
};

std::optional<Modifier> take_modifier(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view word = text.substr(colon + 1);
    for (const std::string_view key : {"period", "freq", "precise"}) {
        if (word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=') {
            text = text.substr(0, colon);
            return Modifier{key, word.substr(key.size() + 1)};
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Request> parse_request(std::string_view text) {
    Request request;
    std::string_view name = text;
    bool precise_given = false;
    while (const auto modifier = take_modifier(name)) {
        const auto number = parse_count(modifier->number);
        if (!number) {
            return bad(text, "'" + std::string(modifier->number) + "' is not a number");
        }
        if (modifier->key == "precise") {
            if (*number > 3 || precise_given) {
                return bad(text, precise_given ? "precise is given twice" : "precise is 0, 1, 2 or 3");
            }
            precise_given = true;
            request.precise = static_cast<std::uint8_t>(*number);
            continue;
        }
        if (request.mode != Mode::kCount) {
            return bad(text, "give a period or a frequency, once");
        }
        if (*number == 0) {
            return bad(text, std::string(modifier->key) + " must be at least 1");
        }
        request.mode = modifier->key == "period" ? Mode::kPeriod : Mode::kFrequency;
        request.value = *number;
    }
    if (name.empty()) {
        return bad(text, "no name");
    }
    if (name.size() >= kEventNameBytes) {
        return bad(text.substr(0, 32), "the name is too long");
    }
    if (std::any_of(name.begin(), name.end(),
                    [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; })) {
        return bad(text, "a name contains no spaces");
    }
    request.name = name;
    return request;
}

std::vector<std::string> split_requests(std::string_view list) {
    std::vector<std::string> requests(1);
    bool is_in_terms = false;
    for (const char c : list) {
        is_in_terms = is_in_terms != (c == '/');
        if (c == ',' && !is_in_terms) {
            requests.emplace_back();
        } else {
            requests.back() += c;
        }
    }
    return requests;
}

}  // namespace kymo::events
