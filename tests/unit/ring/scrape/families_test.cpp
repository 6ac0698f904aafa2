// What is told to a Prometheus server, from samples that are known.

#include "ring/scrape/families.h"

#include "../told.h"
#include "ring/scrape/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

std::vector<AskedMetric> ask(const std::vector<std::string>& addresses) {
    std::vector<AskedMetric> asked;
    for (const std::string& address : addresses) {
        asked.push_back(asked_metric(*parse_address(address)));
    }
    return asked;
}

Record of(std::uint64_t sum) {
    return {sum, 0, sum, sum, 1, 1};
}

Sample sample(std::vector<std::vector<Record>> hosts) {
    Sample made;
    made.mode = Mode::kAppend;
    made.home = 4'000'000;
    made.coverage.slots = static_cast<std::uint32_t>(hosts.size());
    for (Slot slot = 0; slot < hosts.size(); ++slot) {
        SamplePart part{};
        part.part.slot = slot;
        part.part.state = hosts[slot].empty() ? PartState::kHole : PartState::kOnTime;
        part.part.clock_error = 3'000;
        made.coverage.contributed += hosts[slot].empty() ? 0 : 1;
        part.records = hosts[slot];
        made.parts.push_back(part);
    }
    return made;
}

const Family* find(const std::vector<Family>& families, const std::string& name) {
    for (const Family& family : families) {
        if (family.name == name) {
            return &family;
        }
    }
    return nullptr;
}

// -1: there is no such figure.
double value(const std::vector<Family>& families, const std::string& name, const std::string& host) {
    const Family* const family = find(families, name);
    for (std::size_t i = 0; family != nullptr && i < family->figures.size(); ++i) {
        const auto& labels = family->figures[i].labels;
        if (host.empty() ? labels.empty() : !labels.empty() && labels[0].second == host) {
            return family->figures[i].value;
        }
    }
    return -1;
}

std::string host_name(Slot slot) {
    return slot < 3 ? std::string(1, static_cast<char>('a' + slot)) : std::string();
}

TEST(RingFamilies, AreNamedByUnitAndType) {
    const auto name = [](const char* address) { return family_name(asked_metric(*parse_address(address))); };
    EXPECT_EQ(name("task/system/0/user"), "kymo_task_user_seconds_total");
    EXPECT_EQ(name("task/host/0/lock-wait"), "kymo_task_lock_wait_seconds_total");
    EXPECT_EQ(name("channel/system/0/bytes"), "kymo_channel_bytes_total");
    EXPECT_EQ(name("channel/system/0/messages"), "kymo_channel_messages_total");
    EXPECT_EQ(name("channel/system/0/largest"), "kymo_channel_largest_bytes");
    EXPECT_EQ(name("channel/system/0/outstanding"), "kymo_channel_outstanding");
    EXPECT_EQ(name("processor/system/0/run-queue"), "kymo_processor_run_queue");
    EXPECT_EQ(name("task/system/0/steps done/s"), "kymo_task_steps_done_s");
}

