#include "launch/kernel_rings.h"

#include "base/time.h"
#include "events/attributes.h"
#include "events/probe.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

constexpr std::size_t kLargestRing = std::size_t{128} * 1024;
constexpr std::size_t kSmallestRing = std::size_t{8} * 1024;

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::vector<int> online_processors() {
    std::ifstream file("/sys/devices/system/cpu/online");
    std::string text;
    std::getline(file, text);
    std::vector<int> list = parse_processor_list(text);
    if (list.empty()) {
        for (int i = 0; i < static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); ++i) {
            list.push_back(i);
        }
    }
    return list;
}

std::vector<int> parse_processor_list(std::string_view text) {
    constexpr int kMost = 8192;
    std::vector<int> list;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        int first = 0;
        const auto [after_first, error] = std::from_chars(at, end, first);
        if (error != std::errc{} || first < 0 || first >= kMost) {
            return {};
        }
        int last = first;
        at = after_first;
        if (at < end && *at == '-') {
            const auto [after_last, last_error] = std::from_chars(at + 1, end, last);
            if (last_error != std::errc{} || last < first || last >= kMost) {
                return {};
            }
            at = after_last;
        }
        for (int i = first; i <= last; ++i) {
            list.push_back(i);
        }
        if (at < end && *at != ',') {
            return {};
        }
        at += at < end ? 1 : 0;
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

int KernelRings::open_processor(pid_t program, int processor) {
    perf_event_attr attr = events::switch_record_attributes(data_bytes_, fault_period_);
    if (tree_) {
        attr.inherit = 0;
        attr.disabled = 0;
        attr.enable_on_exec = 0;
    }
    const int descriptor = events::open_counter(attr, tree_ ? -1 : program, processor, -1);
    if (descriptor < 0) {
        return errno;
    }
    void* mapping = mmap(nullptr, page_bytes() + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) {
        const int error = errno;
        ::close(descriptor);
        return error;
    }
    rings_.push_back({descriptor, mapping});
    return 0;
}

int KernelRings::open(pid_t program, RecordReach reach, std::uint64_t fault_period) {
    fault_period_ = fault_period;
    tree_.reset();
    if (reach == RecordReach::kWholeMachine) {
        tree_.emplace(static_cast<std::uint32_t>(program));
    }
    const std::vector<int> processors = online_processors();
    for (data_bytes_ = kLargestRing; data_bytes_ >= kSmallestRing; data_bytes_ /= 2) {
        int error = 0;
        for (const int processor : processors) {
            error = open_processor(program, processor);
            // ENODEV: it went offline in between.
            if (error != 0 && error != ENODEV) {
                break;
            }
            error = 0;
        }
        if (error == 0) {
            settled_ = monotonic_now().ns;
            return 0;
        }
        close();
        // EPERM and ENOMEM from mmap: not enough locked memory; smaller rings may fit.
        if (error != EPERM && error != ENOMEM) {
            return error;
        }
    }
    return EPERM;
}

void KernelRings::close() {
    for (const Ring& ring : rings_) {
        munmap(ring.mapping, page_bytes() + data_bytes_);
        ::close(ring.descriptor);
    }
    rings_.clear();
}

void KernelRings::append_poll(std::vector<pollfd>& descriptors) const {
    for (const Ring& ring : rings_) {
        descriptors.push_back({ring.descriptor, POLLIN, 0});
    }
}

void KernelRings::hand_on(const KernelRecord& record, const Take& take) {
    if (!tree_ || tree_->take(record)) {
        take(record);
    }
}

void KernelRings::drain(bool last, const Take& take) {
    const std::uint64_t begun = monotonic_now().ns;
    for (const Ring& ring : rings_) {
        events::drain(static_cast<perf_event_mmap_page*>(ring.mapping), page_bytes(), data_bytes_,
                      [&](const events::RingRecord& raw) {
                          KernelRecord record;
                          if (parse_kernel_record(raw, record)) {
                              record.faults = record.change == KernelChange::kFault ? fault_period_ : 0;
                              held_.push_back(record);
                          }
                      });
    }
    std::stable_sort(held_.begin(), held_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    const auto ready =
        last ? held_.end()
             : std::find_if(held_.begin(), held_.end(), [&](const auto& r) { return r.time >= settled_; });
    std::for_each(held_.begin(), ready, [&](const KernelRecord& record) { hand_on(record, take); });
    held_.erase(held_.begin(), ready);
    settled_ = begun;
}

bool KernelRings::holds_mapping() const {
    return std::any_of(held_.begin(), held_.end(),
                       [](const KernelRecord& record) { return record.change == KernelChange::kMap; });
}

}  // namespace kymo::launch
