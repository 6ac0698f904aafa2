// A process of which records tell, as they come: its code, its threads, and the file that it is written to.
#pragma once

#include "import/address_space.h"
#include "import/paths/stack_walk.h"
#include "import/process_images.h"
#include "import/process_log.h"
#include "import/processor/branch_stacks.h"
#include "import/waits/blocking_call.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kymo::import {

// A thread lost its processor in a system call, or will do so with its next record of a switch.
struct Blocked {
    std::uint64_t time = 0;  // 0: it has its processor yet
    BlockingCall call;
    std::vector<Frame> path;  // as of SampleIn
};

struct Task {
    std::uint64_t born = 0;
    std::string name;
    std::optional<Blocked> blocked = {};
};

struct Process {
    std::uint64_t begin = 0;
    std::uint32_t parent = 0;
    AddressSpace space;
    ProcessImages code;
    std::map<std::uint32_t, Task> tasks;
    std::unique_ptr<ProcessLog> log;
    std::size_t written = 0;  // of its images, to the log
    std::unique_ptr<StackWalker> walker;
    std::size_t walked = 0;          // of its images, that it has
    std::size_t seen_generated = 0;  // of the log's addresses
    BranchSums branches;             // since the log began
    bool is_generating = false;      // it runs code that it made itself
};

}  // namespace kymo::import
