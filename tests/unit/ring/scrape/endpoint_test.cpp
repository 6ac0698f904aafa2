// The endpoint over real sockets on the loopback: requests that never end, wrong ones, and good ones meanwhile.

#include "ring/scrape/endpoint.h"

#include <arpa/inet.h>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace kymo::ring {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

class RingEndpointServer : public testing::Test {
  protected:
    void SetUp() override {
        auto opened = open_endpoint("127.0.0.1:0");
        if (!opened) {
            GTEST_SKIP() << opened.error().what;
        }
        endpoint_ = std::move(*opened);
        endpoint_->publish({{"kymo_answer", "What is known.", FamilyType::kGauge, {{{{"host", "a"}}, 42}}}});
    }
    void TearDown() override {
        for (const int each : open_) {
            close(each);
        }
    }

    // A connection that has sent this much.
    int begin(const std::string& request) {
        const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(endpoint_->port()));
        EXPECT_EQ(connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::send(made, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
        open_.push_back(made);
        return made;
    }

    // All that comes until the other side closes; nothing for `patience` seconds: so much the worse.
    static std::string rest(int socket, int patience = 20) {
        const timeval limit{patience, 0};
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        std::string all;
        char part[4096];
        ssize_t got = 0;
        while ((got = recv(socket, part, sizeof part, 0)) > 0) {
            all.append(part, static_cast<std::size_t>(got));
        }
        return got == 0 || errno == ECONNRESET ? all : all + "(never closed)";
    }

    std::string get(const std::string& request) { return rest(begin(request)); }

    static constexpr const char* kGood = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    std::unique_ptr<Endpoint> endpoint_;
    std::vector<int> open_;
};

TEST_F(RingEndpointServer, TellsWhatWasPublished) {
    const std::string reply = get(kGood);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(reply, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    EXPECT_THAT(reply, HasSubstr("# TYPE kymo_answer gauge\nkymo_answer{host=\"a\"} 42\n"));
    EXPECT_THAT(get("GET /metrics?x=y HTTP/1.0\r\n\r\n"), HasSubstr("kymo_answer{"));
    const std::string head = get("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(head, testing::Not(HasSubstr("kymo_answer{")));
}

TEST_F(RingEndpointServer, RefusesWhatIsNoRequestForThem) {
    EXPECT_THAT(get("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(get("GET /metricsandmore HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(get("POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 405"));
    EXPECT_THAT(get("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(get("GET /metrics HTTP/1.1\r\nX: " + std::string(20'000, 'x')), StartsWith("HTTP/1.1 431"));
}

TEST_F(RingEndpointServer, RequestsThatNeverEndBlockNobody) {
    std::vector<int> slow;
    slow.reserve(300);
    for (int i = 0; i < 300; ++i) {
        slow.push_back(begin(i % 3 == 0 ? "" : "GET /metrics HT"));
        if (i % 20 == 0) {
            const Clock::time_point asked = Clock::now();
            EXPECT_THAT(get(kGood), HasSubstr("kymo_answer{"));
            // Less than a slow one is given; nearly all of it is this machine's.
            EXPECT_LT(Clock::now() - asked, std::chrono::seconds(2)) << i << " are slow";
        }
    }
    EXPECT_EQ(rest(slow.back()), "") << "given up, in the end";
    EXPECT_THAT(get(kGood), HasSubstr("kymo_answer{"));
}

TEST_F(RingEndpointServer, ReadersThatTakeNothingBlockNobody) {
    Family family{"kymo_much", "Much.", FamilyType::kGauge, {}};
    for (int i = 0; i < 200'000; ++i) {
        family.figures.push_back({{{"host", std::to_string(i)}}, 1});
    }
    endpoint_->publish({family});
    for (int i = 0; i < 10; ++i) {
        begin(kGood);  // and does not read
    }
    const std::string reply = get(kGood);
    EXPECT_THAT(reply.substr(0, 15), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(reply.substr(reply.size() - 40), HasSubstr("kymo_much{host=\"199999\"} 1\n"));
}

}  // namespace
}  // namespace kymo::ring
