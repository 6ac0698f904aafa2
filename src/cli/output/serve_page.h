// kymo view --serve: until Ctrl-C, serves a recording's pages to a browser of this machine on request.
#pragma once

#include "serve/page_source.h"

#include <cstdint>

namespace kymo::cli {

// The exit code. Errors: the recording cannot be opened, the port is taken.
int serve_page(const serve::SourceOptions& options, std::uint16_t port);

}  // namespace kymo::cli
