#include "base/descriptor.h"
#include "import/import.h"
#include "import/recorded_names.h"
#include "import/recording_builder.h"
#include "import/recording_folder.h"
#include "launch/record_outcome.h"
#include "launch/run_log.h"

#include <algorithm>
#include <utility>

namespace kymo::import {
namespace {

namespace rec = recording;

// The records of a file, until the caller has enough.
class Importer : public RecordingBuilder {
  public:
    Importer(const rec::Folder& folder, const BuilderOptions& options, launch::RunLog& log, RecordedNames& names,
             bool (*is_cancelled)())
        : RecordingBuilder(folder, options, log), names_(names), is_cancelled_(is_cancelled) {}

    Result<void> begin(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) override {
        names_.set_host(facts.hostname);
        return RecordingBuilder::begin(facts, attributes);
    }

    bool is_cancelled() const { return is_cancelled_ != nullptr && is_cancelled_(); }
    bool enough() const override { return RecordingBuilder::enough() || is_cancelled(); }

  private:
    RecordedNames& names_;
    bool (*is_cancelled_)();
};

void write_run(const RecordingBuilder& builder, const perf::FileFacts& facts, const std::string& producer,
               launch::RunLog* log) {
    std::string command;
    for (const std::string& argument : facts.command_line) {
        command += argument;
        command += '\0';
    }
    const std::string kernel = facts.os_release.empty() ? "" : "Linux " + facts.os_release + " " + facts.arch;
    rec::Run run;
    run.time = std::min(builder.first_time(), builder.last_time());
    run.command = command;
    run.host = facts.hostname;
    run.kernel = kernel;
    run.producer = producer;
    run.processors = facts.processors_online;
    log->write_others([&](rec::StreamWriter& stream) { stream.append(run); });
    const EventPlan& plan = builder.plan();
    if (const auto missing = missing_time(plan)) {
        log->write_missing(*missing);
    }
    if (plan.kind != Pace::kUnknown && !plan.sees_kernel) {
        log->write_missing({"time in the kernel",
                            "samples were taken in user mode alone; it counts as time off the processor",
                            "perf record without :u, which may need kernel.perf_event_paranoid=1"});
    }
}

ImportReport report_of(const Importer& importer, const perf::FileFacts& facts) {
    const BuilderCounts& counts = importer.counts();
    ImportReport report;
    report.samples = counts.samples;
    report.processes = counts.processes;
    report.threads = counts.threads;
    report.idle = counts.idle;
    report.lost = counts.lost;
    report.other_registers = counts.other_registers;
    report.cancelled = importer.is_cancelled();
    report.missing.assign(importer.images().missing().begin(), importer.images().missing().end());
    report.notices = facts.notices;
    if (counts.left_out != 0) {
        report.notices.push_back(std::to_string(counts.left_out) + " samples are left out: of more than " +
                                 std::to_string(kMostFiles) + " processes");
    }
    return report;
}

}  // namespace

Result<ImportReport> import_perf_data(const std::filesystem::path& file, const std::filesystem::path& folder,
                                      const ImportOptions& options) {
    const auto opened = rec::Folder::open_own(folder);
    if (!opened) {
        return opened.error();
    }
    allow_many_descriptors();  // every process that lives has one of its file
    launch::RunLog log;
    if (auto created = log.create(*opened); !created) {
        return created.error();
    }
    RecordedNames names(file, options.symfs);
    BuilderOptions builder{.symfs = options.symfs, .producer = options.producer};
    builder.generated_names.open = [&names](std::uint32_t pid) { return names.open(pid); };
    Importer importer(*opened, builder, log, names, options.is_cancelled);
    const auto facts = perf::read_perf_data(file, importer, options.progress);
    if (!facts) {
        return facts.error();
    }
    const auto written = importer.finish(importer.last_time());
    write_run(importer, *facts, options.producer, &log);
    const auto nameless = missing_generated_names(importer.counts(), names.why());
    if (nameless) {
        log.write_missing(*nameless);
    }
    rec::RunEnd end;
    end.time = importer.last_time();
    end.reason = static_cast<std::uint64_t>(launch::EndReason::kImported);
    log.write_end(end);
    log.close();
    if (!written) {
        return written.error();
    }
    ImportReport report = report_of(importer, *facts);
    if (nameless) {
        report.notices.push_back("the names of just-in-time compiled code are not known: " + nameless->why + "; " +
                                 nameless->remedy +
                                 (options.symfs.empty() ? "; --symfs / takes the map in any case" : ""));
    }
    copy_images(importer.images().elsewhere(), *opened, &report.notices);
    pack_files(*opened, importer.files(), &report.notices);
    return report;
}

}  // namespace kymo::import
