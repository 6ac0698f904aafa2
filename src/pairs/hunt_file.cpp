#include "pairs/hunt_file.h"

#include "base/line_words.h"

namespace kymo::pairs {
namespace {

// All the words of a line, and no more.
template <typename... Numbers>
bool parse_all(std::string_view line, Numbers&... numbers) {
    return (parse_decimal(take_until(line, ' '), numbers) && ...) && line.empty();
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
