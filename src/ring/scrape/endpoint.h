// Where a Prometheus server fetches the figures: http://ADDRESS:PORT/metrics.
//
// The server inside lies in a library of its own that is loaded when it is asked for, with prometheus-cpp, which
// writes the text. It has a thread of its own (http_server.h); publish() and it share one lock, held while the text
// is made.
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
