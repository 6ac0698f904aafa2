#include "ring/answers/switches.h"

#include "cells/reader/folder.h"
#include "cells/reader/snapshot.h"
#include "cells/reader/switched.h"
#include "ring/answers/answer.h"

namespace kymo::ring {
namespace {

constexpr std::size_t kMostHeld = 4096;

bool is_switchable(const cells::Metric& metric) {
    return metric.kind == cells::ResourceKind::kTask && metric.origin == cells::Origin::kDescription &&
           metric.type != cells::MetricType::kGauge && metric.cell < cells::kTaskCells;
}

}  // namespace

Switch* Switches::find(std::uint8_t kind, std::uint32_t metric) {
    for (Switch& each : switches_) {
        if (each.kind == kind && each.metric == metric) {
            return &each;
        }
    }
    return nullptr;
}

void Switches::obey(std::span<Switch> ordered) {
    for (const Switch& each : ordered) {
        if (Switch* const known = find(each.kind, each.metric)) {
            *known = each;
        } else if (switches_.size() < kMaxSwitches) {
            switches_.push_back(each);
        }
    }
    tell_programs();
    for (Switch& each : ordered) {
        if (const Switch* const known = find(each.kind, each.metric)) {
            each = *known;
        }
    }
}

void Switches::look() {
    if (!switches_.empty()) {
        tell_programs();
    }
}

void Switches::tell_programs() {
    for (Switch& each : switches_) {
        each.programs = each.obeyed = 0;
    }
    for (const auto& folder : cells::find_folders()) {
        for (const auto& path : cells::segments_in(folder)) {
            const auto program = cells::read_segment(path);
            if (!program || program->ended != 0) {
                continue;
            }
            cells::CellBits off;
            cells::CellBits meant;
            std::vector<std::pair<Switch*, std::uint32_t>> found;
            for (const cells::Metric& metric : program->schema) {
                Switch* const each = is_switchable(metric)
                                         ? find(static_cast<std::uint8_t>(metric.kind),
                                                metric_code(static_cast<std::uint8_t>(metric.kind), metric.name))
                                         : nullptr;
                if (each != nullptr) {
                    meant.set(metric.cell);
                    off.set(metric.cell, each->on == 0);
                    found.emplace_back(each, metric.cell);
                }
            }
            if (found.empty()) {
                continue;
            }
            const auto obeyed = cells::switch_cells(path, meant, off);
            for (const auto& [each, cell] : found) {
                ++each->programs;
                each->obeyed += obeyed && obeyed->test(cell) == (each->on == 0) ? 1U : 0U;
            }
        }
    }
}

void Switches::hold(std::uint64_t now, std::span<const Entry> entries, std::span<Record> records) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const Switch* const each = find(entry.kind, entry.metric);
        if (each == nullptr || each->period == 0) {
            continue;
        }
        if (held_.size() >= kMostHeld) {
            held_.clear();
        }
        Held& held = held_[{entry.kind, entry.level, entry.of, entry.metric, entry.number}];
        if (held.read == 0 || now - held.read >= each->period) {
            held = {now, records[i]};
        } else {
            records[i] = held.record;
        }
    }
}

}  // namespace kymo::ring
