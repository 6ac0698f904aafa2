// The IPv4 addresses of this host except the loopback's, of interfaces that are up, in the kernel's order.
#pragma once

#include <string>
#include <vector>

namespace kymo::ring {

std::vector<std::string> own_addresses();

}  // namespace kymo::ring
