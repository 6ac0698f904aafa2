// Frames of a link: found in the incoming bytes, and sealed and opened once both ends are authenticated.
#include "ring/transport/curve_link.h"

#include "ring/transport/curve_bytes.h"

namespace kymo::ring {

using namespace curve;  // NOLINT(google-build-using-namespace): the bytes

namespace {

constexpr std::size_t kMaxHandshake = 1024;
constexpr std::string_view kPing = "\x04PING";
constexpr std::string_view kPong = "\x04PONG";
constexpr std::uint8_t kTextIsCommand = 2;  // of the flags of what a CURVE message holds, as libzmq has them

}  // namespace

const char* CurveLink::message_prefix(bool own) const {
    return own == (side_ == Side::kSends) ? "CurveZMQMESSAGEC" : "CurveZMQMESSAGES";
}

void CurveLink::seal_text(std::uint8_t flags, Span message, Bytes& out) {
    assert(is_ready() && (side_ == Side::kSends || flags != 0));
    if (keys_ == nullptr) {
        append_frame_head(out, flags == 0 ? 0 : kCommand, message.size());
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
    box[kMac] = flags;
    std::copy(message.begin(), message.end(), box + kMac + 1);
    crypto_box_easy_afternm(box, box + kMac, text, nonce_of(message_prefix(true), own_number_++).data(),
                            shared_.data());
}

void CurveLink::seal_ping(Bytes& out) {
    Bytes command;
    append(command, kPing);
    append_number(command, 0, 2);  // its time-to-live, which the other side does not need
    seal_text(kTextIsCommand, command, out);
}

// A PONG repeats the context of the PING, behind its time, of at most sixteen bytes. Other commands are ignored.
void CurveLink::take_command(Span body, Bytes& out) {
    constexpr std::size_t kContextAt = 7;
    constexpr std::size_t kMostContext = 16;
    if (starts_with(body, kPong)) {
        is_answered_ = true;
    } else if (starts_with(body, kPing) && body.size() >= kContextAt && body.size() <= kContextAt + kMostContext) {
        Bytes answer;
        append(answer, kPong);
        append(answer, body.subspan(kContextAt));
        seal_text(kTextIsCommand, answer, out);
    }
}

bool CurveLink::take_message(const Frame& frame, Bytes& out, std::vector<Bytes>& messages) {
    if (keys_ == nullptr) {
        if (frame.is_command) {
            take_command(frame.body, out);
        } else {
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
    if ((flags & kTextIsCommand) != 0) {
        take_command(Span(text).subspan(1), out);
        return true;
    }
    if ((flags & kMore) != 0 || side_ != Side::kReceives) {
        return false;
    }
    text.erase(text.begin());
    messages.push_back(std::move(text));
    return true;
}

// False: no such frame is possible.
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
            good = take_message(frame, out, messages);
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
