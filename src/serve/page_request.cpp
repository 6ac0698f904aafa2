#include "serve/page_request.h"

#include "base/line_words.h"
#include "serve/token.h"
#include "view/page/page_range.h"

#include <memory>
#include <string>

namespace kymo::serve {
namespace {

bool is_loopback(std::string_view host) {
    if (host.starts_with('[')) {
        return host.substr(0, host.find(']') + 1) == "[::1]";
    }
    const std::string_view name = host.substr(0, host.find(':'));
    return name == "127.0.0.1" || name == "localhost";
}

net::HttpReply refusal(std::string status, std::string why) {
    return {.status = std::move(status), .body = std::make_shared<const std::string>(std::move(why) + "\n")};
}

}  // namespace

std::variant<PageRequest, net::HttpReply> parse_page_request(const net::HttpRequest& request,
                                                             std::string_view token) {
    if (!is_loopback(request.host)) {
        return refusal("403 Forbidden",
                       "Open this page as http://localhost:PORT/…, with the address that kymo view printed.");
    }
    const std::string_view path = request.path();
    if (path.size() != token.size() + 2 || path.front() != '/' || path.back() != '/' ||
        !is_same_token(path.substr(1, token.size()), token)) {
        return refusal("404 Not Found", "No page has this address. kymo view --serve prints the whole address.");
    }
    PageRequest asked;
    for (std::string_view rest = request.query(); !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const std::string_view key = part.substr(0, part.find('='));
        const std::string_view value = part.substr(std::min(part.size(), key.size() + 1));
        if (key == "range") {
            const auto range = view::parse_page_range(std::string(value));
            if (!range) {
                return refusal("400 Bad Request", range.error().what + ": " + range.error().next);
            }
            asked.range = *range;
        } else if (key == "first") {
            asked.is_first_look = true;
        } else if (key == "stage") {
            asked.is_stage = true;
        } else if (key == "look" && !parse_decimal(value, asked.look, UINT32_MAX)) {
            return refusal("400 Bad Request", "look is the number of a reading, from 1");
        }
    }
    return asked;
}

}  // namespace kymo::serve
