// Serves the pages of one recording to browsers of this machine: http://127.0.0.1:PORT/TOKEN/
//
// Only a client that has the address may read the recording: the server listens on the loopback alone, the token
// is 128 random bits, and it is on no command line. A reply is immediate; while the recording is read, or a page
// is made, it is a page that says so and reloads itself.
#pragma once

#include "net/http_server.h"
#include "serve/page_maker.h"

#include <memory>
#include <string>

namespace kymo::serve {

class PageServer {
  public:
    // `name`: of the recording, for the pages shown while waiting.
    PageServer(Descriptor listener, std::string token, std::string name, OpenSource open);

    [[nodiscard]] int port() const { return server_.port(); }
    [[nodiscard]] std::string address() const;

  private:
    net::HttpReply answer(const net::HttpRequest& request);

    std::string token_;
    std::string name_;
    PageMaker maker_;
    net::HttpServer server_;  // uses the others
};

// `port` 0: any that is free. Errors: kPermission, the port is taken or not allowed; no random bytes.
Result<std::unique_ptr<PageServer>> serve_pages(std::uint16_t port, std::string name, OpenSource open);

}  // namespace kymo::serve
