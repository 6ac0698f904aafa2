// TCP sockets as the service ring and the HTTP server use them: IPv4, non-blocking, closed on exec.
#pragma once

#include "base/descriptor.h"

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::net {

// IPV4 or IPV4:PORT. Nothing: it is neither.
std::optional<sockaddr_in> parse_socket_address(std::string_view text);
std::string to_text(const sockaddr_in& address);  // IPV4:PORT

// Empty, with errno: it cannot be.
Descriptor listen_at(const sockaddr_in& address);
sockaddr_in own_address(const Descriptor& socket);
// The next that has called; empty: there is none, or errno says why it cannot be taken.
Descriptor accept_one(const Descriptor& listener);
// Begun, not waited for. Empty: errno says why it cannot be.
Descriptor connect_to(const sockaddr_in& address);

}  // namespace kymo::net
