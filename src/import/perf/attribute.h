// What was counted: one event of a perf.data file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::import::perf {

// Named as in linux/perf_event.h, whose constants apply to type, config and the masks.
struct Attribute {
    std::string name;  // as the file gives it, else made from type and config: "cycles", "task-clock", "4:0x1c2"
    std::uint32_t type = 0;
    std::uint64_t config = 0;
    std::uint64_t config1 = 0;
    std::uint64_t config2 = 0;
    std::uint64_t sample_type = 0;  // PERF_SAMPLE_*: which fields of this event's samples hold something
    std::uint64_t read_format = 0;
    std::uint64_t period = 0;     // events from sample to sample; 0 if they were taken by frequency
    std::uint64_t frequency = 0;  // samples a second; 0 if they were taken by period
    bool is_frequency = false;
    bool exclude_user = false;
    bool exclude_kernel = false;
    bool exclude_hypervisor = false;
    bool inherit = false;
    bool sample_id_all = false;
    bool context_switch = false;  // the file has Switch records
    bool use_clockid = false;
    std::int32_t clockid = 0;  // as of clock_gettime; meaningless without use_clockid
    std::uint8_t precise = 0;  // 0 to 3
    std::uint64_t branch_sample_type = 0;
    std::uint64_t sample_regs_user = 0;  // mask of the user registers, in their numbers of asm/perf_regs.h
    std::uint64_t sample_regs_intr = 0;
    std::uint32_t sample_stack_user = 0;  // bytes
    std::vector<std::uint64_t> ids;       // which records are this event's
};

}  // namespace kymo::import::perf
