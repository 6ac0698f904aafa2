// The ring over real sockets on the loopback: encrypted, with members that die and come back.

#include "../recording/temporary_folder.h"
#include "open_channels.h"
#include "ring/transport/rendezvous.h"

#include <atomic>
#include <thread>

namespace kymo::ring {
namespace {

namespace fs = std::filesystem;
using kymo::testing::TemporaryFolder;

TEST_F(RingChannels, FramesOfAllSizesArrive) {
    for (const Keys& keys : {keys_, Keys{}}) {
        const auto from = open(keys);
        const auto to = open(keys);
        from->connect(3, to->endpoint());
        EXPECT_FALSE(from->send(4, {1})) << "nobody knows where that is";
        for (const std::size_t size : {1U, 300U, 100'000U, 4'000'000U}) {
            const Bytes frame(size, 7);
            EXPECT_TRUE(from->send(3, frame));
            Bytes read;
            ASSERT_TRUE(comes([&] {
                Bytes none;
                from->receive(none, now() + kMs);  // lets what waits go
                return to->receive(read, now() + 5 * kMs);
            }));
            EXPECT_EQ(read, frame);
        }
        EXPECT_EQ(to->counts().unauthenticated, 0U);
    }
}

const ChannelState* find_state(const std::vector<ChannelState>& states, Slot peer, bool sends) {
    const auto found = std::find_if(states.begin(), states.end(), [&](const ChannelState& each) {
        return each.peer == peer && each.sends == sends;
    });
    return found == states.end() ? nullptr : &*found;
}

TEST_F(RingChannels, EachCountsWhatItHasCarriedAtBothEnds) {
    for (const Keys& keys : {keys_, Keys{}}) {
        const auto to = open(keys, 3);
        std::vector<std::unique_ptr<Channels>> from;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> due;  // messages and bytes
        const std::vector<Slot> who{0, 7, kManager, kUnknownPeer};
        for (const Slot slot : who) {
            from.push_back(open(keys, slot));
            from.back()->connect(3, to->endpoint());
            due.emplace_back(0, 0);
        }
        std::size_t all = 0;
        for (std::size_t i = 0; i < who.size(); ++i) {
            for (std::size_t k = 0; k <= 5 + i; ++k, ++all) {
                EXPECT_TRUE(from[i]->send(3, Bytes(100 * k + i + 1, 7)));
                ++due[i].first;
                due[i].second += 100 * k + i + 1;
            }
        }
        Bytes read;
        ASSERT_TRUE(comes([&] {
            for (const auto& each : from) {
                each->receive(read, now());
            }
            all -= to->receive(read, now() + kMs) ? 1 : 0;
            return all == 0;
        }));
        EXPECT_FALSE(to->receive(read, now() + kMs));
        const std::vector<ChannelState> received = to->states();
        EXPECT_EQ(received.size(), who.size());
        for (std::size_t i = 0; i < who.size(); ++i) {
            const std::vector<ChannelState> sent = from[i]->states();
            const ChannelState* const one = find_state(sent, 3, true);
            const ChannelState* const other = find_state(received, who[i], false);
            ASSERT_TRUE(one != nullptr && other != nullptr) << who[i];
            for (const ChannelState* each : {one, other}) {
                EXPECT_EQ(each->messages, due[i].first);
                EXPECT_EQ(each->bytes, due[i].second);
                EXPECT_EQ(each->largest, 100 * (5 + i) + i + 1);
                EXPECT_GE(each->calls, 1U);
            }
            EXPECT_EQ(one->outstanding, 0U);
            EXPECT_EQ(one->most_outstanding, due[i].first) << "all waited for the connection";
            EXPECT_GT(one->blocked, 0U);
            EXPECT_EQ(one->dropped, 0U);
        }
    }
}

std::string told(const std::vector<ChannelState>& states) {
    std::string text;
    for (const ChannelState& each : states) {
        text += (each.sends ? "to " : "from ") + std::to_string(each.peer) + ": " + std::to_string(each.open) +
                " open of " + std::to_string(each.opened) + ", " + std::to_string(each.messages) + " messages\n";
    }
    return text;
}

// What has come of asking slot 3; nothing: nothing has.
std::optional<Answer> asked(Channels& from) {
    std::optional<Answer> got;
    from.send_all({{3, Bytes(10, 1), true}});
    comes([&] {
        Bytes none;
        from.receive(none, now() + 5 * kMs);
        Answer answer;
        if (from.take_answer(answer)) {
            got = answer;
        }
        return got.has_value();
    });
    return got;
}

// Runs a member's channels in a thread of their own.
class Running {
  public:
    explicit Running(std::unique_ptr<Channels> channels) : channels_(std::move(channels)) {
        thread_ = std::thread([this] {
            while (!ended_) {
                Bytes frame;
                channels_->receive(frame, now() + 2 * kMs);
            }
        });
    }
    ~Running() {
        ended_ = true;
        thread_.join();
    }
    [[nodiscard]] std::string endpoint() const { return channels_->endpoint(); }

  private:
    std::unique_ptr<Channels> channels_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

TEST_F(RingChannels, WhoIsAskedIsThereOrNobodyListens) {
    for (const Keys& keys : {keys_, Keys{}}) {
        const auto from = open(keys, 1);
        auto to = std::make_unique<Running>(open(keys, 3));
        from->connect(3, to->endpoint());
        for (int i = 0; i < 3; ++i) {
            const auto answer = asked(*from);
            ASSERT_TRUE(answer);
            EXPECT_EQ(answer->from, 3U);
            EXPECT_FALSE(answer->is_refused);
        }
        EXPECT_EQ(from->states().at(0).opened, 1U);
        to.reset();
        ASSERT_TRUE(comes([&] {
            const auto answer = asked(*from);
            return answer && answer->is_refused;
        }));
        EXPECT_EQ(from->states().at(0).open, 0U);
        // Another member that has the port now is not the one which it leads to.
        const Running other(open(keys, 4));
        from->connect(3, other.endpoint());
        ASSERT_TRUE(comes([&] {
            const auto answer = asked(*from);
            EXPECT_TRUE(!answer || answer->is_refused);
            return answer.has_value();
        }));
    }
}

TEST_F(RingChannels, AnAnswerComesWhileALongFrameWaitsForTheKernel) {
    for (const Keys& keys : {keys_, Keys{}}) {
        const auto from = open(keys, 1);
        const auto to = open(keys, 3);
        from->connect(3, to->endpoint());
        const Bytes frame(15'000'000, 7);  // more than the kernel takes at once
        from->send_all({{3, {1}, true}, {3, frame, false}});
        Bytes read;
        Answer answer;
        bool is_answered = false;
        ASSERT_TRUE(comes([&] {
            Bytes none;
            from->receive(none, now() + kMs);
            is_answered |= from->take_answer(answer);
            to->receive(read, now() + kMs);
            return read.size() == frame.size() && is_answered;
        }));
        EXPECT_FALSE(answer.is_refused);
        EXPECT_EQ(from->states().at(0).opened, 1U);
        EXPECT_EQ(from->states().at(0).dropped, 0U);
    }
}

TEST_F(RingChannels, AChannelIsOpenedByAFrameAndClosedWhenNoneGoesByIt) {
    const auto from = open(keys_, 1, 100 * kMs);
    const auto to = open(keys_, 3, 100 * kMs);
    from->connect(3, to->endpoint());
    const auto run_both = [&](Time time) {
        std::size_t received = 0;
        for (const Time end = now() + time; now() < end;) {
            Bytes frame;
            from->receive(frame, now() + kMs);
            received += to->receive(frame, now() + kMs) ? 1 : 0;
        }
        return received;
    };
    run_both(20 * kMs);
    EXPECT_TRUE(to->states().empty()) << "nothing has gone";
    for (std::uint64_t round = 1; round <= 2; ++round) {
        from->send(3, {1, 2});
        std::size_t received = 0;
        ASSERT_TRUE(comes([&] {
            received += run_both(5 * kMs);
            return received == 1;
        }));
        for (const auto* each : {&*from, &*to}) {
            const ChannelState state = each->states().at(0);
            EXPECT_EQ(state.opened, round);
            EXPECT_EQ(state.messages, round);
        }
        ASSERT_TRUE(comes([&] {
            run_both(10 * kMs);
            return from->states().at(0).open == 0 && to->states().at(0).open == 0;
        }));
    }
    EXPECT_EQ(from->counts().dropped, 0U);
}

TEST_F(RingChannels, FramesThatNobodyTakesAreToldAsWaitingAndThenAsDropped) {
    const auto from = open(keys_, 1);
    from->connect(3, "tcp://127.0.0.1:1");
    for (int i = 0; i < 20; ++i) {
        from->send(3, Bytes(10, 1));
    }
    std::vector<ChannelState> states = from->states();
    const ChannelState* state = find_state(states, 3, true);
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(state->messages, 0U);
    EXPECT_EQ(state->outstanding, 16U) << "as many as wait for a channel";
    EXPECT_EQ(state->dropped, 4U);
    EXPECT_TRUE(comes([&] {
        Bytes none;
        from->receive(none, now() + 10 * kMs);
        states = from->states();
        return find_state(states, 3, true)->dropped == 20;
    }));
    EXPECT_EQ(find_state(states, 3, true)->outstanding, 0U);
    EXPECT_GE(find_state(states, 3, true)->blocked, 1000 * kMs) << "each waits a second";
}

// An agent in a thread of its own, whose one cell is 1000 + its slot.
class Host {
  public:
    Host(const fs::path& folder, const JobFile& job, const std::string& name) {
        thread_ = std::thread([this, folder, job, name] { run(folder, job, name); });
    }
    ~Host() {
        ended_ = true;
        thread_.join();
    }
    void pause(bool paused) { paused_ = paused; }

  private:
    void run(const fs::path& folder, const JobFile& job, const std::string& name) {
        const auto place = Rendezvous::open(folder, job, make_keys);
        const auto claim = place->claim_slot(name);
        const auto channels = open_channels({"127.0.0.1", place->job().keys});
        if (!claim || !channels) {
            ADD_FAILURE() << name;
            return;
        }
        static_cast<void>(place->publish({claim->slot, claim->incarnation, name, (*channels)->endpoint()}));
        AgentSettings settings{place->job().settings(), claim->slot, claim->incarnation, own_clock(),
                               claim->slot + 1};
        const Slot slot = claim->slot;
        Agent agent(
            settings, [slot](auto /*entries*/, std::span<Record> records) { records[0].add(1000 + slot); }, now());
        Driver<Agent> driver(agent, slot, settings.job.reach, **channels, *place);
        while (!ended_) {
            if (paused_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            } else {
                driver.turn(now() + 10 * kMs);
            }
        }
    }

    std::atomic<bool> ended_ = false;
    std::atomic<bool> paused_ = false;
    std::thread thread_;
};

TEST_F(RingChannels, ARingKeepsItsSumsThroughDeathStopAndReturn) {
    const TemporaryFolder folder;
    JobFile job;
    job.heartbeat_ms = 1000;
    const fs::path place = folder / "ring";
    const auto rendezvous = Rendezvous::open(place, job, make_keys);
    ASSERT_TRUE(rendezvous);
    std::vector<std::unique_ptr<Host>> hosts;
    for (int i = 0; i < 6; ++i) {
        hosts.push_back(std::make_unique<Host>(place, job, "n" + std::to_string(i)));
        ASSERT_TRUE(comes([&] { return rendezvous->roster().slots == static_cast<std::uint32_t>(i) + 1; }));
    }
    const auto claim = rendezvous->claim_manager();
    ASSERT_TRUE(claim);
    const auto channels = open(rendezvous->job().keys, kManager, 1000 * kMs);
    ASSERT_TRUE(rendezvous->publish({kManager, claim->incarnation, "manager", channels->endpoint()}));
    ManagerSettings settings;
    settings.job = rendezvous->job().settings();
    settings.epoch = claim->incarnation;
    settings.clock = own_clock();
    settings.period = 20 * kMs;
    settings.budget = {1, 1e12};
    settings.segments = 1;
    Manager manager(settings, {{1, 3, 0, 1, 0}}, now());
    Driver<Manager> driver(manager, kManager, settings.job.reach, *channels, *rendezvous);
    // Turns until so many answer; each sample's sum is of exactly those that are said to have.
    const auto until_answered = [&](std::uint32_t wanted) {
        return comes([&] {
            driver.turn(now() + 20 * kMs);
            bool found = false;
            for (const Sample& sample : manager.take_samples()) {
                std::uint64_t due = 0;
                for (Slot slot = 0; slot < sample.coverage.slots; ++slot) {
                    const bool hole = std::any_of(sample.coverage.holes.begin(), sample.coverage.holes.end(),
                                                  [slot](const HoleRange& range) {
                                                      return slot >= range.first && slot < range.first + range.count;
                                                  });
                    due += hole ? 0 : 1000 + slot;
                }
                EXPECT_EQ(sample.records[0].sum_low, due);
                EXPECT_EQ(sample.records[0].known, sample.coverage.contributed);
                found = sample.coverage.contributed == wanted && sample.coverage.slots == 6;
            }
            return found;
        });
    };
    ASSERT_TRUE(until_answered(6));
    // One to the first, one from the last.
    ASSERT_TRUE(comes([&] {
        driver.turn(now() + 20 * kMs);
        std::uint32_t open = 0;
        for (const ChannelState& each : channels->states()) {
            open += each.open;
        }
        return open == 2;
    })) << told(channels->states());
    hosts[2].reset();
    ASSERT_TRUE(until_answered(5));
    hosts[3]->pause(true);
    hosts[4]->pause(true);
    ASSERT_TRUE(until_answered(3));
    hosts[3]->pause(false);
    hosts[4]->pause(false);
    ASSERT_TRUE(until_answered(5));
    hosts[2] = std::make_unique<Host>(place, job, "n2");
    ASSERT_TRUE(until_answered(6));
    EXPECT_EQ(manager.counts().refused[static_cast<std::size_t>(Refusal::kMalformed)], 0U);
}

}  // namespace
}  // namespace kymo::ring
