// Links of the page that open a file at a line in an editor: a template of an address, whose {file} and {line} the
// page fills in, the file escaped as addresses are (RFC 3986).
#pragma once

#include "base/result.h"

#include <string_view>

namespace kymo::view {

// Visual Studio Code's.
inline constexpr std::string_view kDefaultEditorLink = "vscode://file{file}:{line}";

// kUsage: not an address with a scheme of its own and a {file} in it, or one that a browser would run or show itself.
// "none" is accepted.
Result<void> check_editor_link(std::string_view link);

}  // namespace kymo::view
