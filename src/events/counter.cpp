#include "events/counter.h"

#include "events/attributes.h"

#include <cerrno>

namespace kymo::events {

int KernelOpener::open(perf_event_attr& attr, int thread, int processor, int leader) {
    const int counter = open_counter(attr, thread, processor, leader);
    return counter >= 0 ? counter : -errno;
}

void KernelOpener::close(int counter) {
    ::close(counter);
}

}  // namespace kymo::events
