// The server over a real socket on the loopback.
#include "serve/page_server.h"

#include "made_source.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace kymo::serve {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServePageServer : public testing::Test {
  protected:
    void start(OpenSource open) {
        auto server = serve_pages(0, "<run>.kymo", std::move(open));
        ASSERT_TRUE(server) << server.error().what;
        server_ = std::move(*server);
        const std::string address = server_->address();
        path_ = address.substr(address.find('/', std::string("http://").size()));
    }

    std::string get(const std::string& target, const std::string& method = "GET") {
        const Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
        EXPECT_EQ(connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        const std::string request = method + " " + target + " HTTP/1.1\r\nhOsT:  localhost:1 \r\n\r\n";
        EXPECT_EQ(::send(made.number(), request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        std::string all;
        char part[4096];
        for (ssize_t got = 0; (got = recv(made.number(), part, sizeof part, 0)) > 0;) {
            all.append(part, static_cast<std::size_t>(got));
        }
        return all;
    }

    // What is there in the end.
    std::string page(const std::string& query = "") {
        for (;;) {
            std::string reply = get(path_ + query);
            if (reply.find("location.reload()") == std::string::npos) {
                return reply;
            }
        }
    }

    std::string path_;
    std::unique_ptr<PageServer> server_;
};

TEST_F(ServePageServer, SaysWhatItIsAtUntilThePageIsThere) {
    Gate at_stage;
    Gate go_on;
    start([&](std::uint32_t, const Progress& progress) -> Result<std::unique_ptr<PageSource>> {
        progress.on_stage("call paths");
        at_stage.open();
        go_on.wait();
        return made_source();
    });
    at_stage.wait();
    const std::string early = get(path_);
    EXPECT_THAT(early, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(early, HasSubstr("location.reload()"));
    EXPECT_THAT(early, HasSubstr("Reading the recording: call paths"));
    EXPECT_THAT(early, HasSubstr("&lt;run&gt;.kymo"));
    EXPECT_THAT(get(path_ + "?stage"), HasSubstr("\r\n\r\ncall paths · "));
    go_on.open();
    const std::string reply = page("?range=0.000000001..0.000000002");
    EXPECT_THAT(reply,
                StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 17\r\n"));
    EXPECT_THAT(reply, HasSubstr("Referrer-Policy: no-referrer\r\n"));
    EXPECT_THAT(reply, EndsWith("\r\n\r\nreading 1 of 1..2"));
    EXPECT_THAT(get(path_ + "?range=0.000000001..0.000000002", "HEAD"), EndsWith("\r\n\r\n"));
    EXPECT_THAT(get(path_ + "?stage&range=0.000000001..0.000000002"), EndsWith("\r\n\r\n")) << "nothing to wait for";
}

TEST_F(ServePageServer, AnErrorNamesTheNextStepAndTextStaysText) {
    start([](std::uint32_t, const Progress&) { return made_source(); });
    const std::string reply = page("?range=0.000000666..0.000000700");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(reply, HasSubstr("a file &lt;b&gt;vanished&lt;/b&gt;"));
    EXPECT_THAT(reply, HasSubstr("record again"));
    EXPECT_THAT(reply, HasSubstr("href=\"?look=2\""));
    EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(get(path_, "POST"), StartsWith("HTTP/1.1 405 "));
}

TEST_F(ServePageServer, APortThatIsTakenIsRefused) {
    start([](std::uint32_t, const Progress&) { return made_source(); });
    const auto second = serve_pages(static_cast<std::uint16_t>(server_->port()), "run",
                                    [](std::uint32_t, const Progress&) { return made_source(); });
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().what, HasSubstr("cannot serve at 127.0.0.1:"));
}

}  // namespace
}  // namespace kymo::serve
