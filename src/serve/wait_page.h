// What a browser shows until the page is there, and where there can be none.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kymo::serve {

// HTML that loads itself anew until the page is there. (A `Refresh` header would not: where the address has a
// fragment, browsers only look for that in what they have.) `recording`: its name, as given; `stage`: what the work
// is at, may be empty; `nonce`: of its script, in the policy.
std::string wait_page(std::string_view recording, std::string_view stage, double seconds, std::string_view nonce);

// With a link that has the recording read again, as reading `next_look`.
std::string error_page(std::string_view recording, const Error& error, std::uint32_t next_look);

}  // namespace kymo::serve
