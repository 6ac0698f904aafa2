// The C library's functions that do little but call the kernel, by name.
#pragma once

#include <string>
#include <string_view>

namespace kymo::spacetime {

// Of a function as in the source: "__libc_read(int, void*)" is "read".
std::string call_name(std::string_view function);

// `call`: as call_name() gives it.
bool is_system_call(std::string_view call);

}  // namespace kymo::spacetime
