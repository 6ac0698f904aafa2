#include "ring/transport/curve_link.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <sodium.h>
#include <string_view>

namespace kymo::ring {
namespace {

using Span = std::span<const std::uint8_t>;
using Nonce = std::array<std::uint8_t, crypto_box_NONCEBYTES>;

static_assert(crypto_box_PUBLICKEYBYTES == 32 && crypto_box_SECRETKEYBYTES == 32 && crypto_box_BEFORENMBYTES == 32);

constexpr std::size_t kMac = crypto_box_MACBYTES;
constexpr std::size_t kGreetingBytes = 64;
constexpr std::size_t kMechanismAt = 12;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kMaxHandshake = 1024;
constexpr std::uint8_t kMore = 1;  // a frame's flags; kMore and kCommand also of what a CURVE message holds
constexpr std::uint8_t kLong = 2;
constexpr std::uint8_t kCommand = 4;

void append(Bytes& out, Span bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}
void append(Bytes& out, std::string_view text) {
    out.insert(out.end(), text.begin(), text.end());
}

void append_number(Bytes& out, std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) {
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

std::uint64_t number_at(Span bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value = value << 8U | bytes[at + i];
    }
    return value;
}

void append_frame_head(Bytes& out, std::uint8_t flags, std::size_t body) {
    if (body < 256) {
        out.push_back(flags);
        out.push_back(static_cast<std::uint8_t>(body));
    } else {
        out.push_back(flags | kLong);
        append_number(out, body, 8);
    }
}

void append_command(Bytes& out, Span body) {
    append_frame_head(out, kCommand, body.size());
    append(out, body);
}

// "CurveZMQHELLO---" and a number, or "WELCOME-" and sixteen bytes.
Nonce nonce_of(std::string_view prefix, Span rest) {
    Nonce nonce;
    assert(prefix.size() + rest.size() == nonce.size());
    std::memcpy(nonce.data(), prefix.data(), prefix.size());
    std::memcpy(nonce.data() + prefix.size(), rest.data(), rest.size());
    return nonce;
}

Nonce nonce_of(std::string_view prefix, std::uint64_t number) {
    std::array<std::uint8_t, kNumberBytes> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(number >> (8 * (bytes.size() - 1 - i)));
    }
    return nonce_of(prefix, Span(bytes));
}

void append_box(Bytes& out, Span text, const Nonce& nonce, const Key& to, const Key& from) {
    const std::size_t at = out.size();
    out.resize(at + kMac + text.size());
    // Fails for keys of no group element only: then nobody can open it.
    if (crypto_box_easy(out.data() + at, text.data(), text.size(), nonce.data(), to.data(), from.data()) != 0) {
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.end(), 0);
    }
}

template <std::size_t kBytes>
bool open_box(std::array<std::uint8_t, kBytes>& text, Span box, const Nonce& nonce, const Key& from, const Key& to) {
    return box.size() == kBytes + kMac &&
           crypto_box_open_easy(text.data(), box.data(), box.size(), nonce.data(), from.data(), to.data()) == 0;
}

bool starts_with(Span body, std::string_view name) {
    return body.size() >= name.size() && std::memcmp(body.data(), name.data(), name.size()) == 0;
}

bool same(Span a, const Key& key) {
    return a.size() == key.size() && sodium_memcmp(a.data(), key.data(), key.size()) == 0;
}

}  // namespace

CurveLink::CurveLink(Side side, const KeyPair* keys) : side_(side), keys_(keys) {
    if (keys_ != nullptr) {
        crypto_box_keypair(own_.public_key.data(), own_.secret_key.data());
    }
}

CurveLink::~CurveLink() {
    sodium_memzero(&own_, sizeof own_);
    sodium_memzero(&shared_, sizeof shared_);
}

void CurveLink::begin(Bytes& out) const {
    const std::size_t at = out.size();
    out.resize(at + kGreetingBytes);
    std::uint8_t* const greeting = out.data() + at;
    greeting[0] = 0xFF;
    greeting[9] = 0x7F;
    greeting[10] = 3;
    std::memcpy(greeting + kMechanismAt, keys_ != nullptr ? "CURVE" : "NULL", keys_ != nullptr ? 5 : 4);
    greeting[32] = keys_ != nullptr && side_ == Side::kReceives ? 1 : 0;
}

