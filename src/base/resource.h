// Resources, their hierarchies, and the address of a metric in them.
//
// Kinds: tasks (threads), processors, channels. Levels: the objects themselves; the process (of tasks and channels:
// optional detail); the host; the system, which is all of it. Each level aggregates the one below. An address is
// KIND/LEVEL/NUMBER/METRIC, for example task/host/0/user: the metric `user` of the tasks of host 0. Numbers of
// objects and processes are their host's own, those of channels their process's: LEVEL/NUMBER pairs of the levels
// above may come before, as in processor/host/1/processor/0/busy. Pure functions.
#pragma once

#include "base/metric_total.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kymo {

enum class Resource : std::uint8_t { kTask = 1, kProcessor = 2, kChannel = 3 };
enum class ResourceLevel : std::uint8_t { kObject = 0, kProcess = 1, kHost = 2, kSystem = 3 };

constexpr ResourceLevel resource_level_of(std::uint64_t byte) {
    return byte <= 3 ? static_cast<ResourceLevel>(byte) : ResourceLevel::kObject;
}

constexpr std::string_view name_of(Resource kind) {
    return kind == Resource::kTask ? "task" : kind == Resource::kProcessor ? "processor" : "channel";
}

// The objects' own level is named after their kind.
constexpr std::string_view name_of(ResourceLevel level, Resource kind) {
    switch (level) {
        case ResourceLevel::kObject:
            return name_of(kind);
        case ResourceLevel::kProcess:
            return "process";
        case ResourceLevel::kHost:
            return "host";
        case ResourceLevel::kSystem:
            break;
    }
    return "system";
}

// A processor belongs to no process.
constexpr bool has_level(Resource kind, ResourceLevel level) {
    return kind != Resource::kProcessor || level != ResourceLevel::kProcess;
}

struct MetricAddress {
    Resource kind = Resource::kTask;
    ResourceLevel level = ResourceLevel::kSystem;
    std::uint64_t number = 0;  // at that level; of the system: 0
    std::string metric;
    std::optional<std::uint64_t> host = {};  // of this one alone; levels below it
    std::optional<std::uint64_t> process = {};
    bool operator==(const MetricAddress&) const = default;
};

inline std::string to_text(const MetricAddress& address) {
    std::string text(name_of(address.kind));
    const auto add = [&](ResourceLevel level, std::uint64_t number) {
        text += "/" + std::string(name_of(level, address.kind)) + "/" + std::to_string(number);
    };
    if (address.host) {
        add(ResourceLevel::kHost, *address.host);
    }
    if (address.process) {
        add(ResourceLevel::kProcess, *address.process);
    }
    add(address.level, address.number);
    return text + "/" + address.metric;
}

namespace address_parts {

inline std::string_view take(std::string_view& text) {
    const std::size_t end = std::min(text.find('/'), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

struct Step {
    ResourceLevel level = ResourceLevel::kSystem;
    std::uint64_t number = 0;
};

// LEVEL/NUMBER/ at the text's beginning; nothing, with the text unchanged: none.
inline std::optional<Step> take_step(std::string_view& text, Resource kind) {
    std::string_view rest = text;
    const std::string_view level = take(rest);
    const std::string_view number = take(rest);
    for (const ResourceLevel each :
         {ResourceLevel::kObject, ResourceLevel::kProcess, ResourceLevel::kHost, ResourceLevel::kSystem}) {
        Step step{each, 0};
        const char* const end = number.data() + number.size();
        const auto [at, error] = std::from_chars(number.data(), end, step.number);
        if (level == name_of(each, kind) && has_level(kind, each) && error == std::errc{} && at == end &&
            (each != ResourceLevel::kSystem || step.number == 0)) {
            text = rest;
            return step;
        }
    }
    return std::nullopt;
}

}  // namespace address_parts

// Nothing: not an address.
inline std::optional<MetricAddress> parse_address(std::string_view text) {
    MetricAddress address;
    const std::string_view word = address_parts::take(text);
    const Resource kinds[] = {Resource::kTask, Resource::kProcessor, Resource::kChannel};
    const auto* const kind =
        std::find_if(std::begin(kinds), std::end(kinds), [word](Resource each) { return name_of(each) == word; });
    auto step = kind == std::end(kinds) ? std::nullopt : address_parts::take_step(text, *kind);
    if (!step) {
        return std::nullopt;
    }
    address.kind = *kind;
    while (step) {
        address.level = step->level;
        address.number = step->number;
        // A level below this one follows, or the metric, whose name may have slashes.
        std::string_view rest = text;
        step = address_parts::take_step(rest, *kind);
        if (!step || step->level >= address.level || address.level == ResourceLevel::kSystem || rest.empty()) {
            break;
        }
        (address.level == ResourceLevel::kHost ? address.host : address.process) = address.number;
        text = rest;
    }
    address.metric = text;
    return text.empty() ? std::nullopt : std::optional(std::move(address));
}

// One object, its place, and its value of the metric.
struct Observed {
    std::uint64_t object = 0;
    std::uint64_t process = 0;
    std::uint64_t host = 0;
    std::optional<std::uint64_t> value;  // nothing: not known of this object
};

struct Aggregate {
    std::uint64_t sum = 0;  // modulo 2^64
    double mean = 0;        // of the objects whose value is known
    std::uint64_t minimum = 0;
    std::uint64_t maximum = 0;
    std::size_t objects = 0;
    std::size_t known = 0;
    // The share of the objects that the figures cover.
    [[nodiscard]] double coverage() const {
        return objects == 0 ? 0 : static_cast<double>(known) / static_cast<double>(objects);
    }
};

// Over the objects below `number` at `level`. `is_signed`: values below 0 have wrapped round (gauges).
inline Aggregate aggregate(std::span<const Observed> objects, ResourceLevel level, std::uint64_t number,
                           bool is_signed = false) {
    Aggregate all;
    const auto is_less = [is_signed](std::uint64_t a, std::uint64_t b) {
        return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    };
    double total = 0;
    for (const Observed& each : objects) {
        const bool inside =
            level == ResourceLevel::kSystem || number == (level == ResourceLevel::kObject    ? each.object
                                                          : level == ResourceLevel::kProcess ? each.process
                                                                                             : each.host);
        if (!inside) {
            continue;
        }
        ++all.objects;
        if (each.value) {
            all.minimum = all.known == 0 ? *each.value : std::min(all.minimum, *each.value, is_less);
            all.maximum = all.known == 0 ? *each.value : std::max(all.maximum, *each.value, is_less);
            all.sum += *each.value;
            total += is_signed ? static_cast<double>(static_cast<std::int64_t>(*each.value))
                               : static_cast<double>(*each.value);
            ++all.known;
        }
    }
    all.mean = all.known == 0 ? 0 : total / static_cast<double>(all.known);
    return all;
}

}  // namespace kymo
