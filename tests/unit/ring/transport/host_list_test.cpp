// A job's file that lists its hosts: what is one, what is not, and the places that it gives.

#include "ring/transport/host_list.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

ListedJob two_hosts() {
    ListedJob job;
    job.job.job = 77;
    job.job.keys = {std::string(40, 'p'), std::string(40, 's')};
    job.manager = "tcp://10.0.0.1:27801";
    job.hosts = {{"a", "tcp://10.0.0.1:27800"}, {"b", "tcp://10.0.0.2:27800"}};
    return job;
}

TEST(RingHostList, WhatIsWrittenReadsTheSame) {
    const auto read = parse_listed_job(to_text(two_hosts()));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->job.job, 77U);
    EXPECT_EQ(read->job.keys.secret_key, std::string(40, 's'));
    EXPECT_EQ(read->manager, "tcp://10.0.0.1:27801");
    ASSERT_EQ(read->hosts.size(), 2U);
    EXPECT_EQ(read->hosts[1].name, "b");
    EXPECT_EQ(read->hosts[1].endpoint, "tcp://10.0.0.2:27800");
}

TEST(RingHostList, OtherTextIsRefused) {
    const std::string good = to_text(two_hosts());
    const auto without = [&good](const std::string& line) {
        std::string text = good;
        return text.erase(text.find(line), text.find('\n', text.find(line)) + 1 - text.find(line));
    };
    for (const std::string& bad :
         {std::string(), without("manager"), without("secret"), without("kymo-ring"),
          without("host b").erase(without("host b").find("host a")), good + "host a tcp://10.0.0.3:1\n",
          good + "host c tcp://10.0.0.2:27800\n", good + "host c/d tcp://10.0.0.3:1\n",
          good + "host c tcp://10.0.0.3\n", good + "host c\n", good + "manager tcp://10.0.0.9:1\n", good + "\n",
          good + std::string(kMaxListedJob, 'x')}) {
        EXPECT_FALSE(parse_listed_job(bad)) << bad.substr(0, 200);
    }
}

TEST(RingHostList, PlacesAreTheListsOrderAndIncarnationsGrow) {
    const HostList list(two_hosts());
    const auto first = list.claim_slot("b");
    const auto second = list.claim_slot("b");
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->slot, 1U);
    EXPECT_EQ(first->address, "10.0.0.2:27800");
    EXPECT_GT(second->incarnation, first->incarnation);
    EXPECT_EQ(list.claim_slot("c").error().kind, ErrorKind::kNotFound);
    const auto manager = list.claim_manager();
    ASSERT_TRUE(manager);
    EXPECT_EQ(manager->slot, kManager);
    EXPECT_EQ(manager->address, "10.0.0.1:27801");
    const Place::Roster roster = list.roster();
    EXPECT_EQ(roster.slots, 2U);
    ASSERT_EQ(roster.agents.size(), 2U);
    EXPECT_EQ(roster.agents[1].slot, 1U);
    EXPECT_EQ(roster.manager->endpoint, "tcp://10.0.0.1:27801");
}

TEST(RingHostList, ANewJobHasANumberAndKeysOfItsOwn) {
    ListedJob wanted = two_hosts();
    int made = 0;
    const auto keys = [&made]() -> Result<Keys> {
        ++made;
        return Keys{std::string(40, 'x'), std::string(40, 'y')};
    };
    const auto one = HostList::make(wanted, keys);
    const auto two = HostList::make(wanted, keys);
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->job.job, two->job.job);
    EXPECT_EQ(one->job.keys.public_key, std::string(40, 'x'));
    wanted.job.plain = true;
    EXPECT_EQ(HostList::make(wanted, keys).error().kind, ErrorKind::kUsage) << "10.0.0.1 is not the loopback";
    wanted.hosts = {{"a", "tcp://127.0.0.1:1"}};
    EXPECT_TRUE(HostList::make(wanted, keys));
    EXPECT_EQ(made, 2) << "a plain job has no keys";
    wanted.hosts.push_back({"a", "tcp://127.0.0.1:2"});
    EXPECT_EQ(HostList::make(wanted, keys).error().kind, ErrorKind::kUsage) << "two of one name";
}

}  // namespace
}  // namespace kymo::ring
