// Where a Prometheus server fetches the figures: http://ADDRESS:PORT/metrics.
//
// The server inside is that of prometheus-cpp (civetweb), in a library of its own that is loaded when it is asked
// for. It has threads of its own; publish() and they share one lock, held for the length of a copy.
#pragma once

#include "base/result.h"
#include "ring/scrape/families.h"

#include <memory>
#include <string>
#include <vector>

namespace kymo::ring {

class Endpoint {
  public:
    Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    virtual ~Endpoint() = default;

    // What is told from now on.
    virtual void publish(std::vector<Family> families) = 0;
    [[nodiscard]] virtual int port() const = 0;
};

// ADDRESS:PORT; port 0: any that is free. kUnsupported: built without prometheus-cpp; kPermission, kUsage.
Result<std::unique_ptr<Endpoint>> open_endpoint(const std::string& address);

// PORT alone is the loopback's. Empty: neither PORT nor IPV4:PORT.
std::string endpoint_address(const std::string& text);

}  // namespace kymo::ring
