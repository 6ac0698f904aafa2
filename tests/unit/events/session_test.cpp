#include "events/session.h"

#include "events/session_file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::events {
namespace {

std::unique_ptr<Session> full_session() {
    auto session = std::make_unique<Session>();
    set_default_events(997, *session);
    session->pid = 4711;
    session->signal = 27;
    session->max_bytes = UINT64_MAX;
    session->follow = false;
    session->read_lost = true;
    session->own_switches = true;
    session->tick_trigger = true;
    session->tick_ns = 4'000'000;
    session->kernel_ticks = true;
    session->rank = UINT64_MAX;
    std::snprintf(session->library, sizeof session->library, "/opt/a b/libkymo-monitor.so");
    std::snprintf(session->channels, sizeof session->channels, "/opt/a b/libkymo-mpi.so");
    while (session->event_count < kMaxEvents) {
        SessionEvent& event = session->events[session->event_count];
        std::snprintf(event.name, sizeof event.name, "cpu/event=0x%x,umask=1/", session->event_count);
        event.mode = Mode::kPeriod;
        event.value = UINT64_MAX;
        event.type = UINT32_MAX - 1;
        event.config = UINT64_MAX;
        event.config1 = 0x123456789ABCDEF0;
        event.config2 = 1;
        event.precise = 3;
        event.user_only = true;
        event.group = static_cast<std::uint8_t>(session->event_count - 1);
        ++session->event_count;
    }
    return session;
}

TEST(Session, WhatIsFormattedParsesBackTheSame) {
    const auto before = full_session();
    const auto text = format_session(*before);
    ASSERT_TRUE(text) << text.error().what;
    auto after = std::make_unique<Session>();
    ASSERT_EQ(parse_session(*text, *after), SessionError::kNone);
    EXPECT_EQ(after->pid, 4711U);
    EXPECT_EQ(after->signal, 27U);
    EXPECT_EQ(after->max_bytes, UINT64_MAX);
    EXPECT_FALSE(after->follow);
    EXPECT_TRUE(after->read_lost);
    EXPECT_TRUE(after->own_switches);
    EXPECT_TRUE(after->tick_trigger);
    EXPECT_EQ(after->tick_ns, 4'000'000U);
    EXPECT_TRUE(after->kernel_ticks);
    EXPECT_EQ(after->rank, UINT64_MAX);
    EXPECT_TRUE(after->from_parent);
    EXPECT_EQ(after->mechanism, Mechanism::kPerfEvents);
    EXPECT_STREQ(after->library, before->library);
    EXPECT_STREQ(after->channels, before->channels);
    ASSERT_EQ(after->event_count, kMaxEvents);
    for (std::size_t i = 0; i < kMaxEvents; ++i) {
        const SessionEvent& a = before->events[i];
        const SessionEvent& b = after->events[i];
        EXPECT_STREQ(a.name, b.name);
        EXPECT_EQ(a.nanoseconds, b.nanoseconds);
        EXPECT_EQ(a.mode, b.mode);
        EXPECT_EQ(a.value, b.value);
        EXPECT_EQ(a.type, b.type);
        EXPECT_EQ(a.config, b.config);
        EXPECT_EQ(a.config1, b.config1);
        EXPECT_EQ(a.config2, b.config2);
        EXPECT_EQ(a.precise, b.precise);
        EXPECT_EQ(a.user_only, b.user_only);
        EXPECT_EQ(a.group, b.group);
    }
}

TEST(Session, TimersRoundTripToo) {
    auto session = std::make_unique<Session>();
    set_timer_events(250, *session);
    const auto text = format_session(*session);
    ASSERT_TRUE(text);
    auto after = std::make_unique<Session>();
    ASSERT_EQ(parse_session(*text, *after), SessionError::kNone);
    EXPECT_EQ(after->mechanism, Mechanism::kThreadTimers);
    EXPECT_STREQ(after->events[1].name, "system-time");
    EXPECT_EQ(after->events[1].type, kUsageType);
    EXPECT_TRUE(after->events[1].nanoseconds);
}

TEST(Session, APathWithALineBreakIsNotWritten) {
    auto session = full_session();
    std::snprintf(session->library, sizeof session->library, "/tmp/x\nsignal 9");
    EXPECT_FALSE(format_session(*session));
}

constexpr const char* kHead = "kymo-session 1\n";
constexpr const char* kEvent = "event task-clock ns frequency 1000 1 0x1 0x0 0x0 0 0 0\n";

struct Bad {
    const char* why;
    std::string text;
    SessionError error;
};

TEST(Session, BadTextsAreRefused) {
    const std::string head = kHead;
    const std::string good = head + kEvent;
    const std::vector<Bad> cases = {
        {"empty", "", SessionError::kNotASession},
        {"not a session", "hello\n", SessionError::kNotASession},
        {"later version", std::string("kymo-session 2\n") + kEvent, SessionError::kOtherVersion},
        {"version with more behind it", std::string("kymo-session 1 \n") + kEvent, SessionError::kOtherVersion},
        {"no events", head, SessionError::kNoEvents},
        {"first event does not sample", head + "event task-clock ns count 0 1 1 0 0 0 0 0\n",
         SessionError::kNoEvents},
        {"first event outside group 0", head + "event task-clock ns period 5 1 1 0 0 0 0 1\n",
         SessionError::kNoEvents},
        {"unknown word", good + "colour blue\n", SessionError::kUnknownLine},
        {"blank line", good + "\n", SessionError::kUnknownLine},
        {"signal 0", good + "signal 0\n", SessionError::kBadLine},
        {"signal 65", good + "signal 65\n", SessionError::kBadLine},
        {"negative", good + "pid -1\n", SessionError::kBadLine},
        {"too large for 64 bits", good + "max-bytes 18446744073709551616\n", SessionError::kBadLine},
        {"hexadecimal without digits", good + "max-bytes 0x\n", SessionError::kBadLine},
        {"flag of 2", good + "follow 2\n", SessionError::kBadLine},
        {"mechanism", good + "mechanism magic\n", SessionError::kBadLine},
        {"library without path", good + "library\n", SessionError::kBadLine},
        {"channels without path", good + "channels\n", SessionError::kBadLine},
        {"library too long", good + "library /" + std::string(kPathBytes, 'x') + "\n", SessionError::kBadLine},
        {"NUL in the path", good + std::string("library /a\0b\n", 13), SessionError::kBadLine},
        {"event of one word", head + "event\n", SessionError::kBadLine},
        {"event one word short", head + "event task-clock ns frequency 1000 1 1 0 0 0 0\n", SessionError::kBadLine},
        {"event one word long", head + "event task-clock ns frequency 1000 1 1 0 0 0 0 0 0\n",
         SessionError::kBadLine},
        {"event with a bad unit", head + "event task-clock s frequency 1000 1 1 0 0 0 0 0\n", SessionError::kBadLine},
        {"event with a bad mode", head + "event task-clock ns often 1000 1 1 0 0 0 0 0\n", SessionError::kBadLine},
        {"sampling at 0", head + "event task-clock ns frequency 0 1 1 0 0 0 0 0\n", SessionError::kBadLine},
        {"counting with a value", head + "event task-clock ns count 9 1 1 0 0 0 0 0\n", SessionError::kBadLine},
        {"type beyond 32 bits", head + "event x - period 1 4294967296 1 0 0 0 0 0\n", SessionError::kBadLine},
        {"precise 4", head + "event x - period 1 1 1 0 0 4 0 0\n", SessionError::kBadLine},
        {"group 16", head + "event x - period 1 1 1 0 0 0 0 16\n", SessionError::kBadLine},
        {"name too long", head + "event " + std::string(kEventNameBytes, 'n') + " - period 1 1 1 0 0 0 0 0\n",
         SessionError::kBadLine},
        {"text too long", good + std::string(kMaxSessionBytes, 'x'), SessionError::kTooLong},
    };
    auto session = std::make_unique<Session>();
    for (const Bad& bad : cases) {
        EXPECT_EQ(parse_session(bad.text, *session), bad.error) << bad.why;
    }
    ASSERT_EQ(parse_session(good, *session), SessionError::kNone);
    std::string many = head;
    for (std::size_t i = 0; i <= kMaxEvents; ++i) {
        many += kEvent;
    }
    EXPECT_EQ(parse_session(many, *session), SessionError::kTooManyEvents);
}

TEST(Session, EveryTruncationIsRefusedOrWhole) {
    const auto text = format_session(*full_session());
    ASSERT_TRUE(text);
    auto session = std::make_unique<Session>();
    for (std::size_t size = 0; size < text->size(); ++size) {
        if (parse_session(std::string_view(*text).substr(0, size), *session) == SessionError::kNone) {
            EXPECT_GE(session->event_count, 1U);
            EXPECT_LE(session->event_count, kMaxEvents);
        }
    }
}

class SessionFolder : public testing::Test {
  protected:
    SessionFolder() {
        char name[] = "/tmp/kymo-session-XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~SessionFolder() override { std::filesystem::remove_all(folder_); }
    std::string folder_;
};

TEST_F(SessionFolder, IsLoadedFromItsFile) {
    std::ofstream(folder_ + "/session") << kHead << kEvent;
    auto session = std::make_unique<Session>();
    ASSERT_EQ(load_session(folder_.c_str(), *session), SessionError::kNone);
    EXPECT_EQ(session->directory, folder_);
    EXPECT_TRUE(session->from_parent);
}

TEST_F(SessionFolder, MayHoldSeveral) {
    std::ofstream(folder_ + "/session-3") << kHead << kEvent;
    auto session = std::make_unique<Session>();
    ASSERT_EQ(load_session((folder_ + "/session-3").c_str(), *session), SessionError::kNone);
    EXPECT_EQ(session->directory, folder_);
    EXPECT_EQ(load_session((folder_ + "/session-4").c_str(), *session), SessionError::kUnreadable);
}

TEST_F(SessionFolder, FailuresToLoadAreTold) {
    auto session = std::make_unique<Session>();
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kUnreadable);
    EXPECT_EQ(load_session(("/" + std::string(kPathBytes, 'x')).c_str(), *session), SessionError::kTooLong);
    std::ofstream(folder_ + "/session") << kHead << std::string(kMaxSessionBytes, ' ');
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kTooLong);
    std::filesystem::remove(folder_ + "/session");
    std::filesystem::create_directory(folder_ + "/session");
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kUnreadable);
}

