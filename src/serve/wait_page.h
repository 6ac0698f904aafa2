// The browser's page while the requested one is made, or if it cannot be.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kymo::serve {

// HTML that reloads itself until the page is ready. (A `Refresh` header would not: if the address has a fragment,
// browsers only scroll to it in the present page.) `recording`: its name, as given; `stage`: the work's current step,
// may be empty; `nonce`: of its script, in the policy.
std::string wait_page(std::string_view recording, std::string_view stage, double seconds, std::string_view nonce);

// With a link that reads the recording again, as reading `next_look`.
std::string error_page(std::string_view recording, const Error& error, std::uint32_t next_look);

}  // namespace kymo::serve
