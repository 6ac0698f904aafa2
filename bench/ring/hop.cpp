// What a hop costs a member by itself, without a kernel: bench/ring_hop
//
// A token of ten metrics is made, taken part in and joined by the members, and sealed and opened as by the channels
// (curve_link.h): the part of a round trip that is ours. All is in the caches here; ring_round_trips has the same
// with sockets, processes and caches that others have had meanwhile.
#include "ring/members/agent.h"
#include "ring/members/manager.h"
#include "ring/transport/curve_link.h"

#include <benchmark/benchmark.h>
#include <sodium.h>

namespace {

using namespace kymo::ring;

constexpr std::size_t kMetrics = 10;
constexpr Time kStart = 1'000'000'000;
constexpr Time kRound = 4'000'000;

KeyPair make_pair() {
    KeyPair keys;
    crypto_box_keypair(keys.public_key.data(), keys.secret_key.data());
    return keys;
}

// One direction between two members: both links, proved.
struct Channel {
    explicit Channel(const KeyPair* keys)
        : sender(CurveLink::Side::kSends, keys), receiver(CurveLink::Side::kReceives, keys) {
        Bytes there;
        Bytes back;
        std::vector<Bytes> none;
        sender.begin(there);
        receiver.begin(back);
        for (int i = 0; i < 8 && !(sender.is_ready() && receiver.is_ready()); ++i) {
            receiver.take(std::exchange(there, {}), back, none);
            sender.take(std::exchange(back, {}), there, none);
        }
    }

    Bytes pass(const Bytes& message) {
        bytes.clear();
        sender.seal(message, bytes);
        Bytes answers;
        messages.clear();
        receiver.take(bytes, answers, messages);
        return std::move(messages.at(0));
    }

    CurveLink sender;
    CurveLink receiver;
    Bytes bytes;
    std::vector<Bytes> messages;
};

ManagerSettings manager_settings() {
    ManagerSettings settings;
    settings.job.heartbeat = 3'600'000'000'000;
    settings.slots = 2;
    settings.segments = 1;
    settings.period = kRound;
    settings.budget = {1e9, 1e15};
    settings.clock = 7;
    return settings;
}

AgentSettings agent_settings(const ManagerSettings& manager, Slot slot) {
    AgentSettings settings;
    settings.job = manager.job;
    settings.slot = slot;
    settings.slots = manager.slots;
    settings.clock = manager.clock;
    return settings;
}

void read_one(std::span<const Entry> /*entries*/, std::span<Record> records) {
    for (Record& record : records) {
        record.add(1);
    }
}

// Time passes as it does in a ring where a round trip takes a while; what is measured is the processor's.
struct Ring {
    Ring()
        : manager(manager_settings(), std::vector<Entry>(kMetrics, Entry{1, 3, 0, 1, 0}), kStart),
          first(agent_settings(manager_settings(), 0), read_one, kStart),
          second(agent_settings(manager_settings(), 1), read_one, kStart) {}

    // The token that the manager sends next; empty: it did not.
    Bytes begin() {
        now = std::max(now, manager.next_timer());
        first.on_timer(now, out);  // latches what was announced
        second.on_timer(now, out);
        out.clear();
        manager.on_timer(now, out);
        return token();
    }
    Bytes token() {
        for (Outgoing& each : out) {
            Prefix prefix{};
            if (open_prefix(each.frame, prefix) == Refusal::kNone && prefix.kind == FrameKind::kToken) {
                return std::move(each.frame);
            }
        }
        return {};
    }
    template <typename Member>
    Bytes through(Member& member, Bytes frame) {
        now += 10'000;
        out.clear();
        member.on_frame(std::move(frame), now, out);
        return token();
    }

    Time now = kStart;
    Manager manager;
    Agent first;
    Agent second;
    Outbox out;
};

// All that two agents and the manager do for a round, sealing and opening apart.
void round_of_two(benchmark::State& state) {
    Ring ring;
    for (auto _ : state) {
        ring.through(ring.manager, ring.through(ring.second, ring.through(ring.first, ring.begin())));
        benchmark::DoNotOptimize(ring.manager.take_samples());
    }
}
BENCHMARK(round_of_two);

void seal_and_open(benchmark::State& state) {
    if (sodium_init() < 0) {
        state.SkipWithError("libsodium does not work here");
        return;
    }
    const KeyPair keys = make_pair();
    Channel channel(state.range(0) != 0 ? &keys : nullptr);
    const Bytes token(kTokenHeadBytes + kMetrics * (sizeof(Entry) + sizeof(Record)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(channel.pass(token));
    }
}
BENCHMARK(seal_and_open)->ArgName("encrypted")->Arg(0)->Arg(1);

}  // namespace

BENCHMARK_MAIN();
