// Opens counters; an interface, so that tests can replace the kernel.
#pragma once

#include <linux/perf_event.h>

namespace kymo::events {

class CounterOpener {
  public:
    virtual ~CounterOpener() = default;
    // As perf_event_open(2): a descriptor, or −errno.
    virtual int open(perf_event_attr& attr, int thread, int processor, int leader) = 0;
    virtual void close(int counter) = 0;
    // Lets the group of this leader, which is open on the calling thread, count for a moment, and stops it again.
    // Whether it counted all the time: not so where the kernel finds no counters for it, or only by turns.
    virtual bool counts_whole(int leader) = 0;
};

class KernelOpener final : public CounterOpener {
  public:
    int open(perf_event_attr& attr, int thread, int processor, int leader) override;
    void close(int counter) override;
    bool counts_whole(int leader) override;
};

}  // namespace kymo::events
