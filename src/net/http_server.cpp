#include "net/http_server.h"

#include "base/time.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kymo::net {
namespace {

using Time = std::uint64_t;

constexpr Time kRequestFor = 2'000'000'000;  // ns
constexpr Time kReplyFor = 10'000'000'000;
constexpr Time kLingerFor = 500'000'000;
constexpr int kLetInAtOnce = 16;
constexpr int kPauseMs = 100;

struct Parsed {
    const char* refusal = nullptr;  // a status
    bool has_body = true;           // of the reply
    HttpRequest request = {};
};

bool is_same_header(std::string_view name, std::string_view lower) {
    return std::equal(name.begin(), name.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// The value of a header; empty: none.
std::string_view header(std::string_view request, std::string_view lower) {
    for (std::size_t at = request.find("\r\n"); at != std::string_view::npos; at = request.find("\r\n", at)) {
        at += 2;
        const std::string_view line = request.substr(at, request.find("\r\n", at) - at);
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && is_same_header(line.substr(0, colon), lower)) {
            const std::string_view value = line.substr(colon + 1);
            const std::size_t from = value.find_first_not_of(" \t");
            return from == std::string_view::npos ? std::string_view()
                                                  : value.substr(from, value.find_last_not_of(" \t") + 1 - from);
        }
    }
    return {};
}

Parsed parse(std::string_view request) {
    const std::string_view line = request.substr(0, request.find("\r\n"));
    const std::size_t method_end = line.find(' ');
    const std::size_t target_end = line.find(' ', method_end == std::string_view::npos ? method_end : method_end + 1);
    if (target_end == std::string_view::npos || !line.substr(target_end + 1).starts_with("HTTP/1.")) {
        return {"400 Bad Request"};
    }
    const std::string_view method = line.substr(0, method_end);
    if (method != "GET" && method != "HEAD") {
        return {"405 Method Not Allowed"};
    }
    return {nullptr,
            method == "GET",
            {line.substr(method_end + 1, target_end - method_end - 1), header(request, "host")}};
}

}  // namespace

HttpServer::HttpServer(Descriptor listener, Answer answer)
    : listener_(std::move(listener)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), answer_(std::move(answer)) {
    // Signals belong to the other threads, whose waits they end.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HttpServer::~HttpServer() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.number(), &one, sizeof one));
    thread_.join();
}

int HttpServer::port() const {
    return ntohs(own_address(listener_).sin_port);
}

void HttpServer::run() {
    std::vector<pollfd> polled;
    for (;;) {
        polled.assign({{wake_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}});
        for (const Connection& each : connections_) {
            polled.push_back({each.socket.number(),
                              static_cast<short>(each.head.empty() || each.is_lingering ? POLLIN : POLLOUT), 0});
        }
        const Time before = monotonic_now().ns;
        const Time end = next_give_up();
        const int rest = end == ~Time{0} ? -1
                         : end <= before ? 0
                                         : static_cast<int>(std::min<Time>((end - before) / 1'000'000 + 1, 60'000));
        if (poll(polled.data(), polled.size(), rest) < 0 && errno != EINTR) {
            return;
        }
        if (polled[0].revents != 0) {
            return;
        }
        const Time now = monotonic_now().ns;
        for (std::size_t i = connections_.size(); i-- > 0;) {
            Connection& each = connections_[i];
            const short events = polled[i + 2].revents;
            if (now >= each.give_up || (events != 0 && !serve(each, events, now))) {
                std::swap(each, connections_.back());
                connections_.pop_back();
            }
        }
        if (polled[1].revents != 0) {
            let_in(now);
        }
    }
}

void HttpServer::let_in(Time now) {
    for (int i = 0; i < kLetInAtOnce; ++i) {
        Descriptor socket = accept_one(listener_);
        if (!socket) {
            if (errno == EMFILE || errno == ENFILE) {
                connections_.clear();  // makes room if these used it up; otherwise the error would return at once
                pollfd end{wake_.number(), POLLIN, 0};
                poll(&end, 1, kPauseMs);
            }
            return;
        }
        Connection made{std::move(socket), now + kRequestFor};
        if (!serve(made, POLLIN, now)) {
            continue;
        }
        if (connections_.size() >= kConnections) {
            const auto longest = std::min_element(connections_.begin(), connections_.end(),
                                                  [](const auto& a, const auto& b) { return a.give_up < b.give_up; });
            *longest = std::move(made);
        } else {
            connections_.push_back(std::move(made));
        }
    }
}

HttpServer::Time HttpServer::next_give_up() const {
    Time next = ~Time{0};
    for (const Connection& each : connections_) {
        next = std::min(next, each.give_up);
    }
    return next;
}

bool HttpServer::serve(Connection& connection, short events, Time now) {
    if (connection.is_lingering || (connection.head.empty() && (events & (POLLIN | POLLHUP | POLLERR)) != 0)) {
        if (!read(connection, now)) {
            return false;
        }
    }
    return connection.head.empty() || connection.is_lingering || write(connection, now);
}

bool HttpServer::read(Connection& connection, Time now) {
    char part[4096];
    const ssize_t got = recv(connection.socket.number(), part, sizeof part, MSG_DONTWAIT);
    if (got <= 0) {
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    if (!connection.is_lingering) {
        connection.request.append(part, static_cast<std::size_t>(got));
        reply(connection, now);
    }
    return true;
}

// Called once the request is complete, or too long.
void HttpServer::reply(Connection& connection, Time now) {
    const bool is_whole = connection.request.find("\r\n\r\n") != std::string::npos;
    if (!is_whole && connection.request.size() <= kMaxRequest) {
        return;
    }
    const Parsed parsed = is_whole ? parse(connection.request) : Parsed{"431 Request Header Fields Too Large"};
    const HttpReply made = parsed.refusal == nullptr ? answer_(parsed.request) : HttpReply{.status = parsed.refusal};
    connection.body = made.body != nullptr ? made.body : std::make_shared<const std::string>(made.status);
    connection.head = "HTTP/1.1 " + made.status + "\r\nContent-Type: " + made.type +
                      "\r\nContent-Length: " + std::to_string(connection.body->size()) + "\r\n" + made.headers +
                      "Connection: close\r\n\r\n";
    if (!parsed.has_body) {
        connection.body = std::make_shared<const std::string>();
    }
    connection.request = {};
    connection.give_up = now + kReplyFor;
}

bool HttpServer::write(Connection& connection, Time now) {
    const std::size_t head = connection.head.size();
    const std::size_t all = head + connection.body->size();
    while (connection.sent < all) {
        const std::string_view rest = connection.sent < head
                                          ? std::string_view(connection.head).substr(connection.sent)
                                          : std::string_view(*connection.body).substr(connection.sent - head);
        const ssize_t sent = send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        connection.sent += static_cast<std::size_t>(sent);
        connection.give_up = now + kReplyFor;
    }
    // Closing with unread bytes would discard the reply while the client is still sending.
    shutdown(connection.socket.number(), SHUT_WR);
    connection.body = nullptr;
    connection.is_lingering = true;
    connection.give_up = now + kLingerFor;
    return true;
}

}  // namespace kymo::net
