// The handshake of a link: ZMTP's greeting, then CURVE's HELLO, WELCOME, INITIATE and READY.
#include "ring/transport/curve_bytes.h"
#include "ring/transport/curve_link.h"

namespace kymo::ring {

using namespace curve;  // NOLINT(google-build-using-namespace): the bytes

namespace {

constexpr std::size_t kMechanismAt = 12;

}  // namespace

CurveLink::CurveLink(Side side, const KeyPair* keys, std::string identity)
    : side_(side), keys_(keys), identity_(std::move(identity)) {
    assert(identity_.size() <= kMaxIdentity);
    if (keys_ != nullptr && side_ == Side::kSends) {
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
        return false;  // the as-server field is not checked: libzmq does not set it
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
    // Only now: a client without even the job's public key is not worth the work of making a key.
    crypto_box_keypair(own_.public_key.data(), own_.secret_key.data());
    // The state of a connection is kept here, so the cookie need not hold it: any bytes will do.
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
    // The vouch: the owner of the job's secret key certifies this connection's key.
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
    constexpr std::size_t kInner = 32 + 16 + 64 + kMac;  // and metadata
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
    read_metadata(Span(inner).subspan(kInner));
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
        read_metadata(body.subspan(6));
        return true;
    }
    constexpr std::size_t kBoxAt = 6 + kNumberBytes;
    if (body.size() < kBoxAt + kMac) {
        return false;
    }
    peer_number_ = number_at(body, 6, kNumberBytes);
    const Span box = body.subspan(kBoxAt);
    Bytes text(box.size() - kMac + 1);  // not empty, whatever the box contains
    if (crypto_box_open_easy(text.data(), box.data(), box.size(), nonce_of("CurveZMQREADY---", peer_number_).data(),
                             peer_.data(), own_.secret_key.data()) != 0) {
        return false;
    }
    text.pop_back();
    read_metadata(text);
    return crypto_box_beforenm(shared_.data(), peer_.data(), own_.secret_key.data()) == 0;
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
    if (!identity_.empty()) {
        add("Identity", identity_);
    }
    return bytes;
}

// Properties: a byte and a name, four bytes and a value. Unknown properties are ignored.
void CurveLink::read_metadata(Span bytes) {
    constexpr std::string_view kIdentity = "Identity";
    while (!bytes.empty()) {
        const std::size_t name = bytes[0];
        if (bytes.size() < 1 + name + 4) {
            return;
        }
        const std::size_t value = number_at(bytes, 1 + name, 4);
        const std::size_t value_at = 1 + name + 4;
        if (bytes.size() - value_at < value) {
            return;
        }
        if (name == kIdentity.size() && starts_with(bytes.subspan(1), kIdentity) && value <= kMaxIdentity) {
            peer_identity_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(value_at),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(value_at + value));
        }
        bytes = bytes.subspan(value_at + value);
    }
}

}  // namespace kymo::ring
