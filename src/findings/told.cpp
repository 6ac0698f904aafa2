#include "findings/told.h"

#include "program/demangle.h"
#include "recording/tables/gpu.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

namespace rec = recording;

Finding told(const rec::GpuFinding& row) {
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

// The table of findings precedes the kernel that they are about.
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

Result<Judgement> judge_recording(const rec::Recording& recording, const spacetime::Evidence& evidence,
                                  const JudgeOptions& options) {
    Judgement judgement;
    bool is_modelled = false;
    for (const rec::File& file : recording.files()) {
        if (file.header().machine != rec::kModelledGpu) {
            continue;
        }
        is_modelled = true;
        const std::size_t first = judgement.findings.size();
        std::string kernel;
        const auto report =
            file.scan(rec::on<rec::GpuFinding>(
                          [&](StreamId, const rec::GpuFinding& row) { judgement.findings.push_back(told(row)); }),
                      rec::on<rec::GpuKernel>([&](StreamId, const rec::GpuKernel& row) { kernel = row.name; }));
        if (!report) {
            return report.error();
        }
        for (std::size_t i = first; i < judgement.findings.size(); ++i) {
            put_in(kernel, &judgement.findings[i]);
        }
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
