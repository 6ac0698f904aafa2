#include "view/page/editor_link.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace kymo::view {
namespace {

// Schemes that browsers run or show themselves.
constexpr std::array<std::string_view, 8> kBrowsersOwn = {"javascript", "data",  "vbscript",    "blob",
                                                          "file",       "about", "view-source", "filesystem"};

bool is_scheme(std::string_view text) {
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
           std::all_of(text.begin(), text.end(), [](unsigned char letter) {
               return std::isalnum(letter) != 0 || letter == '+' || letter == '-' || letter == '.';
           });
}

}  // namespace

Result<void> check_editor_link(std::string_view link) {
    if (link == "none") {
        return {};
    }
    const std::size_t colon = link.find(':');
    std::string scheme(link.substr(0, colon == std::string_view::npos ? 0 : colon));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const bool is_plain =
        std::all_of(link.begin(), link.end(), [](unsigned char letter) { return letter > ' ' && letter < 127; });
    if (!is_scheme(scheme) || !is_plain || link.find("{file}") == std::string_view::npos ||
        std::find(kBrowsersOwn.begin(), kBrowsersOwn.end(), scheme) != kBrowsersOwn.end()) {
        return Error{ErrorKind::kUsage, "\"" + std::string(link) + "\" is no link to an editor",
                     "name an address with {file} and {line}, such as vscode://file{file}:{line}, or none"};
    }
    return {};
}

}  // namespace kymo::view
