#include "ring/transport/poller.h"

#include <cerrno>
#include <poll.h>

namespace kymo::ring {

void Poller::control(int what, const Descriptor& descriptor, std::uint32_t events) {
    epoll_event event{events, {.fd = descriptor.number()}};
    epoll_ctl(poll_.number(), what, descriptor.number(), &event);
}

// epoll's timeout is in milliseconds on kernels before 5.11, but cells are latched to microseconds.
int Poller::wait(std::span<epoll_event> events, const timespec* rest) {
    const auto most = static_cast<int>(events.size());
    if (!has_no_pwait2_) {
        const int count = epoll_pwait2(poll_.number(), events.data(), most, rest, nullptr);
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) {
            return count;
        }
        has_no_pwait2_ = true;
    }
    pollfd item{poll_.number(), POLLIN, 0};
    const int ready = ppoll(&item, 1, rest, nullptr);
    return ready <= 0 ? ready : epoll_wait(poll_.number(), events.data(), most, 0);
}

}  // namespace kymo::ring
