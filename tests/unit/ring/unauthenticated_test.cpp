// Who has no key gets nothing, is counted, and costs little.
#include "open_channels.h"

#include <arpa/inet.h>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace kymo::ring {
namespace {

namespace fs = std::filesystem;

TEST_F(RingChannels, WhoHasNoKeyOrAnotherGetsNothingAndIsCounted) {
    const auto to = open(keys_);
    const auto other = make_keys();
    ASSERT_TRUE(other);
    // The server's key is public knowledge: what counts is the client's own.
    const Keys knows_the_door{keys_.public_key, other->secret_key};
    for (const Keys& keys : {*other, Keys{}, knows_the_door}) {
        const auto stranger = open(keys);
        const std::uint64_t before = to->counts().unauthenticated;
        stranger->connect(0, to->endpoint());
        stranger->send(0, {1, 2, 3});
        Bytes read;
        for (int i = 0; i < 60; ++i) {
            stranger->receive(read, now() + 5 * kMs);
            ASSERT_FALSE(to->receive(read, now() + 5 * kMs));
        }
        EXPECT_TRUE(comes([&] {
            stranger->receive(read, now() + 5 * kMs);
            EXPECT_FALSE(to->receive(read, now() + 5 * kMs));
            return to->counts().unauthenticated > before;
        }));
    }
    // It still serves those who have it.
    const auto friendly = open(keys_);
    friendly->connect(0, to->endpoint());
    friendly->send(0, {9});
    Bytes read;
    EXPECT_TRUE(comes([&] {
        Bytes none;
        friendly->receive(none, now() + kMs);
        return to->receive(read, now() + 5 * kMs);
    }));
    EXPECT_EQ(read, Bytes{9});
}

// Unauthenticated that connect as fast as they can, in a thread: some say nothing, some begin a handshake with
// nonsense.
class Flood {
  public:
    explicit Flood(const std::string& endpoint) : thread_([this, endpoint] { run(endpoint); }) {}
    Flood(const Flood&) = delete;
    Flood& operator=(const Flood&) = delete;
    ~Flood() {
        ended_ = true;
        thread_.join();
    }
    [[nodiscard]] int made() const { return made_; }

  private:
    static constexpr std::size_t kOpen = 300;  // at a time: a handful of descriptors each

    void run(const std::string& endpoint) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
        Bytes nonsense(64 + 202, 0x5A);
        nonsense[0] = 0xFF;
        nonsense[9] = 0x7F;
        nonsense[10] = 3;
        std::memset(nonsense.data() + 12, 0, 52);
        std::memcpy(nonsense.data() + 12, "CURVE", 5);
        std::memcpy(nonsense.data() + 64, "\x04\xc8\x05HELLO\x01\x00", 10);
        std::vector<int> open(kOpen, -1);
        for (std::size_t i = 0; !ended_; ++i) {
            int& one = open[i % kOpen];
            if (one >= 0) {
                close(one);
            }
            one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            static_cast<void>(connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address));
            pollfd connected{one, POLLOUT, 0};
            poll(&connected, 1, 5);
            if (i % 2 == 0) {
                static_cast<void>(::send(one, nonsense.data(), nonsense.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
            }
            ++made_;
        }
        for (const int one : open) {
            close(one);
        }
    }

    std::atomic<bool> ended_ = false;
    std::atomic<int> made_ = 0;
    std::thread thread_;
};

std::size_t open_descriptors() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{}));
}

TEST_F(RingChannels, AFloodOfTheUnauthenticatedIsBoundedAndNotItsOwnWork) {
    const auto to = open(keys_, 3);
    const auto from = open(keys_, 1);
    from->connect(3, to->endpoint());
    Bytes read;
    ASSERT_TRUE(comes([&] {
        from->send(3, {1});
        from->receive(read, now() + kMs);
        return to->receive(read, now() + 5 * kMs);
    }));
    while (to->receive(read, now() + 50 * kMs)) {
    }
    const std::size_t before = open_descriptors();
    const std::uint64_t own_before = read_clock(CLOCK_THREAD_CPUTIME_ID).ns;
    const Time begin = now();
    std::size_t most = 0;
    int rounds = 0;
    int arrived = 0;
    {
        const Flood flood(to->endpoint());
        for (; now() < begin + 1500 * kMs; ++rounds) {
            Bytes none;
            from->send(3, {2});
            from->receive(none, now());
            for (const Time end = now() + 20 * kMs; now() < end;) {
                arrived += to->receive(read, end) ? 1 : 0;
            }
            most = std::max(most, open_descriptors());
        }
        EXPECT_GT(flood.made(), 300);
    }
    const ChannelCounts counts = to->counts();
    const std::uint64_t spent = read_clock(CLOCK_THREAD_CPUTIME_ID).ns - own_before;
    EXPECT_GE(arrived, rounds - 1) << "whoever is proved is served meanwhile";
    EXPECT_LE(most, before + 300 + 256 + 4) << "as many of theirs, and as many of ours at a time";
    EXPECT_GT(counts.unauthenticated, 0U);
    // A hundredth of the time, what is allowed at once, and the last that was begun.
    EXPECT_GT(counts.unauthenticated_work, 0U);
    EXPECT_LE(counts.unauthenticated_work, (now() - begin) / 100 + 100 * kMs + 20 * kMs);
    EXPECT_GT(spent, counts.unauthenticated_work);
}

TEST_F(RingChannels, WithoutEncryptionOnlyTheLoopback) {
    const auto opened = open_channels({"0.0.0.0", {}});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::kUsage);
    const auto nowhere = open_channels({"203.0.113.1", keys_});
    ASSERT_FALSE(nowhere) << "no address of this host";
    EXPECT_EQ(nowhere.error().kind, ErrorKind::kPermission);
}

}  // namespace
}  // namespace kymo::ring
