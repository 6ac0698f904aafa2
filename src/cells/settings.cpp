#include "cells/settings.h"

namespace kymo::cells {

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

bool parse(std::string_view word, std::uint64_t most, std::uint64_t& out) {
    std::uint64_t value = 0;
    for (const char c : word) {
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
            return false;
        }
    }
    out = value;
    return !word.empty() && value <= most;
}

bool parse(std::string_view word, std::uint64_t most, std::uint32_t& out) {
    std::uint64_t value = 0;
    const bool good = parse(word, most, value);
    out = static_cast<std::uint32_t>(value);
    return good;
}

bool parse_type(std::string_view word, MetricType& type) {
    type = word == "counter" ? MetricType::kCounter : word == "gauge" ? MetricType::kGauge : MetricType::kMaximum;
    return word == "counter" || word == "gauge" || word == "maximum";
}

bool parse_ticks(std::string_view line, Settings& settings) {
    std::uint32_t kind = 0;
    settings.rate_known = true;
    const bool good = parse(take_until(line, ' '), 2, kind) &&
                      parse(take_until(line, ' '), 63, settings.rate.shift) &&
                      parse(take_until(line, ' '), UINT64_MAX, settings.rate.multiplier) && line.empty();
    settings.rate.kind = static_cast<TickKind>(kind);
    return good && kind != 0 && settings.rate.multiplier != 0;
}

bool parse_cell(std::string_view line, Settings& settings) {
    if (settings.cells == kNamedCells) {
        return false;
    }
    NumberedCell& cell = settings.cell[settings.cells++];
    cell = {};
    cell.cell.origin = Origin::kDescription;
    const bool good = parse(take_until(line, ' '), kTaskCells - 1, cell.index) && cell.index >= kFirstNamed &&
                      parse_type(take_until(line, ' '), cell.cell.type);
    cell.cell.unit = take_until(line, ' ');
    if (cell.cell.unit == "-") {
        cell.cell.unit = {};
    }
    cell.cell.name = take_until(line, ' ');
    cell.cell.description = line;
    return good && !cell.cell.name.empty();
}

bool parse_timer(std::string_view line, Settings& settings) {
    std::uint32_t timer = 0;
    std::uint32_t cell = 0;
    const bool good = parse(take_until(line, ' '), kTaskTimers - 1, timer) &&
                      parse(take_until(line, ' '), kTaskCells - 1, cell) && line.empty();
    settings.bindings[good ? timer : 0] = good ? cell : 0;
    return good;
}

bool parse_line(std::string_view line, Settings& settings) {
    const std::string_view word = take_until(line, ' ');
    if (word == "folder") {
        settings.folder = line;
        return !line.empty() && line.front() == '/';
    }
    if (word == "ticks") {
        return parse_ticks(line, settings);
    }
    if (word == "rows") {
        return parse(take_until(line, ' '), kMaxRows - 1, settings.tasks) && settings.tasks != 0 &&
               parse(take_until(line, ' '), kMaxRows - 1, settings.channels) && line.empty();
    }
    if (word == "timer") {
        return parse_timer(line, settings);
    }
    if (word == "at-start") {
        settings.at_start = line == "1";
        return line == "0" || line == "1";
    }
    return word == "cell" && parse_cell(line, settings);
}

}  // namespace

bool parse_settings(std::string_view text, Settings& settings) {
    settings = Settings{};
    if (text.size() > kMaxSettings || take_until(text, '\n') != "kymo-cells 1") {
        return false;
    }
    while (!text.empty()) {
        if (!parse_line(take_until(text, '\n'), settings)) {
            return false;
        }
    }
    return !settings.folder.empty();
}

}  // namespace kymo::cells
