// Activity on a host between two readings of its cells: rates by process, thread, processor and channel.
//
// A pure function of the two readings. Counters are modulo 2^64: a change is the difference of two readings. An
// object missing in the first reading counts from its own start. Time shares are relative to one processor: 1 is
// one whole processor. A thread's time is updated at its samples, so a sleeping thread correctly shows none, and a
// thread that starts to run shows its time up to 10 ms late.
#pragma once

#include "cells/standard.h"
#include "host/live_channel.h"
#include "host/reading.h"

#include <optional>
#include <string>
#include <vector>

namespace kymo::host {

struct TaskRates {
    double user = 0;  // share of a processor
    double system = 0;
    double lock_wait = 0;  // share of the time, added up over threads
    double wait = 0;       // in calls, locks included
    double switches = 0;   // a second, voluntary and not
    double faults = 0;     // a second

    [[nodiscard]] double on_cpu() const { return user + system; }
    TaskRates& operator+=(const TaskRates& other);
};

struct LiveTask {
    std::uint64_t tid = 0;
    std::string name;
    TaskRates rates;
};

struct LiveProcess {
    std::uint32_t pid = 0;
    std::string program;
    TaskRates rates;              // of all its threads, including those that ended between the readings
    std::vector<LiveTask> tasks;  // the live ones
    bool has_ended = false;
};

struct LiveProcessor {
    std::uint64_t number = 0;
    double user = 0;  // shares; with nice, and system with interrupts
    double system = 0;
    double steal = 0;
    double idle = 0;   // waiting for input included
    double queue = 0;  // mean number of tasks that waited for it
};

// A metric defined by the program or by a description, summed over all threads of a program.
struct LiveMetric {
    std::uint32_t pid = 0;
    std::string program;
    std::string name;
    std::string unit;
    cells::MetricType type = cells::MetricType::kCounter;
    std::uint64_t total = 0;  // running timers included
    double a_second = 0;      // counters only
};

struct LiveView {
    double seconds = 0;                     // between the readings
    std::vector<LiveProcess> processes;     // busiest first
    std::vector<LiveProcessor> processors;  // by number
    std::vector<LiveChannel> channels;      // most blocked first
    std::vector<LiveMetric> metrics;        // by process, as in its schema
    std::size_t unreadable = 0;             // segments
    std::size_t refused = 0;                // threads and channels for which there were no cells
};

LiveView compare(const Reading& before, const Reading& now);

}  // namespace kymo::host
