// The two ends of an encrypted connection: what comes through, and what somebody between them can do.
#include "ring/transport/curve_link.h"

#include <gtest/gtest.h>
#include <sodium.h>

namespace kymo::ring {
namespace {

using Side = CurveLink::Side;

KeyPair new_keys() {
    EXPECT_GE(sodium_init(), 0);
    KeyPair keys;
    crypto_box_keypair(keys.public_key.data(), keys.secret_key.data());
    return keys;
}

// A sender and a receiver, with what is in flight between them.
struct Pair {
    Pair(const KeyPair* senders, const KeyPair* receivers)
        : sender(Side::kSends, senders), receiver(Side::kReceives, receivers) {
        sender.begin(to_receiver);
        receiver.begin(to_sender);
    }

    // Until nothing is in flight. False: one of them refused.
    bool talk(std::size_t piece = 100'000) {
        while (!to_receiver.empty() || !to_sender.empty()) {
            if (!pass(receiver, to_receiver, to_sender, piece) || !pass(sender, to_sender, to_receiver, piece)) {
                return false;
            }
        }
        return true;
    }
    bool pass(CurveLink& link, Bytes& from, Bytes& to, std::size_t piece) {
        const std::size_t size = std::min(piece, from.size());
        const Bytes now(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size));
        from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size));
        return size == 0 || link.take(now, to, messages);
    }

    CurveLink sender;
    CurveLink receiver;
    Bytes to_receiver;
    Bytes to_sender;
    std::vector<Bytes> messages;
};

Bytes sealed(Pair& pair, const Bytes& message) {
    Bytes out;
    pair.sender.seal(message, out);
    return out;
}

