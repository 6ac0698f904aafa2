#include "import/named/perfetto_trace.h"

#include "collector.h"
#include "pprof_bytes.h"

#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>
#include <zlib.h>

namespace kymo::import::named {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Makes a trace, packet by packet.
class MadeTrace {
  public:
    template <typename Fill>
    MadeTrace& packet(Fill&& fill) {
        std::string bytes;
        pbf_writer to(bytes);
        fill(to);
        pbf_writer(bytes_).add_message(1, bytes);
        return *this;
    }
    MadeTrace& track(std::uint64_t uuid, std::uint32_t pid, std::uint32_t tid, const std::string& name,
                     std::uint64_t parent = 0) {
        return packet([&](pbf_writer& to) {
            pbf_writer track(to, 60);
            track.add_uint64(1, uuid);
            if (pid == 0) {
                track.add_string(2, name);
            }
            if (parent != 0) {
                track.add_uint64(5, parent);
            }
            if (pid != 0) {
                pbf_writer of(track, tid == 0 ? 3 : 4);
                of.add_uint32(1, pid);
                if (tid != 0) {
                    of.add_uint32(2, tid);
                }
                of.add_string(tid == 0 ? 6 : 5, name);
            }
        });
    }
    MadeTrace& event(std::uint64_t time, std::uint64_t track, std::uint32_t type, const std::string& name = {}) {
        return packet([&](pbf_writer& to) {
            to.add_uint64(8, time);
            to.add_uint32(10, 1);
            pbf_writer event(to, 11);
            event.add_uint32(9, type);
            event.add_uint64(11, track);
            if (!name.empty()) {
                event.add_string(23, name);
            }
        });
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

class PerfettoLines : public TraceVisitor {
  public:
    void event(const TraceEvent& event) override {
        constexpr const char* kKinds[] = {"B", "E", "X", "i", "b", "e", "C"};
        std::string line = kKinds[static_cast<int>(event.kind)];
        line += " " + std::to_string(event.time) + " " + std::to_string(event.pid) + "/" +
                (event.tid == kNotGiven ? "-" : std::to_string(event.tid));
        line += event.name.empty() ? "" : " " + std::string(event.name);
        line += event.category.empty() ? "" : " [" + std::string(event.category) + "]";
        line += event.kind == TraceKind::kCounter ? " = " + std::to_string(event.value) : "";
        lines.push_back(line);
    }
    void flow(const TraceFlow& flow) override {
        lines.push_back("F" + std::to_string(flow.id) + (flow.part == FlowPart::kEnd ? " end " : " ") +
                        std::to_string(flow.time) + " " + std::to_string(flow.pid) + "/" + std::to_string(flow.tid) +
                        " " + std::string(flow.name));
    }
    void processor_switch(const TraceSwitch& row) override {
        lines.push_back("S " + std::to_string(row.time) + " cpu " + std::to_string(row.processor) + " " +
                        std::to_string(row.from) + (row.is_preempted ? " preempted" : "") + " > " +
                        std::to_string(row.to));
    }
    void process_name(std::uint32_t pid, std::string_view name) override {
        lines.push_back("P " + std::to_string(pid) + " " + std::string(name));
    }
    void thread_name(std::uint32_t pid, std::uint32_t tid, std::string_view name) override {
        lines.push_back("T " + std::to_string(pid) + "/" + std::to_string(tid) + " " + std::string(name));
    }
    std::vector<std::string> lines;
};

struct ReadPerfetto {
    Result<TraceFacts> facts;
    std::vector<std::string> lines;
};

ReadPerfetto read_packets(std::string_view bytes) {
    const TestFile file(bytes);
    auto input = Input::open(file.path());
    EXPECT_TRUE(input.ok());
    PerfettoLines lines;
    auto facts = read_perfetto_trace(*input, lines);
    return {std::move(facts), lines.lines};
}

TEST(PerfettoTrace, HasEventsOfTracks) {
    MadeTrace made;
    made.track(1, 7, 0, "Browser").track(2, 7, 8, "Main").track(3, 0, 0, "loads", 1).track(4, 0, 0, "heap", 2);
    made.event(100, 2, 1, "task")
        .event(110, 2, 1, "layout")
        .event(120, 2, 2)
        .event(125, 2, 3, "click")
        .event(130, 2, 2);
    made.event(140, 3, 1, "load").event(150, 3, 2);
    made.packet([](pbf_writer& to) {
        to.add_uint64(8, 160);
        pbf_writer event(to, 11);
        event.add_uint32(9, 4);
        event.add_uint64(11, 4);
        event.add_double(44, 1.5);
    });
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("P 7 Browser", "T 7/8 Main", "B 100 7/8 task", "B 110 7/8 layout",
                                         "E 120 7/8", "i 125 7/8 click", "E 130 7/8", "b 140 7/- load",
                                         "e 150 7/- load", "C 160 7/8 heap = 1.500000"));
    EXPECT_THAT(trace.facts->notices, IsEmpty());
    EXPECT_EQ(trace.facts->events, 8U);
}

TEST(PerfettoTrace, NamesByNumberAndTimesByAClockOfTheSequence) {
    MadeTrace made;
    made.track(2, 7, 8, "Main");
    made.packet([](pbf_writer& to) {
        to.add_uint32(10, 5);
        to.add_uint32(13, 1);
        {
            pbf_writer snapshot(to, 6);
            for (const auto& [id, time] : {std::pair(6U, 1'000'000U), std::pair(64U, 0U)}) {
                pbf_writer clock(snapshot, 1);
                clock.add_uint32(1, id);
                clock.add_uint64(2, time);
                if (id == 64) {
                    clock.add_bool(3, true);
                    clock.add_uint64(4, 1'000);
                }
            }
        }
        pbf_writer defaults(to, 59);
        defaults.add_uint32(58, 64);
        pbf_writer event(defaults, 11);
        event.add_uint64(11, 2);
    });
    for (const std::uint32_t type : {1U, 2U}) {
        made.packet([&](pbf_writer& to) {
            to.add_uint64(8, 5);  // later than the event before
            to.add_uint32(10, 5);
            if (type == 1) {
                pbf_writer interned(to, 12);
                for (const std::uint32_t field : {1U, 2U}) {
                    pbf_writer name(interned, field);
                    name.add_uint64(1, 9);
                    name.add_string(2, field == 1 ? "category" : "interned");
                }
            }
            pbf_writer event(to, 11);
            event.add_uint32(9, type);
            event.add_uint64(10, 9);
            event.add_uint64(3, 9);
        });
    }
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines,
                ElementsAre("T 7/8 Main", "B 1005000 7/8 interned [category]", "E 1010000 7/8 interned [category]"));
}

TEST(PerfettoTrace, HasTheKernelsSwitches) {
    MadeTrace made;
    made.packet([](pbf_writer& to) {
        pbf_writer tree(to, 2);
        {
            pbf_writer process(tree, 1);
            process.add_uint32(1, 7);
            process.add_string(3, "/usr/bin/app");
        }
        pbf_writer thread(tree, 2);
        thread.add_uint32(1, 8);
        thread.add_string(2, "worker");
        thread.add_uint32(3, 7);
    });
    made.packet([](pbf_writer& to) {
        pbf_writer bundle(to, 1);
        bundle.add_uint32(1, 3);
        for (const std::int64_t state : {1, 0}) {
            pbf_writer event(bundle, 2);
            event.add_uint64(1, static_cast<std::uint64_t>(10 + state));
            pbf_writer change(event, 4);
            change.add_int32(2, 7);
            change.add_int64(4, state);
            change.add_int32(6, 8);
        }
        pbf_writer compact(bundle, 4);
        const std::vector<std::uint64_t> times = {100, 5};
        const std::vector<std::int64_t> states = {256, 2};
        const std::vector<std::int32_t> next = {7, 0};
        compact.add_packed_uint64(1, times.begin(), times.end());
        compact.add_packed_int64(2, states.begin(), states.end());
        compact.add_packed_int32(3, next.begin(), next.end());
    });
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines,
                ElementsAre("P 7 /usr/bin/app", "T 7/7 app", "T 7/8 worker", "S 11 cpu 3 7 > 8",
                            "S 10 cpu 3 7 preempted > 8", "S 100 cpu 3 0 preempted > 7", "S 105 cpu 3 7 > 0"));
}

TEST(PerfettoTrace, MayBeCutOffAnywhere) {
    MadeTrace made;
    made.track(2, 7, 8, "Main").event(100, 2, 1, "task");
    const std::size_t enough = made.bytes().size();
    made.event(110, 2, 2);
    for (std::size_t length = enough + 1; length < made.bytes().size(); ++length) {
        const auto trace = read_packets(made.bytes().substr(0, length));
        ASSERT_TRUE(trace.facts) << length;
        EXPECT_EQ(trace.facts->events, 1U) << length;
        EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("cut off"))) << length;
    }
    const auto packed = read_packets(compressed(made.bytes()));
    ASSERT_TRUE(packed.facts);
    EXPECT_EQ(packed.facts->events, 2U);
}