bool CurveLink::take_greeting(Span greeting, Bytes& out) {
    char mechanism[20] = {};
    std::memcpy(mechanism, keys_ != nullptr ? "CURVE" : "NULL", keys_ != nullptr ? 5 : 4);
    if (greeting[0] != 0xFF || (greeting[9] & 1U) == 0 || greeting[10] < 3 ||
        std::memcmp(greeting.data() + kMechanismAt, mechanism, sizeof mechanism) != 0) {
        return false;  // who is the server is not looked at: libzmq does not say
    }
    if (keys_ == nullptr) {
        Bytes body;
        append(body, "\x05READY");
        append(body, metadata());
        append_command(out, body);
        state_ = State::kMetadata;
        return true;
    }
    if (side_ == Side::kReceives) {
        state_ = State::kHello;
        return true;
    }
    Bytes body;
    append(body, "\x05HELLO");
    body.push_back(1);  // CURVE's version 1.0
    body.resize(body.size() + 1 + 72);
    append(body, own_.public_key);
    append_number(body, own_number_, kNumberBytes);
    constexpr std::array<std::uint8_t, 64> kNothing{};
    append_box(body, kNothing, nonce_of("CurveZMQHELLO---", own_number_++), keys_->public_key, own_.secret_key);
    append_command(out, body);
    state_ = State::kWelcome;
    return true;
}

bool CurveLink::take_hello(Span body, Bytes& out) {
    if (!starts_with(body, "\x05HELLO") || body.size() != 200 || body[6] != 1 || body[7] != 0) {
        return false;
    }
    std::copy_n(body.begin() + 80, peer_.size(), peer_.begin());
    peer_number_ = number_at(body, 112, kNumberBytes);
    std::array<std::uint8_t, 64> nothing;
    if (!open_box(nothing, body.subspan(120), nonce_of("CurveZMQHELLO---", peer_number_), peer_, keys_->secret_key)) {
        return false;
    }
    // The state of a connection is kept, so that the cookie need not hold it: any bytes will do.
    randombytes_buf(cookie_.data(), cookie_.size());
    Bytes text;
    append(text, own_.public_key);
    append(text, cookie_);
    std::array<std::uint8_t, 16> random;
    randombytes_buf(random.data(), random.size());
    Bytes answer;
    append(answer, "\x07WELCOME");
    append(answer, random);
    append_box(answer, text, nonce_of("WELCOME-", random), peer_, keys_->secret_key);
    append_command(out, answer);
    state_ = State::kInitiate;
    return true;
}

bool CurveLink::take_welcome(Span body, Bytes& out) {
    std::array<std::uint8_t, 128> text;
    if (!starts_with(body, "\x07WELCOME") || body.size() != 168 ||
        !open_box(text, body.subspan(24), nonce_of("WELCOME-", body.subspan(8, 16)), keys_->public_key,
                  own_.secret_key)) {
        return false;
    }
    std::copy_n(text.begin(), peer_.size(), peer_.begin());
    std::copy_n(text.begin() + 32, cookie_.size(), cookie_.begin());
    // The vouch: who has the job's secret key says that this connection's key is its own.
    std::array<std::uint8_t, 16> random;
    randombytes_buf(random.data(), random.size());
    Bytes vouch;
    append(vouch, own_.public_key);
    append(vouch, keys_->public_key);
    Bytes inner;
    append(inner, keys_->public_key);
    append(inner, random);
    append_box(inner, vouch, nonce_of("VOUCH---", random), peer_, keys_->secret_key);
    append(inner, metadata());
    Bytes answer;
    append(answer, "\x08INITIATE");
    append(answer, cookie_);
    append_number(answer, own_number_, kNumberBytes);
    append_box(answer, inner, nonce_of("CurveZMQINITIATE", own_number_++), peer_, own_.secret_key);
    append_command(out, answer);
    state_ = State::kMetadata;
    return true;
}

