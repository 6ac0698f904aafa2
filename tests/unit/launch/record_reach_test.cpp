#include "launch/record_reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr RecordReach kInherited = RecordReach::kInherited;
constexpr RecordReach kWholeMachine = RecordReach::kWholeMachine;
constexpr RecordReach kOwn = RecordReach::kOwn;

TEST(RecordReach, ByTheNumberOfProcessors) {
    EXPECT_THAT(record_reaches(1, false, ""), ElementsAre(kInherited));
    EXPECT_THAT(record_reaches(16, false, ""), ElementsAre(kInherited));
    EXPECT_THAT(record_reaches(17, false, ""), ElementsAre(kWholeMachine, kOwn));
    EXPECT_THAT(record_reaches(500, false, ""), ElementsAre(kWholeMachine, kOwn));
}

TEST(RecordReach, RanksDoNotAllReadTheWholeMachine) {
    EXPECT_THAT(record_reaches(16, true, ""), ElementsAre(kInherited));
    EXPECT_THAT(record_reaches(17, true, ""), ElementsAre(kOwn));
    EXPECT_THAT(why_not_inherited(65, true, "").remedy, testing::Not(HasSubstr("root")));
}

TEST(RecordReach, MayBeSettled) {
    EXPECT_THAT(record_reaches(2, false, "machine"), ElementsAre(kWholeMachine));
    EXPECT_THAT(record_reaches(500, true, "inherited"), ElementsAre(kInherited));
    EXPECT_THAT(record_reaches(2, false, "own"), ElementsAre(kOwn));
    EXPECT_THAT(why_not_inherited(2, false, "own").why, HasSubstr("KYMO_KERNEL_RECORDS"));
    EXPECT_THAT(record_reaches(2, false, "none"), IsEmpty());
    EXPECT_THAT(record_reaches(2, false, "nonsense"), ElementsAre(kInherited));
    EXPECT_THAT(why_not_inherited(2, false, "none").why, HasSubstr("KYMO_KERNEL_RECORDS"));
}

TEST(RecordReach, TellsThePrice) {
    const events::Refusal refusal = why_not_inherited(128, false, "");
    EXPECT_THAT(refusal.why, HasSubstr("128 processors"));
    EXPECT_THAT(refusal.why, HasSubstr("640 µs"));
    EXPECT_THAT(refusal.remedy, HasSubstr("KYMO_KERNEL_RECORDS=inherited"));
}

}  // namespace
}  // namespace kymo::launch
