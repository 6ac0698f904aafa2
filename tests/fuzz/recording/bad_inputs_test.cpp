// Every file of bad/ is wrong in the way its name says, and what is sound in it is read.

#include "bad_inputs.h"

#include "recording/reader.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::recording {
namespace {

class BadInput : public ::testing::TestWithParam<testing::BadInput> {};

TEST_P(BadInput, IsRefusedOrReported) {
    const testing::BadInput& input = GetParam();
    const auto path = std::filesystem::path(KYMO_BAD_INPUTS) / (input.name + ".krec");
    std::ifstream stored(path, std::ios::binary);
    ASSERT_TRUE(stored) << "make it with recording_bad_inputs " KYMO_BAD_INPUTS;
    const std::string bytes{std::istreambuf_iterator<char>(stored), std::istreambuf_iterator<char>()};
    ASSERT_EQ(bytes, std::string(reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()))
        << "make it anew with recording_bad_inputs " KYMO_BAD_INPUTS;

    const auto file = File::open(path);
    if (!input.opens) {
        ASSERT_FALSE(file);
        EXPECT_THAT(file.error().what, ::testing::HasSubstr(input.says));
        EXPECT_THAT(file.error().what, ::testing::HasSubstr(input.name + ".krec"));
        EXPECT_THAT(file.error().what, ::testing::Not(::testing::HasSubstr("\n")));
        EXPECT_FALSE(file.error().next.empty());
        return;
    }
    ASSERT_TRUE(file) << file.error().what;
    unsigned marks = 0;
    const auto report = file->scan(on<Mark>([&](StreamId, const Mark& mark) {
                                       ++marks;
                                       EXPECT_NE(mark.name, "bad");
                                   }),
                                   on<StreamEnd>([](StreamId, const StreamEnd&) {}));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_FALSE(report->whole());
    ASSERT_FALSE(report->damaged.empty());
    EXPECT_THAT(report->damaged[0].what, ::testing::HasSubstr(input.says));
    EXPECT_EQ(marks, input.rows_left);
}

INSTANTIATE_TEST_SUITE_P(Stored, BadInput, ::testing::ValuesIn(testing::bad_inputs()), [](const auto& info) {
    std::string name = info.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(BadInputs, NothingElseIsStored) {
    const auto files = std::distance(std::filesystem::directory_iterator(KYMO_BAD_INPUTS), {});
    EXPECT_EQ(static_cast<std::size_t>(files), testing::bad_inputs().size());
}

}  // namespace
}  // namespace kymo::recording
