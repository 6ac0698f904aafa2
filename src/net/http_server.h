// The part of HTTP/1.1 that a browser and a Prometheus server need: GET and HEAD, one request a connection, over
// plain TCP.
//
// A thread of its own serves all connections at once and never waits for one. Resources of unauthenticated clients
// are bounded: kConnections at a time (a further one replaces the one that has had the most time), kMaxRequest
// bytes of a request, kRequestFor until it is complete, kReplyFor without progress of the reply. Replies share a
// body.
#pragma once

#include "net/sockets.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kymo::net {

struct HttpRequest {
    std::string_view target;  // "/path?query", as sent
    std::string_view host;    // the header; empty: none

    [[nodiscard]] std::string_view path() const { return target.substr(0, target.find('?')); }
    [[nodiscard]] std::string_view query() const {
        const std::size_t mark = target.find('?');
        return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    }
};

struct HttpReply {
    std::string status = "200 OK";
    std::string type = "text/plain; charset=utf-8";
    std::string headers = {};                           // further lines, each with its "\r\n"
    std::shared_ptr<const std::string> body = nullptr;  // null: the status's words
};

inline HttpReply not_found() {
    return {.status = "404 Not Found"};
}

class HttpServer {
  public:
    static constexpr std::size_t kConnections = 64;
    static constexpr std::size_t kMaxRequest = 8192;

    // Called in the server's thread, for GET and HEAD: a slow one delays all others.
    using Answer = std::function<HttpReply(const HttpRequest&)>;

    // `listener`: not empty, and of sockets.h.
    HttpServer(Descriptor listener, Answer answer);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    [[nodiscard]] int port() const;

  private:
    using Time = std::uint64_t;

    struct Connection {
        Descriptor socket;
        Time give_up = 0;
        std::string request = {};
        std::string head = {};  // of the reply; empty: the request is not all there
        std::shared_ptr<const std::string> body = nullptr;
        std::size_t sent = 0;       // of head and body
        bool is_lingering = false;  // the reply is sent; further input is discarded until the other side closes
    };

    void run();
    void let_in(Time now);
    [[nodiscard]] Time next_give_up() const;
    // False: the connection is finished.
    bool serve(Connection& connection, short events, Time now);
    bool read(Connection& connection, Time now);
    static bool write(Connection& connection, Time now);
    void reply(Connection& connection, Time now);

    Descriptor listener_;
    Descriptor wake_;  // readable: the end
    Answer answer_;
    std::vector<Connection> connections_;
    std::thread thread_;  // uses all of the others
};

}  // namespace kymo::net
