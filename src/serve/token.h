// A secret in the address of a server on the loopback: only the user that started the server has it, or passes it.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace kymo::serve {

// 32 hexadecimal digits of 128 random bits. Error: the system has none.
Result<std::string> make_token();

// In constant time, wherever they differ.
bool is_same_token(std::string_view one, std::string_view other);

}  // namespace kymo::serve
