// TCP sockets as the service channels use them: IPv4, non-blocking, closed on exec.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kymo::ring {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    [[nodiscard]] int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

  private:
    int number_ = -1;
};

// IPV4 or IPV4:PORT. Nothing: it is neither.
std::optional<sockaddr_in> parse_socket_address(std::string_view text);
std::string to_text(const sockaddr_in& address);  // IPV4:PORT

// Empty, with errno: it cannot be.
Descriptor listen_at(const sockaddr_in& address);
sockaddr_in own_address(const Descriptor& socket);
// The next that has called; empty: there is none, or errno says why it cannot be taken.
Descriptor accept_one(const Descriptor& listener);
// Begun, not waited for.
Descriptor connect_to(const sockaddr_in& address);

}  // namespace kymo::ring
