// The page without data, as web/ was built into this program.
#pragma once

#include <string_view>

namespace kymo::view {

// Empty if this build was made without Node.js.
std::string_view page_shell();

}  // namespace kymo::view
