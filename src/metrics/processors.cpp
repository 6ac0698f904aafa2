#include "metrics/processors.h"

#include "cells/primitives.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace kymo::metrics {
namespace {

using cells::index;
using cells::ProcessorCell;
using cells::Segment;

constexpr std::uint32_t kMostProcessors = 8192;
constexpr std::uint64_t kSecond = 1'000'000'000;

std::string read_all(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// The processor's number and the numbers behind it, of a line "cpuN …".
std::optional<std::uint32_t> parse_line(std::string_view line, std::vector<std::uint64_t>& numbers) {
    numbers.clear();
    if (!line.starts_with("cpu")) {
        return std::nullopt;
    }
    line.remove_prefix(3);
    std::uint32_t processor = 0;
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    const auto [after, error] = std::from_chars(at, end, processor);
    if (error != std::errc{} || processor >= kMostProcessors) {
        return std::nullopt;  // "cpu " is the sum of all
    }
    at = after;
    while (at < end) {
        at += *at == ' ' ? 1 : 0;
        std::uint64_t value = 0;
        const auto [next, wrong] = std::from_chars(at, end, value);
        if (wrong != std::errc{}) {
            break;
        }
        numbers.push_back(value);
        at = next;
    }
    return processor;
}

}  // namespace

std::map<std::uint32_t, ProcessorTimes> parse_processors(std::string_view stat, std::string_view schedstat,
                                                         std::uint64_t ticks_per_second) {
    std::map<std::uint32_t, ProcessorTimes> all;
    std::vector<std::uint64_t> numbers;
    const std::uint64_t tick = kSecond / std::max<std::uint64_t>(ticks_per_second, 1);
    while (!stat.empty()) {
        const auto processor = parse_line(take_line(stat), numbers);
        if (!processor || numbers.size() < 8) {
            continue;
        }
        ProcessorTimes& times = all[*processor];
        const auto put = [&](ProcessorCell cell, std::uint64_t ticks) { times[index(cell)] = ticks * tick; };
        put(ProcessorCell::kUser, numbers[0]);
        put(ProcessorCell::kNice, numbers[1]);
        put(ProcessorCell::kSystem, numbers[2]);
        put(ProcessorCell::kIdle, numbers[3]);
        put(ProcessorCell::kIoWait, numbers[4]);
        put(ProcessorCell::kInterrupts, numbers[5] + numbers[6]);
        put(ProcessorCell::kSteal, numbers[7]);
        put(ProcessorCell::kBusy, numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6]);
    }
    while (!schedstat.empty()) {
        // cpuN: yield, 0, schedule, idle, wake-ups, local wake-ups, ns run, ns waited, slices
        const auto processor = parse_line(take_line(schedstat), numbers);
        const auto known = processor ? all.find(*processor) : all.end();
        if (known != all.end() && numbers.size() >= 9) {
            known->second[index(ProcessorCell::kRunDelay)] = numbers[7];
            known->second[index(ProcessorCell::kSwitches)] = numbers[8];
        }
    }
    return all;
}

Result<void> Processors::open(const std::filesystem::path& path) {
    cells::SegmentOptions options;
    options.pid = static_cast<std::uint32_t>(getpid());
    options.program = "kymo";
    options.processors = std::max<std::uint32_t>(static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF)), 1);
    if (const int error = segment_.create(path.c_str(), options); error != 0) {
        return Error{error == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
                     path.string() + " cannot be made: " + std::strerror(error),
                     "set XDG_RUNTIME_DIR to a directory in memory that you may write to"};
    }
    return {};
}

void Processors::fill() {
    const std::uint64_t now = monotonic_now().ns;
    const auto ticks = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    for (const auto& [number, times] : parse_processors(read_all("/proc/stat"), read_all("/proc/schedstat"), ticks)) {
        Known& known = known_[number];
        if (known.row == nullptr) {
            cells::Object object;
            object.kind = cells::ResourceKind::kProcessor;
            object.number = number;
            object.writer = static_cast<std::uint32_t>(getpid());
            known.row = segment_.take(object);
            known.time = now;
            known.run_delay = times[index(ProcessorCell::kRunDelay)];
        }
        if (known.row == nullptr) {
            continue;
        }
        const cells::Filling filling(*known.row, now);
        std::uint64_t* values = Segment::cells_of(*known.row);
        for (std::uint32_t cell = 1; cell <= index(ProcessorCell::kSwitches); ++cell) {
            if (cell != index(ProcessorCell::kRunQueue)) {
                cells::store(values[cell], times[cell]);
            }
        }
        if (now > known.time) {
            const std::uint64_t waited = times[index(ProcessorCell::kRunDelay)] - known.run_delay;
            cells::store(values[index(ProcessorCell::kRunQueue)], waited * 1000 / (now - known.time));
        }
        known.time = now;
        known.run_delay = times[index(ProcessorCell::kRunDelay)];
    }
}

}  // namespace kymo::metrics
