// Our channels and libzmq's understand each other: both ways, encrypted and not, and neither lets in the other's
// unauthenticated.
#include "base/time.h"
#include "ring/transport/library.h"
#include "zmq/zmq_channels.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

constexpr Time kMs = 1'000'000;

Time clock_now() {
    return monotonic_now().ns;
}

// Whether the frame comes; both are given the time they need for their own business.
bool arrives(Channels& from, Channels& to, const Bytes& frame, Time within) {
    from.send(1, frame);
    Bytes got;
    Bytes none;
    for (const Time end = clock_now() + within; clock_now() < end;) {
        from.receive(none, clock_now() + kMs);
        if (to.receive(got, clock_now() + 5 * kMs)) {
            return got == frame;
        }
    }
    return false;
}

class RingZmq : public ::testing::Test {
  protected:
    static std::unique_ptr<Channels> ours(const Keys& keys) {
        auto opened = open_channels({"127.0.0.1", keys});
        EXPECT_TRUE(opened) << opened.error().what;
        return std::move(*opened);
    }
    static std::unique_ptr<Channels> theirs(const Keys& keys) { return open_zmq_channels({"127.0.0.1", keys}); }
};

TEST_F(RingZmq, FramesComeFromAndGoToLibzmq) {
    const auto made = make_keys();
    ASSERT_TRUE(made);
    for (const Keys& keys : {*made, Keys{}}) {
        const auto us = ours(keys);
        const auto them = theirs(keys);
        us->connect(1, them->endpoint());
        them->connect(1, us->endpoint());
        for (const std::size_t size : {1U, 230U, 300U, 2'000'000U}) {
            EXPECT_TRUE(arrives(*us, *them, Bytes(size, 7), 60'000 * kMs)) << "to libzmq, " << size;
            EXPECT_TRUE(arrives(*them, *us, Bytes(size, 8), 60'000 * kMs)) << "from libzmq, " << size;
        }
        EXPECT_EQ(us->counts().unauthenticated, 0U);
    }
}

TEST_F(RingZmq, EitherAnswersTheOtherWhoAsksWhetherItIsThere) {
    const auto made = make_keys();
    ASSERT_TRUE(made);
    for (const Keys& keys : {*made, Keys{}}) {
        const auto us = ours(keys);
        const auto them = theirs(keys);
        us->connect(1, them->endpoint());
        them->connect(1, us->endpoint());
        ASSERT_TRUE(arrives(*them, *us, {1}, 60'000 * kMs));
        for (int i = 0; i < 3; ++i) {
            us->send_all({{1, Bytes(10, 1), true}});
            Answer answer;
            bool is_answered = false;
            for (const Time end = clock_now() + 60'000 * kMs; !is_answered && clock_now() < end;) {
                Bytes none;
                us->receive(none, clock_now() + 5 * kMs);
                them->receive(none, clock_now() + kMs);  // lets us in
                is_answered = us->take_answer(answer);
            }
            EXPECT_TRUE(is_answered && answer.from == 1 && !answer.is_refused);
        }
        // libzmq asks every half second: no frame of ours, and the connection stands.
        Bytes frame;
        for (const Time end = clock_now() + 1200 * kMs; clock_now() < end;) {
            EXPECT_FALSE(us->receive(frame, clock_now() + 20 * kMs)) << frame.size();
        }
        EXPECT_TRUE(arrives(*them, *us, {2}, 60'000 * kMs));
        EXPECT_EQ(us->states().at(1).opened, 1U);
    }
}

TEST_F(RingZmq, WhoHasOtherKeysIsRefusedByEither) {
    const auto keys = make_keys();
    const auto other = make_keys();
    ASSERT_TRUE(keys && other);
    const Keys knows_the_door{keys->public_key, other->secret_key};
    for (const Keys& strange : {*other, Keys{}, knows_the_door}) {
        const auto us = ours(*keys);
        const auto they = theirs(strange);
        they->connect(1, us->endpoint());
        EXPECT_FALSE(arrives(*they, *us, {1}, 300 * kMs));
        for (const Time end = clock_now() + 60'000 * kMs; us->counts().unauthenticated == 0 && clock_now() < end;) {
            Bytes none;
            us->receive(none, clock_now() + 5 * kMs);
        }
        EXPECT_GT(us->counts().unauthenticated, 0U);

        const auto them = theirs(*keys);
        const auto we = ours(strange);
        we->connect(1, them->endpoint());
        EXPECT_FALSE(arrives(*we, *them, {1}, 300 * kMs));
    }
}

}  // namespace
}  // namespace kymo::ring