bool CurveLink::take_initiate(Span body, Bytes& out) {
    constexpr std::size_t kBoxAt = 9 + 96 + kNumberBytes;
    constexpr std::size_t kInner = 32 + 16 + 64 + kMac;  // and metadata, of which we want nothing
    if (!starts_with(body, "\x08INITIATE") || body.size() < kBoxAt + kMac + kInner ||
        sodium_memcmp(body.data() + 9, cookie_.data(), cookie_.size()) != 0) {
        return false;
    }
    const std::uint64_t number = number_at(body, 9 + 96, kNumberBytes);
    const Span box = body.subspan(kBoxAt);
    Bytes inner(box.size() - kMac);
    std::array<std::uint8_t, 64> vouch;
    if (number != peer_number_ + 1 ||
        crypto_box_open_easy(inner.data(), box.data(), box.size(), nonce_of("CurveZMQINITIATE", number).data(),
                             peer_.data(), own_.secret_key.data()) != 0 ||
        !same(Span(inner).first(32), keys_->public_key) ||
        !open_box(vouch, Span(inner).subspan(48, 64 + kMac), nonce_of("VOUCH---", Span(inner).subspan(32, 16)),
                  keys_->public_key, own_.secret_key) ||
        !same(Span(vouch).first(32), peer_) || !same(Span(vouch).last(32), keys_->public_key)) {
        return false;
    }
    peer_number_ = number;
    Bytes answer;
    append(answer, "\x05READY");
    append_number(answer, own_number_, kNumberBytes);
    append_box(answer, metadata(), nonce_of("CurveZMQREADY---", own_number_++), peer_, own_.secret_key);
    append_command(out, answer);
    state_ = State::kReady;
    return crypto_box_beforenm(shared_.data(), peer_.data(), own_.secret_key.data()) == 0;
}

bool CurveLink::take_ready(Span body) {
    if (!starts_with(body, "\x05READY")) {
        return false;
    }
    state_ = State::kReady;
    if (keys_ == nullptr) {
        return true;
    }
    constexpr std::size_t kBoxAt = 6 + kNumberBytes;
    if (body.size() < kBoxAt + kMac) {
        return false;
    }
    peer_number_ = number_at(body, 6, kNumberBytes);
    const Span box = body.subspan(kBoxAt);
    Bytes text(box.size() - kMac + 1);  // not empty, whatever it holds
    return crypto_box_open_easy(text.data(), box.data(), box.size(),
                                nonce_of("CurveZMQREADY---", peer_number_).data(), peer_.data(),
                                own_.secret_key.data()) == 0 &&
           crypto_box_beforenm(shared_.data(), peer_.data(), own_.secret_key.data()) == 0;
}

Bytes CurveLink::metadata() const {
    Bytes bytes;
    const auto add = [&bytes](std::string_view name, std::string_view value) {
        bytes.push_back(static_cast<std::uint8_t>(name.size()));
        append(bytes, name);
        append_number(bytes, value.size(), 4);
        append(bytes, value);
    };
    add("Socket-Type", side_ == Side::kSends ? "PUSH" : "PULL");
    return bytes;
}

const char* CurveLink::message_prefix(bool own) const {
    return own == (side_ == Side::kSends) ? "CurveZMQMESSAGEC" : "CurveZMQMESSAGES";
}

void CurveLink::seal(Span message, Bytes& out) {
    assert(is_ready() && side_ == Side::kSends);
    if (keys_ == nullptr) {
        append_frame_head(out, 0, message.size());
        append(out, message);
        return;
    }
    constexpr std::string_view kName = "\x07MESSAGE";
    const std::size_t text = 1 + message.size();  // its flags, and itself
    append_frame_head(out, 0, kName.size() + kNumberBytes + kMac + text);
    append(out, kName);
    append_number(out, own_number_, kNumberBytes);
    const std::size_t at = out.size();
    out.resize(at + kMac + text);
    std::uint8_t* const box = out.data() + at;
    box[kMac] = 0;
    std::copy(message.begin(), message.end(), box + kMac + 1);
    crypto_box_easy_afternm(box, box + kMac, text, nonce_of(message_prefix(true), own_number_++).data(),
                            shared_.data());
}

