// A resource that serves one request after another, as the time at which it is next free. No queue is kept: a
// request's wait is what the resource is booked ahead of it. Requests should come roughly in order of time.
#pragma once

#include <algorithm>

namespace kymo::gpu {

class Server {
  public:
    // Books `service` cycles from `time` on, or from when the server is free; returns when service begins.
    double book(double time, double service) {
        const double begin = std::max(time, free_);
        free_ = begin + service;
        busy_ += service;
        return begin;
    }
    double free_at() const { return free_; }
    double busy() const { return busy_; }
    void restart() { free_ = busy_ = 0; }

  private:
    double free_ = 0;
    double busy_ = 0;
};

}  // namespace kymo::gpu
