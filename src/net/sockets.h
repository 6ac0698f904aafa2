// TCP sockets as the service ring and the HTTP server use them: IPv4, non-blocking, closed on exec.
#pragma once

#include "base/descriptor.h"

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::net {

// IPV4 or IPV4:PORT. Nothing: neither.
std::optional<sockaddr_in> parse_socket_address(std::string_view text);
std::string to_text(const sockaddr_in& address);  // IPV4:PORT

// Empty, with errno: it failed.
Descriptor listen_at(const sockaddr_in& address);
sockaddr_in own_address(const Descriptor& socket);
// The next incoming connection; empty: none, or errno has the reason why it cannot be accepted.
Descriptor accept_one(const Descriptor& listener);
// Starts to connect without waiting. Empty: errno has the reason.
Descriptor connect_to(const sockaddr_in& address);

}  // namespace kymo::net
