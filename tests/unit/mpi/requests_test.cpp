// The table of requests in flight, against a plain map, with handles that collide and that are there twice.
#include "mpi/requests.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace kymo::mpi {

// Of channels.cpp; tables are never given back, there as here.
void* allocate(std::size_t bytes) {
    static std::deque<std::vector<std::uint64_t>> given;
    given.emplace_back((bytes + 7) / 8, 0);
    return given.back().data();
}

namespace {

const Group* any_group() {
    static const Group group;
    return &group;
}

MPI_Request handle_of(std::uint64_t number) {
    MPI_Request handle{};
    number *= 8;
    std::memcpy(&handle, &number, sizeof handle);
    return handle;
}

Request request_to(int peer, bool is_persistent = false) {
    Request request;
    request.group = any_group();
    request.peer = peer;
    request.is_persistent = is_persistent;
    request.is_active = !is_persistent;
    return request;
}

TEST(Requests, OfTheSameHandleTheOldestGoesFirst) {
    const MPI_Request handle = handle_of(1);
    for (const int peer : {5, 6, 7}) {
        note_request(handle, request_to(peer));
    }
    Request taken;
    for (const int peer : {5, 6, 7}) {
        ASSERT_TRUE(take_request(handle, &taken));
        EXPECT_EQ(taken.peer, peer);
    }
    EXPECT_FALSE(take_request(handle, &taken));
}

TEST(Requests, PersistentOnesStay) {
    const MPI_Request handle = handle_of(2);
    note_request(handle, request_to(3, true));
    Request taken;
    EXPECT_FALSE(take_request(handle, &taken)) << "not begun yet";
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(start_request(handle, &taken));
        EXPECT_FALSE(start_request(handle, &taken)) << "it is in flight";
        ASSERT_TRUE(take_request(handle, &taken));
        EXPECT_FALSE(take_request(handle, &taken)) << "MPI_Wait on an inactive request";
    }
    EXPECT_FALSE(drop_request(handle, &taken)) << "there, but not in flight";
    EXPECT_FALSE(start_request(handle, &taken));
}

TEST(Requests, CancelledOnesSaySoOnce) {
    const MPI_Request handle = handle_of(3);
    note_request(handle, request_to(1));
    cancel_request(handle);
    Request taken;
    ASSERT_TRUE(take_request(handle, &taken));
    EXPECT_TRUE(taken.is_cancelled);
    note_request(handle, request_to(1));
    ASSERT_TRUE(take_request(handle, &taken));
    EXPECT_FALSE(taken.is_cancelled);
}

TEST(Requests, AgreeWithAPlainMap) {
    std::mt19937_64 random(1);
    std::map<std::uint64_t, std::deque<int>> expected;
    Request taken;
    for (int i = 0; i < 300'000; ++i) {
        const std::uint64_t handle = 100 + random() % 700;
        auto& there = expected[handle];
        if (random() % 2 == 0 && there.size() < 4) {
            note_request(handle_of(handle), request_to(i));
            there.push_back(i);
        } else if (there.empty()) {
            ASSERT_FALSE(take_request(handle_of(handle), &taken));
        } else {
            const bool known =
                random() % 2 == 0 ? take_request(handle_of(handle), &taken) : drop_request(handle_of(handle), &taken);
            ASSERT_TRUE(known);
            ASSERT_EQ(taken.peer, there.front());
            there.pop_front();
        }
    }
}

TEST(Messages, AreTakenOnce) {
    MPI_Message message{};
    const std::uint64_t bits = 64;
    std::memcpy(&message, &bits, sizeof message);
    note_message(message, any_group(), 9);
    const Group* group = nullptr;
    int source = 0;
    ASSERT_TRUE(take_message(message, &group, &source));
    EXPECT_EQ(group, any_group());
    EXPECT_EQ(source, 9);
    EXPECT_FALSE(take_message(message, &group, &source));
}

}  // namespace
}  // namespace kymo::mpi
