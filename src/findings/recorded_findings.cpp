#include "findings/recorded_findings.h"

#include "program/demangle.h"
#include "recording/tables/gpu.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

namespace rec = recording;

Finding finding_of(const rec::GpuFinding& row) {
    Finding finding;
    finding.kind = row.kind;
    finding.title = row.title;
    finding.seconds = row.seconds;
    finding.share = row.share;
    finding.share_low = row.share;
    finding.confidence = 1;  // of the model: its account is exact
    finding.direction = row.direction;
    if (!row.event.empty()) {
        finding.evidence.push_back(
            {.event = std::string(row.event), .bad = row.bad, .good = row.good, .ratio = row.bad / row.good});
    }
    finding.place.line_begin = static_cast<std::uint32_t>(row.line);
    finding.place.line_end = finding.place.line_begin;
    finding.place.ranges = {{row.offset_begin, row.offset_end}};
    return finding;
}

void put_in(const std::string& kernel, Finding* finding) {
    finding->place.function = program::demangle(kernel.c_str());
    finding->place.module = kernel;
    const spacetime::ByteRange& range = finding->place.ranges[0];
    finding->title = fmt::format("In `{}` ({}) {}.", program::plain_name(finding->place.function),
                                 finding->place.line_begin != 0
                                     ? fmt::format("line {}", finding->place.line_begin)
                                     : fmt::format("instructions 0x{:x} to 0x{:x}", range.begin, range.end),
                                 finding->title);
}

}  // namespace

void RecordedFindings::read_from(const rec::File& file, rec::Handlers& handlers) {
    is_modelled = file.header().machine == rec::kModelledGpu;
    if (!is_modelled) {
        return;
    }
    handlers.on<rec::GpuFinding>(
        [this](StreamId, const rec::GpuFinding& row) { findings.push_back(finding_of(row)); });
    handlers.on<rec::GpuKernel>([this](StreamId, const rec::GpuKernel& row) { kernel = row.name; });
}

// The table of findings precedes the kernel that they are about.
void RecordedFindings::end(const rec::ScanReport& /*report*/) {
    for (Finding& finding : findings) {
        put_in(kernel, &finding);
    }
}

Judgement judge_recording(const std::vector<RecordedFindings>& files, const spacetime::Evidence& evidence,
                          const JudgeOptions& options) {
    Judgement judgement;
    bool is_modelled = false;
    for (const RecordedFindings& file : files) {
        is_modelled = is_modelled || file.is_modelled;
        judgement.findings.insert(judgement.findings.end(), file.findings.begin(), file.findings.end());
    }
    if (!is_modelled && !evidence.run.is_damaged) {
        return judge(evidence, options);
    }
    // Code that seems slow or idle in a damaged recording may only be where the lost parts were.
    judgement.is_withheld = !is_modelled;
    std::stable_sort(judgement.findings.begin(), judgement.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.share > b.share; });
    return judgement;
}

}  // namespace kymo::findings
