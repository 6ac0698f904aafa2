#include "monitor/sampling/own_switches.h"

#include "events/attributes.h"

#include <cerrno>
#include <sys/mman.h>

namespace kymo::monitor {

int OwnSwitches::open(Descriptors& descriptors, ThreadState* owner) {
    absences_.clear();
    perf_event_attr attr = events::own_switch_attributes();
    const int opened = events::open_counter(attr, 0, -1, -1);
    if (opened < 0) {
        return errno;
    }
    descriptor_ = descriptors.adopt(opened, owner);
    if (descriptor_ < 0) {
        return errno;
    }
    void* at = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (at == MAP_FAILED) {
        const int error = errno;
        close(descriptors);
        return error;
    }
    ring_ = static_cast<perf_event_mmap_page*>(at);
    return 0;
}

void OwnSwitches::close(Descriptors& descriptors) {
    if (ring_ != nullptr) {
        munmap(ring_, 2 * kPage);
    }
    abandon(descriptors);
}

void OwnSwitches::abandon(Descriptors& descriptors) {
    ring_ = nullptr;
    if (descriptor_ >= 0) {
        descriptors.close(descriptor_);
        descriptor_ = -1;
    }
}

}  // namespace kymo::monitor
