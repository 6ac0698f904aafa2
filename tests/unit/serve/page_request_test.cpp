// What a browser may ask for, and whom the server refuses.
#include "serve/page_request.h"

#include "serve/token.h"

#include <gtest/gtest.h>

namespace kymo::serve {
namespace {

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

std::variant<PageRequest, net::HttpReply> parse(const std::string& target, std::string_view host = "127.0.0.1:8000") {
    return parse_page_request({.target = target, .host = host}, kToken);
}

std::string target(std::string_view query = "") {
    return "/" + std::string(kToken) + "/" + std::string(query);
}

TEST(ServePageRequest, WithoutAQueryItIsTheWholeRunAsLastRead) {
    const auto parsed = parse(target());
    ASSERT_TRUE(std::holds_alternative<PageRequest>(parsed));
    EXPECT_EQ(std::get<PageRequest>(parsed).range, std::nullopt);
    EXPECT_EQ(std::get<PageRequest>(parsed).look, 0U);
}

TEST(ServePageRequest, RangeAndReading) {
    const auto parsed = parse(target("?look=2&range=1.25..1.5&other=x"), "localhost:9");
    ASSERT_TRUE(std::holds_alternative<PageRequest>(parsed));
    EXPECT_EQ(std::get<PageRequest>(parsed).range, (TimeRange{1'250'000'000, 1'500'000'000}));
    EXPECT_EQ(std::get<PageRequest>(parsed).look, 2U);
}

TEST(ServePageRequest, RefusesWhatIsNotItsOwn) {
    for (const auto& [asked, host, status] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"/", "127.0.0.1", "404"},
             {"/" + std::string(kToken), "127.0.0.1", "404"},
             {"/0123456789abcdef0123456789abcdee/", "127.0.0.1", "404"},
             {target("../"), "127.0.0.1", "404"},
             {target(), "", "403"},
             {target(), "example.org", "403"},
             {target(), "127.0.0.1.example.org", "403"},
             {target(), "localhost.example.org:80", "403"},
             {target("?range=2..1"), "127.0.0.1", "400"},
             {target("?range="), "127.0.0.1", "400"},
             {target("?range=nan..inf"), "127.0.0.1", "400"},
             {target("?look=-1"), "127.0.0.1", "400"},
             {target("?look=99999999999"), "127.0.0.1", "400"}}) {
        const auto parsed = parse(asked, host);
        ASSERT_TRUE(std::holds_alternative<net::HttpReply>(parsed)) << asked;
        EXPECT_EQ(std::get<net::HttpReply>(parsed).status.substr(0, 3), status) << asked << " of " << host;
    }
}

TEST(ServeToken, IsAnotherEachTime) {
    const auto one = make_token();
    const auto other = make_token();
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->size(), 32U);
    EXPECT_EQ(one->find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_FALSE(is_same_token(*one, *other));
    EXPECT_TRUE(is_same_token(*one, std::string(*one)));
    EXPECT_FALSE(is_same_token(*one, one->substr(1)));
}

}  // namespace
}  // namespace kymo::serve