TEST(RingLink, MessagesComeThroughInPiecesOfAnySize) {
    const KeyPair keys = new_keys();
    for (const KeyPair* each : {&keys, static_cast<const KeyPair*>(nullptr)}) {
        for (const std::size_t piece : {1U, 7U, 64U, 100'000U}) {
            Pair pair(each, each);
            ASSERT_TRUE(pair.talk(piece));
            ASSERT_TRUE(pair.sender.is_ready() && pair.receiver.is_ready());
            std::vector<Bytes> sent;
            for (const std::size_t size : {0U, 1U, 200U, 232U, 300U, 70'000U}) {
                sent.emplace_back(size, static_cast<std::uint8_t>(size));
                pair.sender.seal(sent.back(), pair.to_receiver);
            }
            EXPECT_TRUE(pair.talk(piece));
            EXPECT_EQ(pair.messages, sent);
        }
    }
}

TEST(RingLink, WhoIsAskedAnswersAndTheMessagesGoOn) {
    const KeyPair keys = new_keys();
    for (const KeyPair* each : {&keys, static_cast<const KeyPair*>(nullptr)}) {
        for (const std::size_t piece : {1U, 100'000U}) {
            Pair pair(each, each);
            ASSERT_TRUE(pair.talk(piece));
            for (int i = 0; i < 3; ++i) {
                EXPECT_FALSE(pair.sender.take_answered());
                pair.sender.seal({{1, 2, 3}}, pair.to_receiver);
                pair.sender.seal_ping(pair.to_receiver);
                pair.sender.seal({{4}}, pair.to_receiver);
                ASSERT_TRUE(pair.talk(piece));
                EXPECT_TRUE(pair.sender.take_answered());
                EXPECT_FALSE(pair.receiver.take_answered());
                EXPECT_EQ(pair.messages, (std::vector<Bytes>{{1, 2, 3}, {4}})) << "and no other one";
                pair.messages.clear();
            }
        }
    }
}

// Without encryption the bytes are plain to see: RFC 37's.
TEST(RingLink, AnAnswerHasWhatWasAskedWith) {
    const auto answer_to = [](const Bytes& frame) {
        Pair pair(nullptr, nullptr);
        EXPECT_TRUE(pair.talk());
        Bytes answer;
        EXPECT_TRUE(pair.receiver.take(frame, answer, pair.messages));
        EXPECT_TRUE(pair.messages.empty());
        return answer;
    };
    EXPECT_EQ(answer_to({4, 7, 4, 'P', 'I', 'N', 'G', 0, 0}), (Bytes{4, 5, 4, 'P', 'O', 'N', 'G'}));
    EXPECT_EQ(answer_to({4, 9, 4, 'P', 'I', 'N', 'G', 0, 5, 8, 9}), (Bytes{4, 7, 4, 'P', 'O', 'N', 'G', 8, 9}));
    EXPECT_TRUE(answer_to({4, 6, 4, 'P', 'I', 'N', 'G', 0}).empty()) << "too short for one";
    EXPECT_TRUE(answer_to({4, 4, 3, 'A', 'N', 'Y'}).empty());
    EXPECT_TRUE(answer_to({4, 0}).empty());
    Bytes longest{4, 24, 4, 'P', 'I', 'N', 'G', 0, 0};
    longest.resize(2 + 24);
    EXPECT_TRUE(answer_to(longest).empty()) << "one byte more than may be";
}

TEST(RingLink, NothingCanBeReadUnderWay) {
    const KeyPair keys = new_keys();
    Pair pair(&keys, &keys);
    ASSERT_TRUE(pair.talk());
    const Bytes secret(64, 0x5A);
    const Bytes once = sealed(pair, secret);
    const Bytes twice = sealed(pair, secret);
    EXPECT_NE(once, twice);
    for (std::size_t at = 0; at + 4 <= once.size(); ++at) {
        EXPECT_FALSE(std::equal(secret.begin(), secret.begin() + 4, once.begin() + static_cast<std::ptrdiff_t>(at)));
    }
}

// Of a connection whose handshake and message are changed in one bit somewhere, nothing but the message comes out.
TEST(RingLink, NothingChangedUnderWayComesThrough) {
    const KeyPair keys = new_keys();
    const Bytes message{1, 2, 3, 4};
    std::size_t length = 64 + 202 + 300;  // of what the sender says before its message; found out below
    std::size_t refused = 0;
    for (std::size_t at = 0; at < length; ++at) {
        Pair pair(&keys, &keys);
        std::size_t said = 0;
        bool goes_on = true;
        while (goes_on && (!pair.to_receiver.empty() || !pair.to_sender.empty())) {
            if (at >= said && at - said < pair.to_receiver.size()) {
                pair.to_receiver[at - said] ^= 0x10U;
            }
            said += pair.to_receiver.size();
            goes_on = pair.pass(pair.receiver, pair.to_receiver, pair.to_sender, 100'000) &&
                      pair.pass(pair.sender, pair.to_sender, pair.to_receiver, 100'000);
        }
        if (!goes_on || !pair.receiver.is_ready()) {
            ++refused;
            EXPECT_TRUE(pair.messages.empty());
            continue;
        }
        length = said;
        // Only bytes of the greeting and the HELLO's padding, which mean nothing, may be other ones.
        constexpr std::size_t kHello = 64 + 2;
        EXPECT_TRUE(at < 64 || (at >= kHello + 8 && at < kHello + 8 + 72)) << at;
    }
    EXPECT_GT(refused, length - 64 - 72);

    Pair whole(&keys, &keys);
    ASSERT_TRUE(whole.talk());
    const std::size_t bytes = sealed(whole, message).size();
    for (std::size_t at = 0; at < bytes; ++at) {
        Pair pair(&keys, &keys);
        ASSERT_TRUE(pair.talk());
        Bytes changed = sealed(pair, message);
        changed[at] ^= 1U;
        pair.receiver.take(changed, pair.to_sender, pair.messages);
        EXPECT_TRUE(pair.messages.empty()) << at;
    }
}

TEST(RingLink, MessagesPlayedAgainLeftOutOrFromAnotherConnectionAreRefused) {
    const KeyPair keys = new_keys();
    const Bytes message{1, 2, 3};
    const auto takes = [&message](Pair& pair, const Bytes& bytes) {
        pair.messages.clear();
        return pair.receiver.take(bytes, pair.to_sender, pair.messages) &&
               pair.messages == std::vector<Bytes>{message};
    };
    Pair again(&keys, &keys);
    ASSERT_TRUE(again.talk());
    const Bytes first = sealed(again, message);
    EXPECT_TRUE(takes(again, first));
    EXPECT_FALSE(takes(again, first)) << "played again";

    Pair gap(&keys, &keys);
    ASSERT_TRUE(gap.talk());
    static_cast<void>(sealed(gap, message));
    EXPECT_FALSE(takes(gap, sealed(gap, message))) << "the one before was left out";

    Pair from(&keys, &keys);
    Pair other(&keys, &keys);
    ASSERT_TRUE(from.talk() && other.talk());
    EXPECT_FALSE(takes(other, sealed(from, message))) << "of another connection";
}

TEST(RingLink, OnlyWhoHasTheSecretKeyBecomesReady) {
    const KeyPair keys = new_keys();
    const KeyPair other = new_keys();
    const KeyPair knows_the_door{keys.public_key, other.secret_key};
    const std::pair<const KeyPair*, const KeyPair*> unauthenticated[] = {
        {&other, &keys},          {&keys, &other},  {&knows_the_door, &keys},
        {&keys, &knows_the_door}, {nullptr, &keys}, {&keys, nullptr}};
    for (const auto& [sender, receiver] : unauthenticated) {
        Pair pair(sender, receiver);
        EXPECT_FALSE(pair.talk());
        EXPECT_FALSE(pair.receiver.is_ready());
        EXPECT_FALSE(pair.sender.is_ready());
    }
}

TEST(RingLink, KeysAsTextAreReadBack) {
    // The example of ZeroMQ's RFC 32, four times.
    const Key key = [] {
        constexpr std::array<std::uint8_t, 8> kHello{0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B};
        Key made;
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i] = kHello[i % 8];
        }
        return made;
    }();
    EXPECT_EQ(to_z85(key), "HelloWorldHelloWorldHelloWorldHelloWorld");
    EXPECT_EQ(parse_z85(to_z85(key)), key);
    EXPECT_FALSE(parse_z85("HelloWorld"));
    EXPECT_FALSE(parse_z85("HelloWorldHelloWorldHelloWorldHelloWor d"));
    EXPECT_FALSE(parse_z85("#####HelloHelloWorldHelloWorldHelloWorld")) << "more than four bytes hold";
}

}  // namespace
}  // namespace kymo::ring
