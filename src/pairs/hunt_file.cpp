#include "pairs/hunt_file.h"

namespace kymo::pairs {
namespace {

std::string_view take_until(std::string_view& text, char end) {
    std::size_t size = 0;
    while (size < text.size() && text[size] != end) {
        ++size;
    }
    const std::string_view piece(text.data(), size);
    text.remove_prefix(size < text.size() ? size + 1 : size);
    return piece;
}

template <typename Number>
bool parse(std::string_view word, Number& out) {
    std::uint64_t value = 0;
    for (const char c : word) {
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
            return false;
        }
    }
    out = static_cast<Number>(value);
    return !word.empty() && static_cast<std::uint64_t>(out) == value;
}

// All the words of a line, and no more.
template <typename... Numbers>
bool parse_all(std::string_view line, Numbers&... numbers) {
    return (parse(take_until(line, ' '), numbers) && ...) && line.empty();
}

bool parse_line(std::string_view line, HuntFile& file) {
    const std::string_view word = take_until(line, ' ');
    Rule& rule = file.rule;
    if (word == "event") {
        return parse_all(line, file.event);
    }
    if (word == "attr") {
        HuntAttributes& attr = file.attributes;
        return parse_all(line, attr.type, attr.config, attr.config1, attr.config2, attr.period, attr.precise,
                         attr.user_only) &&
               attr.period != 0 && attr.precise <= 3;
    }
    if (word == "key") {
        return parse_all(line, file.key);
    }
    if (word == "seed") {
        return parse_all(line, file.seed);
    }
    if (word == "kernel") {
        return parse_all(line, file.kernel.holder, file.kernel.program, file.kernel.state);
    }
    if (word == "rule") {
        std::uint32_t form = 0;
        const bool good =
            parse_all(line, form, rule.cells, rule.unit, rule.gain, rule.gap, rule.period, rule.hold, rule.hold_gain);
        rule.form = static_cast<Form>(form);
        return good;
    }
    if (word == "epoch" && rule.epochs < kMaxEpochs) {
        Epoch& epoch = rule.epoch[rule.epochs++];
        return parse_all(line, epoch.start, epoch.bound);
    }
    return false;
}

}  // namespace

bool parse_hunt_file(std::string_view text, HuntFile& file) {
    file = HuntFile{};
    if (text.size() > kMaxHuntFile || take_until(text, '\n') != "kymo-hunt 1") {
        return false;
    }
    while (!text.empty()) {
        if (!parse_line(take_until(text, '\n'), file)) {
            return false;
        }
    }
    return valid(file.rule);
}

}  // namespace kymo::pairs
