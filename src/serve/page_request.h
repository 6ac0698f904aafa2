// A browser's request: http://127.0.0.1:PORT/TOKEN/?range=1.2..1.3&look=2, ?first, ?stage
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/http_server.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace kymo::serve {

struct PageRequest {
    std::optional<TimeRange> range = {};  // ns since the run's begin; none: the whole run
    std::uint32_t look = 0;               // which reading of the recording, from 1; 0: the last one
    bool is_first_look = false;           // the page of the excerpt, even if the whole is ready
    bool is_stage = false;                // not a page: the stage of the work, in words; empty: the page is ready
};

// The requested page, or the refusal: 404 without the token, 403 if the name of the host is not this machine's
// loopback (DNS rebinding by a page elsewhere), 400 if the range is malformed.
std::variant<PageRequest, net::HttpReply> parse_page_request(const net::HttpRequest& request, std::string_view token);

}  // namespace kymo::serve