bool CurveLink::take_message(const Frame& frame, std::vector<Bytes>& messages) {
    if (keys_ == nullptr) {
        if (!frame.is_command) {
            messages.emplace_back(frame.body.begin(), frame.body.end());
        }
        return side_ == Side::kReceives || frame.is_command;
    }
    constexpr std::size_t kBoxAt = 8 + kNumberBytes;
    if (!starts_with(frame.body, "\x07MESSAGE") || frame.body.size() < kBoxAt + kMac + 1) {
        return false;
    }
    const std::uint64_t number = number_at(frame.body, 8, kNumberBytes);
    const Span box = frame.body.subspan(kBoxAt);
    Bytes text(box.size() - kMac);
    if (number != peer_number_ + 1 ||
        crypto_box_open_easy_afternm(text.data(), box.data(), box.size(),
                                     nonce_of(message_prefix(false), number).data(), shared_.data()) != 0) {
        return false;
    }
    peer_number_ = number;
    const std::uint8_t flags = text[0];
    if ((flags & kCommand) != 0) {
        return true;  // a heartbeat of libzmq's
    }
    if ((flags & kMore) != 0 || side_ != Side::kReceives) {
        return false;
    }
    text.erase(text.begin());
    messages.push_back(std::move(text));
    return true;
}

// False: there can be no such frame.
bool CurveLink::find_frame(Span bytes, Frame& frame) const {
    if (bytes.empty()) {
        return true;
    }
    const std::uint8_t flags = bytes[0];
    const std::size_t head = (flags & kLong) != 0 ? 9 : 2;
    if ((flags & ~(kLong | kCommand)) != 0) {
        return false;
    }
    if (bytes.size() < head) {
        return true;
    }
    const std::uint64_t body = number_at(bytes, 1, head - 1);
    constexpr std::size_t kAround = 8 + kNumberBytes + kMac + 1;
    if (body > (is_ready() ? kMaxFrameBytes + kAround : kMaxHandshake)) {
        return false;
    }
    if (bytes.size() - head >= body) {
        frame = {(flags & kCommand) != 0, bytes.subspan(head, body), head + body};
    }
    return true;
}

CurveLink::Took CurveLink::take_one(Span bytes, std::size_t& taken, Bytes& out, std::vector<Bytes>& messages) {
    if (state_ == State::kGreeting) {
        taken = kGreetingBytes;
        if (bytes.size() < kGreetingBytes) {
            return Took::kMore;
        }
        return take_greeting(bytes.first(kGreetingBytes), out) ? Took::kOne : Took::kRefused;
    }
    Frame frame;
    if (!find_frame(bytes, frame)) {
        return Took::kRefused;
    }
    if (frame.bytes == 0) {
        return Took::kMore;
    }
    taken = frame.bytes;
    bool good = frame.is_command || state_ == State::kReady;
    switch (state_) {
        case State::kHello:
            good = good && take_hello(frame.body, out);
            break;
        case State::kWelcome:
            good = good && take_welcome(frame.body, out);
            break;
        case State::kInitiate:
            good = good && take_initiate(frame.body, out);
            break;
        case State::kMetadata:
            good = good && take_ready(frame.body);
            break;
        case State::kReady:
        case State::kGreeting:
            good = take_message(frame, messages);
            break;
    }
    return good ? Took::kOne : Took::kRefused;
}

bool CurveLink::take(Span bytes, Bytes& out, std::vector<Bytes>& messages) {
    if (!begun_.empty()) {
        append(begun_, bytes);
        bytes = begun_;
    }
    std::size_t used = 0;
    for (Took took = Took::kOne; took == Took::kOne;) {
        std::size_t taken = 0;
        took = take_one(bytes.subspan(used), taken, out, messages);
        if (took == Took::kRefused) {
            return false;
        }
        used += took == Took::kOne ? taken : 0;
    }
    if (begun_.empty()) {
        begun_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
    } else {
        begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(used));
    }
    return true;
}

}  // namespace kymo::ring
