// What is wrong and what is good, as data: the report shows it before its tables.
#include "view/findings.h"

#include "view/sections/section.h"
#include "view/verdict.h"

namespace kymo::view {

extern const Section kFindingsSection{
    .place = 10,
    .json =
        [](const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
            report["alarms"] = alarms(analysis.profile, analysis.judgement);
            report["verdict"] = verdict(analysis.judgement, analysis.evidence.account);
            report["findings"] = json_findings(analysis.evidence, analysis.judgement.findings);
            report["advantages"] = json_findings(analysis.evidence, analysis.judgement.advantages);
            report["findings_control"] = json_control(analysis.judgement.control);
        },
};

}  // namespace kymo::view
