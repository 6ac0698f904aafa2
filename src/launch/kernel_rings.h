// The parent's per-processor rings: what the kernel reports about the program's whole process tree.
//
// One dummy event a processor is opened on the program before it execs; it is inherited by everything the program
// starts and is enabled by the exec. Or, past some number of processors, on the whole machine (record_reach.h);
// then records from outside the program's tree are dropped. Records of different processors come in no common
// order, so they are held for one round of drain() and handed on sorted by time. Single-threaded; the parent
// drains when poll reports data or a few times a second.
#pragma once

#include "launch/kernel_record.h"
#include "launch/process_tree.h"
#include "launch/record_reach.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace kymo::launch {

class KernelRings {
  public:
    KernelRings() = default;
    KernelRings(const KernelRings&) = delete;
    KernelRings& operator=(const KernelRings&) = delete;
    ~KernelRings() { close(); }

    // 0, or the errno of the first processor that refused; then nothing is open. Rings are 128 KiB, or less if the
    // user's locked memory does not suffice. `fault_period`: one record per this many page faults; 0: none.
    int open(pid_t program, RecordReach reach, std::uint64_t fault_period);
    void close();
    [[nodiscard]] bool is_open() const { return !rings_.empty(); }

    // Descriptors that become readable when a ring is half full.
    void append_poll(std::vector<pollfd>& descriptors) const;

    using Take = std::function<void(const KernelRecord&)>;
    // Empties the rings; hands on, in time order, the records older than the previous round. `last`: all records.
    void drain(bool last, const Take& take);
    // Whether the records of the next round include a mapping of a program or library.
    bool holds_mapping() const;

  private:
    struct Ring {
        int descriptor = -1;
        void* mapping = nullptr;
    };
    int open_processor(pid_t program, int processor);
    void hand_on(const KernelRecord& record, const Take& take);

    std::vector<Ring> rings_;
    std::optional<ProcessTree> tree_;  // if the records are the whole machine's
    std::size_t data_bytes_ = 0;
    std::uint64_t fault_period_ = 0;
    std::vector<KernelRecord> held_;
    std::uint64_t settled_ = 0;  // all records before this time have arrived
};

std::vector<int> online_processors();

// The processors of a text like "0-3,6"; at most 8192.
std::vector<int> parse_processor_list(std::string_view text);

}  // namespace kymo::launch
