#include "serve/page_server.h"

#include "serve/token.h"
#include "serve/wait_page.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace kymo::serve {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kHeaders =
    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n";
// For the small pages; the large ones have a policy of their own.
constexpr const char* kPlainPolicy =
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:";

net::HttpReply plain_page(std::string status, std::string body, std::string_view script_source = "") {
    return {.status = std::move(status),
            .type = kHtml,
            .headers = fmt::format("{}{}{}\r\n", kHeaders, kPlainPolicy, script_source),
            .body = std::make_shared<const std::string>(std::move(body))};
}

}  // namespace

PageServer::PageServer(Descriptor listener, std::string token, std::string name, OpenSource open)
    : token_(std::move(token)),
      name_(std::move(name)),
      maker_(std::move(open)),
      server_(std::move(listener), [this](const net::HttpRequest& request) { return answer(request); }) {}

std::string PageServer::address() const {
    return fmt::format("http://127.0.0.1:{}/{}/", port(), token_);
}

net::HttpReply PageServer::answer(const net::HttpRequest& request) {
    const auto parsed = parse_page_request(request, token_);
    if (const auto* const refusal = std::get_if<net::HttpReply>(&parsed)) {
        return *refusal;
    }
    const PageRequest& asked = std::get<PageRequest>(parsed);
    const PageMaker::Answer answer = maker_.ask(asked);
    if (asked.is_stage) {
        const bool is_there = answer.error || answer.page != nullptr;
        return {.status = "200 OK",
                .type = "text/plain; charset=utf-8",
                .headers = kHeaders,
                .body = std::make_shared<const std::string>(
                    is_there ? "" : fmt::format("{} · {:.0f} s", answer.stage, answer.seconds))};
    }
    if (answer.error) {
        return plain_page("500 Internal Server Error", error_page(name_, *answer.error, answer.look + 1));
    }
    if (answer.page == nullptr) {
        // The token serves as the nonce: it is as secret, since a client that has it may read the page.
        return plain_page("200 OK", wait_page(name_, answer.stage, answer.seconds, token_),
                          fmt::format("; script-src 'nonce-{}'", token_));
    }
    return {.type = kHtml, .headers = kHeaders, .body = answer.page};
}

Result<std::unique_ptr<PageServer>> serve_pages(std::uint16_t port, std::string name, OpenSource open) {
    auto token = make_token();
    if (!token) {
        return token.error();
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    Descriptor listener = net::listen_at(address);
    if (!listener) {
        return Error{ErrorKind::kPermission,
                     fmt::format("cannot serve at {}: {}", net::to_text(address), std::strerror(errno)),
                     "name another port, or leave --port out to take any that is free"};
    }
    return std::make_unique<PageServer>(std::move(listener), std::move(*token), std::move(name), std::move(open));
}

}  // namespace kymo::serve