// Whoever can put another folder in the recording's place must not tell a program of root's what to load.
TEST_F(SessionFolder, IsThisUsersOrRootsAndNoLink) {
    auto session = std::make_unique<Session>();
    const std::string file = folder_ + "/session";
    std::ofstream(folder_ + "/elsewhere") << kHead << kEvent;
    std::filesystem::create_symlink(folder_ + "/elsewhere", file);
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kUnreadable);
    std::filesystem::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kUnreadable);
    std::filesystem::remove(file);
    std::ofstream(file) << kHead << kEvent;
    EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kNone);
    constexpr uid_t kAnother = 12345;
    if (chown(file.c_str(), kAnother, kAnother) == 0) {
        EXPECT_EQ(load_session(folder_.c_str(), *session), SessionError::kUnreadable);
    }
}

TEST(DefaultSession, NamesItsFolder) {
    auto session = std::make_unique<Session>();
    const std::string here = std::filesystem::current_path();
    ASSERT_EQ(default_session(nullptr, 0, *session), SessionError::kNone);
    EXPECT_EQ(session->directory, here + "/kymo-0.kymo");
    ASSERT_EQ(default_session("", 4294967295U, *session), SessionError::kNone);
    EXPECT_EQ(session->directory, here + "/kymo-4294967295.kymo");
    ASSERT_EQ(default_session("out", 1, *session), SessionError::kNone);
    EXPECT_EQ(session->directory, here + "/out");
    ASSERT_EQ(default_session("/tmp/out.kymo", 1, *session), SessionError::kNone);
    EXPECT_STREQ(session->directory, "/tmp/out.kymo");
    EXPECT_FALSE(session->from_parent);
    EXPECT_EQ(default_session(std::string(kPathBytes, 'x').c_str(), 1, *session), SessionError::kTooLong);
    ASSERT_EQ(session->event_count, 4U);
    EXPECT_STREQ(session->events[0].name, "task-clock");
    EXPECT_EQ(session->events[0].value, 1000U);
}

}  // namespace
}  // namespace kymo::events
