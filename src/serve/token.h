// A secret for the address of a server on the loopback: whoever knows it started the server, or was given it.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace kymo::serve {

// 32 hexadecimal digits of 128 random bits. Error: the system has none.
Result<std::string> make_token();

// In a time that does not depend on where they differ.
bool is_same_token(std::string_view one, std::string_view other);

}  // namespace kymo::serve
