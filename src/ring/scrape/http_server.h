// As much of HTTP/1.1 as a Prometheus server needs: GET and HEAD of /metrics, one request a connection, over plain
// TCP.
//
// A thread of its own serves all connections at once and never waits for one. What unauthenticated can take is
// bounded: kConnections at a time (a further one takes the place of the one that has had the most time), kMaxRequest
// bytes of a request, kRequestFor until it is there, kReplyFor until its reply is taken. A body is shared by those it
// goes to.
#pragma once

#include "ring/transport/sockets.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kymo::ring {

class HttpServer {
  public:
    static constexpr std::size_t kConnections = 64;
    static constexpr std::size_t kMaxRequest = 8192;

    // Makes the body of /metrics; called in the server's thread.
    using Body = std::function<std::shared_ptr<const std::string>()>;

    // `listener`: not empty, and of sockets.h.
    HttpServer(Descriptor listener, Body body);
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
        bool is_lingering = false;  // the reply is sent; what still comes is thrown away until the other side closes
    };

    void run();
    void let_in(Time now);
    [[nodiscard]] Time next_give_up() const;
    // False: it is done with.
    bool serve(Connection& connection, short events, Time now);
    bool read(Connection& connection, Time now);
    static bool write(Connection& connection, Time now);
    void reply(Connection& connection, Time now);

    Descriptor listener_;
    Descriptor wake_;  // readable: the end
    Body body_;
    std::vector<Connection> connections_;
    std::thread thread_;  // uses all of the others
};

}  // namespace kymo::ring
