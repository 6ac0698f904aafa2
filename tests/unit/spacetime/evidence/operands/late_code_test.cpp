#include "spacetime/evidence/operands/late_code.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

Profile one_image() {
    Profile profile;
    profile.images.push_back({.path = "/nonexistent/app", .build_id = "id", .machine = 62, .content = 0});
    return profile;
}

TEST(LateAddresses, AreThoseOfWhichHalfTheCyclesAreExcess) {
    const Profile profile = one_image();
    // 0x10–0x20: 60 of 100; 0x20–0x30: none of 100, so that 0x20 has 60 of 200; 0x40–0x50: exactly a half.
    const LateCode code{{profile.images[0], {{0x20, 0x30, 100, 0}, {0x10, 0x20, 100, 60}, {0x40, 0x50, 100, 50}}}};
    const std::vector<std::pair<std::uint32_t, std::uint64_t>> places = {
        {0, 0x0f}, {0, 0x10}, {0, 0x1f}, {0, 0x20}, {0, 0x30}, {0, 0x31}, {0, 0x40}, {0, 0x50}, {0, 0x51}};
    constexpr TaxFamily kNo = TaxFamily::kNone;
    constexpr TaxFamily kLate = TaxFamily::kBranches;
    EXPECT_EQ(late_addresses(profile, places, code),
              (std::vector<TaxFamily>{kNo, kLate, kLate, kNo, kNo, kNo, kLate, kLate, kNo}));
}

TEST(LateAddresses, AreOfTheSameImageAlone) {
    const Profile profile = one_image();
    ImageInfo other = profile.images[0];
    other.build_id = "another";
    const std::vector<std::pair<std::uint32_t, std::uint64_t>> places = {{0, 0x10}};
    EXPECT_EQ(late_addresses(profile, places, {{other, {{0x10, 0x20, 100, 60}}}}),
              std::vector<TaxFamily>{TaxFamily::kNone});
    EXPECT_TRUE(late_addresses(profile, places, {}).empty());
}

}  // namespace
}  // namespace kymo::spacetime
