#include "view/page/blob.h"

#include "unpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace kymo::view {
namespace {

using testing::unpack;

TEST(Blob, GivesBackWhatWasPutIn) {
    Blob blob;
    blob.json["name"] = "demo";
    const std::vector<std::uint64_t> large = {0, 127, 128, 16384, std::numeric_limits<std::uint64_t>::max()};
    const std::vector<std::uint64_t> falling = {1000, 10, 5'000'000'000, 0};
    const std::vector<std::int64_t> mixed = {0, -1, 1, std::numeric_limits<std::int64_t>::min()};
    blob.varints("large", large);
    blob.bytes("raw", std::string("a\0b", 3));
    blob.deltas("falling", falling);
    blob.signed_varints("mixed", mixed);
    const auto back = unpack(blob.deflated());
    EXPECT_EQ(back.json["name"], "demo");
    EXPECT_THAT(back.numbers("large"), ::testing::ElementsAre(0, 127, 128, 16384, -1));
    EXPECT_EQ(back.bytes("raw"), std::string("a\0b", 3));
    EXPECT_THAT(back.numbers("falling"), ::testing::ElementsAre(1000, 10, 5'000'000'000, 0));
    EXPECT_EQ(back.numbers("mixed"), mixed);
}

TEST(Blob, TextThatIsNotUtf8IsReplacedNotRefused) {
    Blob blob;
    blob.json["name"] = "a\xff\xfe<script>";
    EXPECT_EQ(unpack(blob.deflated()).json["name"], "a\xEF\xBF\xBD\xEF\xBF\xBD<script>");
}

// RFC 4648, section 10.
TEST(Base64, OfKnownTexts) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xef"), "/+8=");
}

}  // namespace
}  // namespace kymo::view
