#include "base/result.h"

#include <gtest/gtest.h>
#include <memory>

namespace kymo {
namespace {

Result<int> half(int value) {
    if (value % 2 != 0) {
        return Error{ErrorKind::kUsage, "odd", "give an even number"};
    }
    return value / 2;
}

TEST(Result, CarriesTheValueOrTheError) {
    EXPECT_TRUE(half(4).ok());
    EXPECT_EQ(*half(4), 2);
    const Result<int> odd = half(3);
    EXPECT_FALSE(odd);
    EXPECT_EQ(odd.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(odd.error().next, "give an even number");
}

TEST(Result, AskingAnErrorForItsValueThrows) {
    EXPECT_THROW((void)half(3).value(), std::bad_variant_access);
    const Result<void> good;
    EXPECT_TRUE(good.ok());
    EXPECT_THROW((void)good.error(), std::bad_optional_access);
}

TEST(Result, MovesWhatCannotBeCopied) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
    const std::unique_ptr<int> taken = std::move(result).value();
    EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace kymo
