#include "monitor/metrics/sampled_metrics.h"

#include "base/metric_event.h"
#include "cells/process_cells.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/sampling/counted_by_usage.h"
#include "monitor/sampling/unavailable.h"
#include "monitor/threads/thread_state.h"
#include "recording/tables/events.h"

#include <string.h>
#include <string_view>

namespace kymo::monitor {

constinit SampledMetrics sampled_metrics;

namespace {

using cells::process_cells;
using cells::SchemaEntry;

constexpr std::string_view kIndexedName = "cell ";
constexpr std::string_view kNanoseconds = "ns";  // the unit of timers' cells

std::string_view text_of(const char* text, std::size_t room) {
    return {text, strnlen(text, room)};
}

bool is_programs_counter(const SchemaEntry& entry) {
    return entry.kind == static_cast<std::uint32_t>(cells::ResourceKind::kTask) &&
           entry.type == static_cast<std::uint8_t>(cells::MetricType::kCounter) &&
           (entry.origin == static_cast<std::uint8_t>(cells::Origin::kProgram) ||
            entry.origin == static_cast<std::uint8_t>(cells::Origin::kDescription)) &&
           entry.cell < cells::kTaskCells && text_of(entry.unit, sizeof entry.unit) != kNanoseconds;
}

}  // namespace

std::size_t SampledMetrics::first_event() {
    const events::Session& session = process.session();
    return session.event_count + (adds_system_time(session) ? 1 : 0);
}

MetricValues SampledMetrics::read(ThreadState& thread, bool is_own) {
    MetricValues values;
    if (is_own) {
        cells::Row* const row = process_cells.has_tasks() ? cells::ProcessCells::this_row() : nullptr;
        thread.metric_cells = row == nullptr ? nullptr : cells::Segment::cells_of(*row);
        if (row != nullptr) {
            find_new(thread.metric_cells);
        }
    }
    if (thread.metric_cells != nullptr) {
        values.count = count_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < values.count; ++i) {
            values.value[i] = __atomic_load_n(&thread.metric_cells[cell_[i]], __ATOMIC_RELAXED);
        }
    }
    return values;
}

void SampledMetrics::deltas_until(ThreadState& thread, const MetricValues& now, bool was_off, std::uint64_t* deltas) {
    for (std::size_t i = 0; i < now.count; ++i) {
        deltas[i] = was_off ? 0 : since(now.value[i], thread.last_metrics.value[i]);
        thread.metrics_counted[i] += deltas[i];
    }
    thread.last_metrics = now;
}

std::size_t SampledMetrics::totals_until(const ThreadState& thread, const MetricValues& now, std::uint64_t* totals) {
    for (std::size_t i = 0; i < now.count; ++i) {
        totals[i] = thread.metrics_counted[i] + since(now.value[i], thread.last_metrics.value[i]);
    }
    return now.count;
}

void SampledMetrics::after_fork() {
    lock_.reset();
    count_.store(0, std::memory_order_relaxed);
    seen_.store(0, std::memory_order_relaxed);
    indexed_.store(0, std::memory_order_relaxed);
    is_full_ = false;
}

void SampledMetrics::find_new(const std::uint64_t* cells) {
    const std::uint32_t described = process_cells.segment().described();
    std::uint32_t counted = 0;
    for (std::uint32_t i = 0; i < cells::kIndexedCells; ++i) {
        counted |= (cells[cells::kFirstIndexed + i] != 0 ? 1U : 0U) << i;
    }
    if (described == seen_.load(std::memory_order_relaxed) &&
        (counted & ~indexed_.load(std::memory_order_relaxed)) == 0) {
        return;
    }
    const Locked locked(lock_);
    for (std::uint32_t i = seen_.load(std::memory_order_relaxed); i < described; ++i) {
        const SchemaEntry& entry = process_cells.segment().description(i);
        if (is_programs_counter(entry)) {
            add(entry.cell, text_of(entry.name, sizeof entry.name), text_of(entry.unit, sizeof entry.unit));
        }
    }
    seen_.store(described, std::memory_order_relaxed);
    counted &= ~indexed_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < cells::kIndexedCells; ++i) {
        if ((counted >> i & 1U) != 0) {
            char name[kIndexedName.size() + 2];
            __builtin_memcpy(name, kIndexedName.data(), kIndexedName.size());
            std::size_t length = kIndexedName.size();
            if (i >= 10) {
                name[length++] = static_cast<char>('0' + i / 10);
            }
            name[length++] = static_cast<char>('0' + i % 10);
            add(cells::kFirstIndexed + i, {name, length}, {});
        }
    }
    indexed_.fetch_or(counted, std::memory_order_relaxed);
}

// Under the lock.
void SampledMetrics::add(std::uint32_t cell, std::string_view name, std::string_view unit) {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    if (count == kMaxSampledMetrics) {
        if (!is_full_) {
            is_full_ = true;
            recording::Unavailable row;
            row.what = "further metrics of the program by code";
            row.why = "samples have room for 16 of them; their totals are among the metrics";
            row.remedy = "declare those that matter first";
            process_log.write(row);
        }
        return;
    }
    if (count == 0 && adds_system_time(process.session())) {
        write_system_time_event();  // metrics follow it, whether a thread needs it or not
    }
    char full[kMetricEvent.size() + sizeof(SchemaEntry::name)];
    __builtin_memcpy(full, kMetricEvent.data(), kMetricEvent.size());
    __builtin_memcpy(full + kMetricEvent.size(), name.data(), name.size());
    recording::Event row;
    row.index = first_event() + count;
    row.name = {full, kMetricEvent.size() + name.size()};
    row.unit = unit;
    process_log.write(row);
    cell_[count] = cell;
    count_.store(count + 1, std::memory_order_release);
}

}  // namespace kymo::monitor