TEST(RingFamilies, CountersGrowInBaseUnitsAndAHostThatIsGoneHasNone) {
    Families families(ask({"task/system/0/user", "channel/system/0/outstanding", "processor/system/0/run-queue"}),
                      host_name);
    const ManagerCounts counts;
    families.take(sample({{of(5'000'000'000), of(2), of(500)}, {of(0), of(0), of(0)}}), counts, 0);
    auto told = families.take(sample({{of(7'500'000'000), of(1), of(1500)}, {}}), counts, 0);
    EXPECT_DOUBLE_EQ(value(told, "kymo_task_user_seconds_total", "a"), 2.5);
    EXPECT_EQ(find(told, "kymo_task_user_seconds_total")->type, FamilyType::kCounter);
    EXPECT_EQ(value(told, "kymo_channel_outstanding", "a"), 1);
    EXPECT_DOUBLE_EQ(value(told, "kymo_processor_run_queue", "a"), 1.5);
    EXPECT_EQ(find(told, "kymo_processor_run_queue")->type, FamilyType::kGauge);
    EXPECT_EQ(value(told, "kymo_task_user_seconds_total", "b"), -1);
    EXPECT_EQ(value(told, "kymo_host_up", "a"), 1);
    EXPECT_EQ(value(told, "kymo_host_up", "b"), 0);
    EXPECT_DOUBLE_EQ(value(told, "kymo_host_clock_error_seconds", "a"), 3e-6);
    EXPECT_EQ(value(told, "kymo_ring_hosts", ""), 2);
    EXPECT_EQ(value(told, "kymo_ring_hosts_answered", ""), 1);
    // A program has ended and taken its cells along; another goes on.
    told = families.take(sample({{of(1'000'000'000), of(0), of(0)}, {of(4'000'000'000), of(0), of(0)}}), counts, 0);
    EXPECT_DOUBLE_EQ(value(told, "kymo_task_user_seconds_total", "a"), 2.5);
    EXPECT_DOUBLE_EQ(value(told, "kymo_task_user_seconds_total", "b"), 4);
}

// As agents of an earlier version have them, which tell nothing.
TEST(RingFamilies, ProgramsOwnThatNobodyDescribesAreUntypedAndAsTheyAre) {
    auto asked = ask({"task/system/0/level", "task/system/0/done_total"});
    for (AskedMetric& each : asked) {
        each.is_awaited = false;
    }
    Families families(asked, host_name);
    families.take(sample({{of(7), of(10)}}), {}, 0);
    const auto told = families.take(sample({{of(~std::uint64_t{0}), of(12)}}), {}, 0);
    EXPECT_EQ(value(told, "kymo_task_level", "a"), -1) << "it was 0, and 1 was taken from it";
    ASSERT_NE(find(told, "kymo_task_level"), nullptr);
    EXPECT_EQ(find(told, "kymo_task_level")->type, FamilyType::kUntyped);
    EXPECT_EQ(value(told, "kymo_task_done_total", "a"), 12);
}

TEST(RingFamilies, ProgramsOwnHaveTheTypeUnitAndHelpThatTheirAgentsTell) {
    using cells::MetricType;
    auto asked =
        ask({"task/system/0/sent", "task/system/0/level", "task/system/0/peak", "task/system/0/temperature"});
    Families families(asked, host_name);
    EXPECT_EQ(find(families.take(sample({{of(7'000), of(3), of(9), of(5)}}), {}, 0), "kymo_task_sent"), nullptr)
        << "nothing is known of it yet";
    EXPECT_TRUE(describe(
        asked, std::vector<MetricTold>{told(asked[0], MetricType::kCounter, "ns", "time spent sending"),
                                       told(asked[1], MetricType::kGauge, "%"), told(asked[2], MetricType::kMaximum),
                                       told(asked[3], MetricType::kGauge, "K", "of cores", MetricTotal::kMean)}));
    EXPECT_FALSE(describe(asked, std::vector<MetricTold>{told(asked[0], MetricType::kGauge)})) << "the first counts";
    families.know(asked);
    const Record two{~std::uint64_t{0} - 5, 0, 2, 12, 2, 2};  // a mean of -3
    const auto now =
        families.take(sample({{of(2'000'007'000), of(~std::uint64_t{0}), {14, 0, 5, 9, 2, 2}, two}}), {}, 0);
    EXPECT_DOUBLE_EQ(value(now, "kymo_task_sent_seconds_total", "a"), 2) << "since it was first seen";
    const auto is = [&](const char* name, FamilyType type, const char* help) {
        const Family* const family = find(now, name);
        ASSERT_NE(family, nullptr) << name;
        EXPECT_EQ(family->type, type) << name;
        EXPECT_EQ(family->help, help);
    };
    is("kymo_task_sent_seconds_total", FamilyType::kCounter, "time spent sending");
    is("kymo_task_level", FamilyType::kGauge, "level (%)");
    is("kymo_task_peak", FamilyType::kGauge, "peak");
    is("kymo_task_temperature", FamilyType::kGauge, "of cores (K): mean of all threads");
    EXPECT_EQ(value(now, "kymo_task_level", "a"), -1);
    EXPECT_EQ(value(now, "kymo_task_peak", "a"), 9);
    EXPECT_EQ(value(now, "kymo_task_temperature", "a"), -3);
}

// The metrics of a program that a user's bug report is about: two stay two, whatever their types are found to be.
TEST(RingFamilies, OwnNamesThatBecomeAlikeStayApart) {
    using cells::MetricType;
    auto asked =
        ask({"task/system/0/requests", "task/system/0/requests_total", "task/system/0/le", "task/system/0/bytes",
             "task/system/0/9lives", "task/system/0/wait", "task/system/0/wait_seconds"});
    EXPECT_EQ(find_same_family(asked), std::nullopt);
    std::vector<MetricTold> all;
    for (const AskedMetric& each : asked) {
        all.push_back(told(each, MetricType::kCounter, each.address.metric == "bytes" ? "bytes" : ""));
    }
    std::copy_n("ns", 2, all[5].unit.begin());
    all[6].type = static_cast<std::uint8_t>(MetricType::kGauge);
    for (const bool is_forward : {true, false}) {  // in whatever order they are told
        auto known = asked;
        Families families(known, host_name);
        families.take(sample({{of(0), of(0), of(0), of(0), of(0), of(0), of(0)}}), {}, 0);
        for (std::size_t i = 0; i < all.size(); ++i) {
            describe(known, std::span(&all[is_forward ? i : all.size() - 1 - i], 1));
        }
        families.know(known);
        const auto now = families.take(sample({{of(1), of(2), of(3), of(4), of(5), of(6), of(7)}}), {}, 0);
        EXPECT_EQ(value(now, "kymo_task_requests", "a"), 1);
        EXPECT_EQ(value(now, "kymo_task_requests_total", "a"), 2);
        EXPECT_EQ(value(now, "kymo_task_le_total", "a"), 3);
        EXPECT_EQ(value(now, "kymo_task_bytes_total", "a"), 4);
        EXPECT_EQ(value(now, "kymo_task_9lives_total", "a"), 5);
        EXPECT_DOUBLE_EQ(value(now, "kymo_task_wait_seconds_total", "a"), 6e-9);
        EXPECT_EQ(value(now, "kymo_task_wait_seconds", "a"), 7);
    }
    // These cannot: the command line refuses them.
    EXPECT_NE(find_same_family(ask({"task/system/0/requests_total", "task/system/0/requests-total"})), std::nullopt);
    EXPECT_NE(find_same_family(ask({"task/system/0/requests-total", "task/system/0/requests total"})), std::nullopt);
}

TEST(RingFamilies, NamesThatFallTogetherAreFound) {
    EXPECT_EQ(find_same_family(ask({"task/system/0/a.b", "task/host/0/user", "task/host/0/a_b"})),
              std::pair(std::size_t{0}, std::size_t{2}));
    EXPECT_EQ(find_same_family(ask({"task/system/0/user", "task/host/0/user", "task/process/7/user"})), std::nullopt);
    EXPECT_EQ(find_same_family(ask({"task/system/0/user", "processor/host/0/user"})), std::nullopt);
}

TEST(RingFamilies, FiguresOfOneFamilyAreToldApart) {
    Families families(ask({"task/system/0/user", "task/host/0/user", "task/process/71/user", "task/task/9/user"}),
                      host_name);
    const auto told = families.take(sample({{of(1), of(1), of(1), of(1)}}), {}, 0);
    const Family* const user = find(told, "kymo_task_user_seconds_total");
    ASSERT_NE(user, nullptr);
    std::set<std::vector<std::pair<std::string, std::string>>> labels;
    for (const Figure& figure : user->figures) {
        labels.insert(figure.labels);
    }
    using Labels = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(user->figures.size(), 3U);
    EXPECT_THAT(labels,
                ::testing::UnorderedElementsAre(Labels{{"host", "a"}}, Labels{{"host", "a"}, {"process", "71"}},
                                                Labels{{"host", "a"}, {"task", "9"}}));
}

TEST(RingFamilies, SumsAreToldWhereTheyCoverAll) {
    Families families(ask({"task/system/0/user"}), host_name);
    Sample made;
    made.mode = Mode::kReduce;
    made.coverage.slots = made.coverage.contributed = 3;
    made.records = {of(1'000'000'000)};
    families.take(made, {}, 0);
    made.records = {of(3'000'000'000)};
    EXPECT_DOUBLE_EQ(value(families.take(made, {}, 0), "kymo_task_user_seconds_total", ""), 2);
    made.coverage.contributed = 2;
    EXPECT_EQ(find(families.take(made, {}, 0), "kymo_task_user_seconds_total"), nullptr);
}

TEST(RingEndpoint, IsTheLoopbacksUnlessSaidOtherwise) {
    EXPECT_EQ(endpoint_address("9464"), "127.0.0.1:9464");
    EXPECT_EQ(endpoint_address("10.0.0.7:80"), "10.0.0.7:80");
    for (const char* const wrong : {"", ":", "host:9464", "9464:", "65536", "1.2.3:4", "127.0.0.1:9464,10.0.0.1:1",
                                    "+9464r", "127.0.0.1:-1", "[::1]:80", "9464 "}) {
        EXPECT_EQ(endpoint_address(wrong), "") << wrong;
    }
}

}  // namespace
}  // namespace kymo::ring