TEST(PerfettoTrace, SaysWhatIsLeftOut) {
    MadeTrace made;
    made.track(2, 7, 8, "Main").event(100, 2, 1, "task").event(110, 99, 1, "of no track").event(120, 2, 9);
    made.packet([](pbf_writer& to) {
        to.add_uint64(8, 1);
        to.add_uint32(58, 70);  // a clock that nothing defines
        pbf_writer event(to, 11);
        event.add_uint32(9, 3);
        event.add_uint64(11, 2);
    });
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("3 events have no time")));
}

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(bytes.size());
    std::string to(size, '\0');
    compress(reinterpret_cast<Bytef*>(to.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    to.resize(size);
    return to;
}

TEST(PerfettoTrace, HasFlowsOfEvents) {
    MadeTrace made;
    made.track(2, 7, 8, "Main").track(3, 7, 9, "worker").track(4, 7, 0, "App");
    const auto flow = [&](std::uint64_t time, std::uint64_t track, std::uint32_t field,
                          const std::vector<std::uint64_t>& ids, bool is_packed) {
        made.packet([&](pbf_writer& to) {
            to.add_uint64(8, time);
            pbf_writer event(to, 11);
            event.add_uint32(9, 3);
            event.add_uint64(11, track);
            event.add_string(23, "post");
            if (is_packed) {
                event.add_packed_fixed64(field, ids.begin(), ids.end());
            } else {
                event.add_fixed64(field, ids.front());
            }
        });
    };
    flow(100, 2, 47, {5, 6}, true);
    flow(110, 3, 48, {5}, false);
    flow(120, 4, 47, {6}, false);
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines,
                ElementsAre("T 7/8 Main", "T 7/9 worker", "P 7 App", "F5 100 7/8 post", "F6 100 7/8 post",
                            "i 100 7/8 post", "F5 end 110 7/9 post", "i 110 7/9 post", "i 120 7/- post"));
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("1 points of flows are of no thread")));
}

