#include "view/page/shell.h"

// From shell_bytes.S.
extern "C" const char kymo_page_shell_begin[];
extern "C" const char kymo_page_shell_end[];

namespace kymo::view {

std::string_view page_shell() {
    return {kymo_page_shell_begin, static_cast<std::size_t>(kymo_page_shell_end - kymo_page_shell_begin)};
}

}  // namespace kymo::view
