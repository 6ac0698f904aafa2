// kymo view --serve: until Ctrl-C, a browser of this machine gets the recording's pages as it asks for them.
#pragma once

#include "serve/page_source.h"

#include <cstdint>

namespace kymo::cli {

// The exit code. Errors: the recording cannot be opened, the port is taken.
int serve_page(const serve::SourceOptions& options, std::uint16_t port);

}  // namespace kymo::cli