TEST(PerfettoTrace, HasPacketsThatAreCompressed) {
    MadeTrace inner;
    inner.track(2, 7, 8, "Main").event(100, 2, 1, "task");
    MadeTrace made;
    made.packet([&](pbf_writer& to) { to.add_bytes(50, deflated(inner.bytes())); });
    made.event(120, 2, 2);
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("T 7/8 Main", "B 100 7/8 task", "E 120 7/8"));
    EXPECT_THAT(trace.facts->notices, IsEmpty());
}

TEST(PerfettoTrace, ReadsOfADamagedCompressedPacketWhatIsBeforeThat) {
    MadeTrace inner;
    inner.track(2, 7, 8, "Main").event(100, 2, 1, "task");
    std::string bytes = deflated(inner.bytes());
    bytes.resize(bytes.size() - 4);  // the checksum
    MadeTrace made;
    made.packet([&](pbf_writer& to) { to.add_bytes(50, bytes); });
    made.packet([&](pbf_writer& to) { to.add_bytes(50, "no data of zlib"); });
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("T 7/8 Main", "B 100 7/8 task"));
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("2 packets are damaged")));
}

TEST(PerfettoTrace, LeavesOutCompressedPacketsThatGrowTooMuchOrAreInOthers) {
    // Of zeros zlib makes a thousandth: one of them has more than a packet may have, and others use up the share.
    const std::string bomb = deflated(std::string(PerfettoLimits::kMostPacketBytes + 1, '\0'));
    MadeTrace nested;
    nested.packet([&](pbf_writer& to) { to.add_bytes(50, deflated(nested.bytes())); });
    MadeTrace made;
    made.track(2, 7, 8, "Main").event(100, 2, 1, "task");
    for (int i = 0; i < 3; ++i) {
        made.packet([&](pbf_writer& to) { to.add_bytes(50, bomb); });
    }
    made.packet([&](pbf_writer& to) { to.add_bytes(50, deflated(nested.bytes())); });
    const auto trace = read_packets(made.bytes());
    ASSERT_TRUE(trace.facts);
    EXPECT_EQ(trace.facts->events, 1U);
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("4 compressed packets are left out")));
}

TEST(PerfettoTrace, WithoutEventsIsAnError) {
    for (const std::string& bytes : {std::string(), std::string("\x0a"), std::string("\x0a\x00", 2),
                                     std::string("text"), MadeTrace().track(2, 7, 8, "Main").bytes()}) {
        EXPECT_FALSE(read_packets(bytes).facts);
    }
}

TEST(PerfettoTrace, IsKnownByItsBeginning) {
    const auto looks = [](std::string_view bytes) {
        return looks_like_perfetto_trace({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    };
    EXPECT_TRUE(looks(MadeTrace().track(2, 7, 8, "Main").bytes()));
    EXPECT_TRUE(looks(MadeTrace().event(1, 2, 1, "a").bytes()));
    EXPECT_FALSE(looks(MadeProfile().type("cpu", "nanoseconds").bytes()));
    EXPECT_FALSE(looks(""));
    EXPECT_FALSE(looks("[{\"ph\":1}]"));
}

}  // namespace
}  // namespace kymo::import::named
