// Which descriptors can be read or written: epoll, with deadlines in nanoseconds. One thread.
#pragma once

#include "base/descriptor.h"

#include <cstdint>
#include <ctime>
#include <span>
#include <sys/epoll.h>

namespace kymo::ring {

class Poller {
  public:
    Poller() : poll_(epoll_create1(EPOLL_CLOEXEC)) {}

    [[nodiscard]] bool is_good() const { return static_cast<bool>(poll_); }
    // For use in another poller: readable when a descriptor of this poller is ready.
    [[nodiscard]] const Descriptor& descriptor() const { return poll_; }
    // A descriptor is removed when it is closed. `events`: EPOLLIN, EPOLLOUT.
    void add(const Descriptor& descriptor, std::uint32_t events) { control(EPOLL_CTL_ADD, descriptor, events); }
    void change(const Descriptor& descriptor, std::uint32_t events) { control(EPOLL_CTL_MOD, descriptor, events); }

    void forget(const Descriptor& descriptor) { control(EPOLL_CTL_DEL, descriptor, 0); }

    // Waits until one is ready, or for `rest` (null: forever). Returns how many of `events` are filled; -1:
    // interrupted by a signal.
    int wait(std::span<epoll_event> events, const timespec* rest);

  private:
    void control(int what, const Descriptor& descriptor, std::uint32_t events);

    Descriptor poll_;
    bool has_no_pwait2_ = false;
};

}  // namespace kymo::ring
