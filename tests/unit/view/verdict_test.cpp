// A run in one sentence, and what makes its report doubtful.
#include "view/verdict.h"

#include "view/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

findings::Finding finding(const char* kind, double share) {
    findings::Finding made;
    made.kind = kind;
    made.share = share;
    return made;
}

TEST(Verdict, IsTheFirstFindingAboutTheProgram) {
    findings::Judgement judgement;
    EXPECT_EQ(verdict(judgement, {}), "Nothing stands out");
    judgement.findings = {finding("outside-interference", 0.5)};
    EXPECT_EQ(verdict(judgement, {}), "Nothing stands out in the program itself");
    judgement.findings.push_back(finding("load-imbalance", 0.1));
    judgement.findings[1].place.function = "solve";
    EXPECT_EQ(verdict(judgement, {}), "load-imbalance takes 10.0 % of the run, in `solve`");
    judgement.findings[1].is_cost_known = false;
    EXPECT_EQ(verdict(judgement, {}), "load-imbalance, at a cost that is not known, in `solve`");
    judgement.is_withheld = true;
    EXPECT_THAT(verdict(judgement, {}), StartsWith("No verdict"));
}

TEST(Alarms, AreRaisedByPathsSamplesAndTheMachine) {
    spacetime::Profile profile;
    profile.quality.samples = 1'000;
    auto& paths = profile.quality.paths;
    paths[static_cast<std::size_t>(recording::PathEnd::kComplete)] = 991;
    paths[static_cast<std::size_t>(recording::PathEnd::kNoRule)] = 9;
    profile.quality.lost = 10;
    findings::Judgement judgement;
    EXPECT_THAT(alarms(profile, judgement), IsEmpty());  // 0.9 % each

    paths[static_cast<std::size_t>(recording::PathEnd::kComplete)] = 980;
    paths[static_cast<std::size_t>(recording::PathEnd::kNoRule)] = 20;
    profile.quality.lost = 250;
    judgement.findings = {finding("load-imbalance", 0.6), finding("outside-interference", 0.4)};
    EXPECT_THAT(alarms(profile, judgement), ElementsAre(StartsWith("Call paths incomplete: of 2.0 % of the samples"),
                                                        StartsWith("Samples lost: 20.0 % (250 samples)"),
                                                        HasSubstr("for 40.0 % of the run (finding 2)")));
}

}  // namespace
}  // namespace kymo::view
