// Reads and writes the bytes of ZMTP and CURVE for both halves of a link: numbers, frame heads, nonces, boxes. For
// curve_link.cpp and curve_handshake.cpp alone. The caller checks lengths that are not part of a type.
#pragma once

#include "ring/protocol/frame.h"
#include "ring/transport/z85.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <sodium.h>
#include <span>
#include <string_view>

namespace kymo::ring::curve {

using Span = std::span<const std::uint8_t>;
using Nonce = std::array<std::uint8_t, crypto_box_NONCEBYTES>;

static_assert(crypto_box_PUBLICKEYBYTES == 32 && crypto_box_SECRETKEYBYTES == 32 && crypto_box_BEFORENMBYTES == 32);

inline constexpr std::size_t kMac = crypto_box_MACBYTES;
inline constexpr std::size_t kGreetingBytes = 64;
inline constexpr std::size_t kNumberBytes = 8;
inline constexpr std::uint8_t kMore = 1;  // a frame's flags; kMore is also used inside a CURVE message
inline constexpr std::uint8_t kLong = 2;
inline constexpr std::uint8_t kCommand = 4;

inline void append(Bytes& out, Span bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}
inline void append(Bytes& out, std::string_view text) {
    out.insert(out.end(), text.begin(), text.end());
}

inline void append_number(Bytes& out, std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) {
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

inline std::uint64_t number_at(Span bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value = value << 8U | bytes[at + i];
    }
    return value;
}

inline void append_frame_head(Bytes& out, std::uint8_t flags, std::size_t body) {
    if (body < 256) {
        out.push_back(flags);
        out.push_back(static_cast<std::uint8_t>(body));
    } else {
        out.push_back(flags | kLong);
        append_number(out, body, 8);
    }
}

inline void append_command(Bytes& out, Span body) {
    append_frame_head(out, kCommand, body.size());
    append(out, body);
}

// "CurveZMQHELLO---" and a number, or "WELCOME-" and sixteen bytes.
inline Nonce nonce_of(std::string_view prefix, Span rest) {
    Nonce nonce;
    assert(prefix.size() + rest.size() == nonce.size());
    std::memcpy(nonce.data(), prefix.data(), prefix.size());
    std::memcpy(nonce.data() + prefix.size(), rest.data(), rest.size());
    return nonce;
}

inline Nonce nonce_of(std::string_view prefix, std::uint64_t number) {
    std::array<std::uint8_t, kNumberBytes> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(number >> (8 * (bytes.size() - 1 - i)));
    }
    return nonce_of(prefix, Span(bytes));
}

inline void append_box(Bytes& out, Span text, const Nonce& nonce, const Key& to, const Key& from) {
    const std::size_t at = out.size();
    out.resize(at + kMac + text.size());
    // Fails only for keys that are not group elements; no receiver could open such a box.
    if (crypto_box_easy(out.data() + at, text.data(), text.size(), nonce.data(), to.data(), from.data()) != 0) {
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.end(), 0);
    }
}

template <std::size_t kBytes>
inline bool open_box(std::array<std::uint8_t, kBytes>& text, Span box, const Nonce& nonce, const Key& from,
                     const Key& to) {
    return box.size() == kBytes + kMac &&
           crypto_box_open_easy(text.data(), box.data(), box.size(), nonce.data(), from.data(), to.data()) == 0;
}

inline bool starts_with(Span body, std::string_view name) {
    return body.size() >= name.size() && std::memcmp(body.data(), name.data(), name.size()) == 0;
}

inline bool same(Span a, const Key& key) {
    return a.size() == key.size() && sodium_memcmp(a.data(), key.data(), key.size()) == 0;
}

}  // namespace kymo::ring::curve
