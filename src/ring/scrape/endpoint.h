// The endpoint that a Prometheus server scrapes: http://ADDRESS:PORT/metrics.
//
// The server is in a separate library, loaded on demand together with prometheus-cpp, which writes the text. It
// has a thread of its own (http_server.h); publish() and that thread share one lock, held while the text is made.
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

    // Sets the families that are served from now on.
    virtual void publish(std::vector<Family> families) = 0;
    [[nodiscard]] virtual int port() const = 0;
};

// ADDRESS:PORT; port 0: any free port. kUnsupported: built without prometheus-cpp; kPermission, kUsage.
Result<std::unique_ptr<Endpoint>> open_endpoint(const std::string& address);

// PORT alone: on the loopback. Empty: neither PORT nor IPV4:PORT.
std::string endpoint_address(const std::string& text);

}  // namespace kymo::ring
