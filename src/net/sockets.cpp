#include "net/sockets.h"

#include "base/line_words.h"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kymo::net {
namespace {

constexpr int kKind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

void set(int socket, int level, int option, int value) {
    setsockopt(socket, level, option, &value, sizeof value);
}

// Sends small frames at once, and detects a disconnected host within seconds, also without traffic.
void tune(int socket) {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 5'000);  // ms
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);  // s
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

std::optional<sockaddr_in> parse_socket_address(std::string_view text) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    const std::string host(text.substr(0, text.find(':')));
    if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
        return std::nullopt;
    }
    if (host.size() != text.size()) {
        std::uint16_t port = 0;
        if (!parse_decimal(text.substr(host.size() + 1), port, 65535)) {
            return std::nullopt;
        }
        address.sin_port = htons(port);
    }
    return address;
}

std::string to_text(const sockaddr_in& address) {
    char host[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    return std::string(host) + ":" + std::to_string(ntohs(address.sin_port));
}

Descriptor listen_at(const sockaddr_in& address) {
    Descriptor made(socket(AF_INET, kKind, 0));
    if (!made) {
        return {};
    }
    set(made.number(), SOL_SOCKET, SO_REUSEADDR, 1);
    const bool listens = bind(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                         listen(made.number(), SOMAXCONN) == 0;
    return listens ? std::move(made) : Descriptor();
}

sockaddr_in own_address(const Descriptor& socket) {
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &bytes);
    return address;
}

Descriptor accept_one(const Descriptor& listener) {
    Descriptor taken(accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (taken) {
        tune(taken.number());
    }
    return taken;
}

Descriptor connect_to(const sockaddr_in& address) {
    Descriptor made(socket(AF_INET, kKind, 0));
    if (!made) {
        return {};
    }
    tune(made.number());
    // If the result is not known at once, the socket reports it later.
    const int result = connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return result == 0 || errno == EINPROGRESS ? std::move(made) : Descriptor();
}

}  // namespace kymo::net
