// Teams of threads that send each other bytes through queues, in place of the processes of an MPI job.
#include "team/team.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace kymo::team {
namespace {

class Mail {
  public:
    void put(std::vector<std::uint8_t> bytes) {
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(bytes));
        changed_.notify_all();
    }
    std::vector<std::uint8_t> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !all_.empty(); });
        auto bytes = std::move(all_.front());
        all_.pop_front();
        return bytes;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::vector<std::uint8_t>> all_;
};

class ThreadTeam final : public Team {
  public:
    ThreadTeam(std::uint32_t rank, std::uint32_t size, std::vector<Mail>& mail)
        : rank_(rank), size_(size), mail_(mail) {}
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }
    void send(std::uint32_t to, std::span<const std::uint8_t> bytes) override {
        mail_[rank_ * size_ + to].put({bytes.begin(), bytes.end()});
    }
    std::vector<std::uint8_t> receive(std::uint32_t from) override { return mail_[from * size_ + rank_].take(); }

  private:
    std::uint32_t rank_;
    std::uint32_t size_;
    std::vector<Mail>& mail_;
};

void together(std::uint32_t size, const std::function<void(Team&)>& work) {
    std::vector<Mail> mail(std::size_t{size} * size);
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            ThreadTeam team(rank, size, mail);
            work(team);
        });
    }
}

class Teams : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Teams, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 13));

TEST_P(Teams, ReduceInTheOrderOfTheProcesses) {
    together(GetParam(), [&](Team& team) {
        std::string text(1, static_cast<char>('a' + team.rank()));
        reduce(&team, text, [](std::string& to, std::string&& more) { to += more; });
        if (team.rank() == 0) {
            EXPECT_EQ(text, std::string("abcdefghijklm").substr(0, GetParam()));
        }
    });
}

TEST_P(Teams, BroadcastGivesAllTheFirstOnesValue) {
    together(GetParam(), [&](Team& team) {
        std::vector<std::uint32_t> value{team.rank(), 5};
        broadcast(&team, value);
        EXPECT_EQ(value, (std::vector<std::uint32_t>{0, 5}));
    });
}

TEST_P(Teams, CollectPutsEachThingInItsPlace) {
    for (const For whom : {For::kFirst, For::kAll}) {
        together(GetParam(), [&](Team& team) {
            std::vector<std::uint32_t> owner;
            std::vector<std::string> things;
            for (std::uint32_t i = 0; i < 20; ++i) {
                owner.push_back(i * 7 % team.size());
                things.push_back(owner.back() == team.rank() ? std::to_string(i) : "not made here");
            }
            collect(&team, things, owner, whom);
            for (std::uint32_t i = 0; i < 20 && (whom == For::kAll || team.rank() == 0); ++i) {
                EXPECT_EQ(things[i], std::to_string(i));
            }
        });
    }
}

TEST_P(Teams, AgreeOnTheFirstError) {
    together(GetParam(), [&](Team& team) {
        EXPECT_TRUE(agree(&team, Result<void>()));
        const auto agreed =
            agree(&team, team.rank() % 2 == 0 ? Result<void>()
                                              : Error{ErrorKind::kNotFound, std::to_string(team.rank()), ""});
        EXPECT_EQ(agreed.ok(), GetParam() == 1);
        if (!agreed) {
            EXPECT_EQ(agreed.error().what, "1");
        }
    });
}

TEST(Team, OneProcessAloneNeedsNone) {
    int value = 3;
    reduce(nullptr, value, [](int& to, int more) { to += more; });
    broadcast(nullptr, value);
    EXPECT_EQ(value, 3);
    EXPECT_TRUE(is_first(nullptr));
}

}  // namespace
}  // namespace kymo::team
