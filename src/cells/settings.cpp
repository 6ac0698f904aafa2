#include "cells/settings.h"

#include "base/line_words.h"

namespace kymo::cells {

namespace {

bool parse_type(std::string_view word, MetricType& type) {
    type = word == "counter" ? MetricType::kCounter : word == "gauge" ? MetricType::kGauge : MetricType::kMaximum;
    return word == "counter" || word == "gauge" || word == "maximum";
}

bool parse_ticks(std::string_view line, Settings& settings) {
    std::uint32_t kind = 0;
    settings.rate_known = true;
    const bool good = parse_decimal(take_until(line, ' '), kind, 2) &&
                      parse_decimal(take_until(line, ' '), settings.rate.shift, 63) &&
                      parse_decimal(take_until(line, ' '), settings.rate.multiplier, UINT64_MAX) && line.empty();
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
    const bool good = parse_decimal(take_until(line, ' '), cell.index, kTaskCells - 1) && cell.index >= kFirstNamed &&
                      parse_type(take_until(line, ' '), cell.cell.type);
    cell.cell.unit = take_until(line, ' ');
    if (cell.cell.unit == "-") {
        cell.cell.unit = {};
    }
    cell.cell.name = take_until(line, ' ');
    cell.cell.description = line;
    return good && !cell.cell.name.empty();
}

bool parse_shown(std::string_view line, Settings& settings) {
    std::uint32_t index = 0;
    std::uint32_t total = 0;
    std::uint32_t level = 0;
    if (!parse_decimal(take_until(line, ' '), index, kTaskCells - 1) ||
        !parse_decimal(take_until(line, ' '), total, 4) || !parse_decimal(take_until(line, ' '), level, 3) ||
        !line.empty()) {
        return false;
    }
    for (std::uint32_t i = 0; i < settings.cells; ++i) {
        if (settings.cell[i].index == index) {
            settings.cell[i].cell.total = static_cast<MetricTotal>(total);
            settings.cell[i].cell.per = static_cast<std::uint8_t>(level);
            return true;
        }
    }
    return false;
}

bool parse_timer(std::string_view line, Settings& settings) {
    std::uint32_t timer = 0;
    std::uint32_t cell = 0;
    const bool good = parse_decimal(take_until(line, ' '), timer, kTaskTimers - 1) &&
                      parse_decimal(take_until(line, ' '), cell, kTaskCells - 1) && line.empty();
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
        return parse_decimal(take_until(line, ' '), settings.tasks, kMaxRows - 1) && settings.tasks != 0 &&
               parse_decimal(take_until(line, ' '), settings.channels, kMaxRows - 1) && line.empty();
    }
    if (word == "shown") {
        return parse_shown(line, settings);
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
