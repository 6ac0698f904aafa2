// What the metrics of a run came to: for each its totals, its objects' values, and how it grew over time.
//
// From the tables metric, metric-object and metric-value of all files (each rank of a job writes its own, and so does
// each host of the service ring), all on the first host's clock. Counters of processors count from their host's
// start: what they came to is the change since their first value. Bounded by the rows; one pass.
#pragma once

#include "base/resource.h"
#include "base/result.h"
#include "recording/reader.h"
#include "recording/tables/metrics.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::spacetime {

enum class MetricType : std::uint8_t { kCounter = 1, kGauge = 2, kMaximum = 3 };
enum class MetricOrigin : std::uint8_t { kStandard = 1, kProgram = 2, kDescription = 3, kLibrary = 4 };

struct MetricOfObject {
    std::uint64_t pid = 0;
    // Thread id (0: ended threads of the process, added up), processor, channel; recording::kAllObjects: all of the
    // host's.
    std::uint64_t number = 0;
    std::array<std::uint64_t, 3> key{};  // of a channel: communicator, peer, direction
    std::string name;
    std::uint32_t host = 0;                  // index in RunMetrics::hosts
    std::optional<std::uint64_t> rank = {};  // of the job that its process is in; none: of none
    std::uint64_t begin = 0;                 // ns of the recording's clock; 0: not known
    std::uint64_t value = 0;
    std::uint64_t thread = 0;  // of a channel: who counts; 0: not known
    std::string program = {};  // of a channel: what its process ran; empty: not known

    [[nodiscard]] bool is_all_of_host() const { return number == recording::kAllObjects; }
};

struct RunMetric {
    std::string name;
    std::string unit;
    std::string description;
    Resource kind = Resource::kTask;
    MetricType type = MetricType::kCounter;
    MetricOrigin origin = MetricOrigin::kProgram;
    MetricTotal total_by = MetricTotal::kOfType;
    ResourceLevel per = ResourceLevel::kObject;  // what is shown beside the total
    // Of channels: of ends of descriptors and declared ones, which are metrics of their own beside MPI's.
    bool of_ends = false;
    std::vector<MetricOfObject> objects;  // largest value first
    // Of the objects' values, made as the total is. Counters: change in each part of the run; others: the value at
    // its end.
    std::vector<double> bins;
    std::vector<std::vector<double>> host_bins = {};  // the same of each host, where there are several

    // How totals are made: never kOfType.
    [[nodiscard]] MetricTotal rule() const;
    // The rule on figures of some of the objects: cells add up modulo 2^64 (gauges below 0 have wrapped round); a
    // mean is rounded.
    [[nodiscard]] std::uint64_t total_of(const Aggregate& some) const;
    [[nodiscard]] std::uint64_t total() const { return total_of(aggregate(ResourceLevel::kSystem, 0)); }
    [[nodiscard]] Aggregate aggregate(ResourceLevel level, std::uint64_t number) const;
    // What is shown beside the total: the objects' values, or the totals of processes or hosts, by number; the
    // system's alone. Largest first.
    struct Part {
        std::uint64_t number = 0;
        Aggregate figures;
    };
    [[nodiscard]] std::vector<Part> parts() const;
};

// What was not available in the run, of whatever kind.
struct Absence {
    std::string what;
    std::string why;
    std::string remedy;
    bool operator==(const Absence&) const = default;
};

// Where metrics come from. What the ring's manager recorded of a host has all of it as one object.
struct RunHost {
    struct Gap {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    std::string name;
    std::uint64_t processors = 0;                      // 0: not known
    bool is_by_ring = false;                           // recorded by the ring's manager
    std::optional<std::uint64_t> clock_error_ns = {};  // by the ring: its times are right within it
    std::vector<Gap> gaps = {};                        // by the ring: it did not answer
};

struct RunMetrics {
    std::vector<RunHost> hosts;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t ranks = 0;           // of a parallel job that were recorded
    std::vector<Absence> absences;   // each once, at most kMaxAbsences
    std::vector<RunMetric> metrics;  // the program's and descriptions' first, then libraries', then standard ones

    [[nodiscard]] const RunMetric* find(Resource kind, std::string_view name) const;
    [[nodiscard]] bool is_by_ring() const { return !hosts.empty() && hosts.front().is_by_ring; }
};

inline constexpr std::size_t kMetricBins = 60;
inline constexpr std::size_t kMaxAbsences = 100;

}  // namespace kymo::spacetime
