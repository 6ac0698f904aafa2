#include "import/import_named.h"

#include "base/native.h"
#include "import/event_plan.h"
#include "import/named/input.h"
#include "import/named/perf_script.h"
#include "import/named/pprof_file.h"
#include "import/named_modules.h"
#include "import/process_log.h"
#include "import/recording_folder.h"
#include "launch/record_outcome.h"
#include "launch/run_log.h"
#include "recording/folder.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import {
namespace {

namespace rec = recording;

constexpr std::size_t kMostRows = std::size_t{1} << 26U;

// What the event counts, in ns: its unit, or that of events of its name; 0: not time.
double ns_of(const named::Event& event) {
    const std::string_view unit = event.unit;
    const std::string_view name = event.name;
    const bool is_clock = name.starts_with("cpu-clock") || name.starts_with("task-clock");
    if (is_clock) {
        return 1;
    }
    if (name != "cpu" && name != "cpu_time" && name != "cpu-time" && name != "time" && name != "task_clock") {
        return 0;
    }
    return unit == "nanoseconds" || unit == "ns"    ? 1
           : unit == "microseconds" || unit == "us" ? 1e3
           : unit == "milliseconds" || unit == "ms" ? 1e6
           : unit == "seconds" || unit == "s"       ? 1e9
                                                    : 0;
}

// The event as the plan of a perf.data file would have it.
perf::Attribute attribute_of(const named::Event& event, std::size_t number, bool is_clock, bool has_times) {
    perf::Attribute made;
    made.name = event.name.empty() ? "event " + std::to_string(number) : event.name;
    if (!event.unit.empty() && event.unit != "count" && !is_clock) {
        made.name += " (" + event.unit + ")";
    }
    made.type = is_clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_RAW;
    made.config = is_clock ? static_cast<std::uint64_t>(PERF_COUNT_SW_TASK_CLOCK) : number;
    made.sample_type = has_times ? PERF_SAMPLE_TIME : 0;
    return made;
}

struct Row {
    std::uint64_t time = 0;
    std::uint64_t period = 0;
    std::uint32_t path = 0;
    std::uint32_t thread = 0;  // of threads_
    std::uint32_t cpu = 0;
    std::uint16_t event = 0;
    bool in_kernel = false;
};

struct ProfileThread {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::string name;
};

// Keeps all samples, since the events are known at the end alone.
class Profile : public named::Visitor {
  public:
    explicit Profile(const ImportOptions& options) : options_(options) {}

    void sample(const named::Sample& sample) override {
        if (rows_.size() >= kMostRows || paths_.is_full()) {
            is_full_ = true;
            return;
        }
        Row row;
        row.time = sample.time;
        row.period = std::max<std::uint64_t>(sample.period, 1);
        row.path = paths_.enter(sample.frames);
        row.thread = thread_of(sample);
        row.cpu = sample.cpu == named::kNotGiven ? 0 : sample.cpu;
        row.event = static_cast<std::uint16_t>(sample.event);
        row.in_kernel = !sample.frames.empty() && sample.frames.front().is_kernel;
        is_pid_missing_ = is_pid_missing_ || sample.pid == named::kNotGiven;
        rows_.push_back(row);
    }
    bool enough() const override { return is_full_ || is_cancelled(); }

    bool is_cancelled() const { return options_.is_cancelled != nullptr && options_.is_cancelled(); }
    bool is_full() const { return is_full_; }
    bool is_pid_missing() const { return is_pid_missing_; }
    std::vector<Row>& rows() { return rows_; }
    const std::vector<ProfileThread>& threads() const { return threads_; }
    NamedModules& paths() { return paths_; }

  private:
    std::uint32_t thread_of(const named::Sample& sample) {
        // The name tells threads without numbers apart, if there is one.
        const std::uint32_t pid = sample.pid == named::kNotGiven ? 1 : sample.pid;
        const bool has_number = sample.tid != named::kNotGiven;
        const auto [known, is_new] = thread_numbers_.try_emplace(
            std::tuple(pid, has_number ? sample.tid : 0, has_number ? std::string() : std::string(sample.comm)),
            static_cast<std::uint32_t>(threads_.size()));
        if (is_new) {
            threads_.push_back({pid, has_number ? sample.tid : static_cast<std::uint32_t>(threads_.size() + 1), ""});
        }
        if (threads_[known->second].name.empty()) {
            threads_[known->second].name = sample.comm;
        }
        return known->second;
    }

    const ImportOptions& options_;
    NamedModules paths_;
    std::vector<Row> rows_;
    std::vector<ProfileThread> threads_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::uint32_t> thread_numbers_;
    bool is_full_ = false;
    bool is_pid_missing_ = false;
};

// Writes what was kept.
class Writer {
  public:
    Writer(const rec::Folder& folder, const ImportOptions& options, Profile& profile, const named::Facts& facts)
        : folder_(folder), options_(options), profile_(profile), facts_(facts) {}

    Result<ImportReport> write() {
        make_plan();
        lay_out();
        if (auto images = profile_.paths().write(folder_); !images) {
            return images.error();
        }
        if (auto created = log_.create(folder_); !created) {
            return created.error();
        }
        if (auto written = write_processes(); !written) {
            return written.error();
        }
        write_run();
        return report();
    }

  private:
    void make_plan() {
        bool has_times = !profile_.rows().empty();
        for (const Row& row : profile_.rows()) {
            has_times = has_times && row.time != 0;
        }
        std::vector<named::Event> events = facts_.events;
        events.resize(std::max<std::size_t>(events.size(), 1));
        scale_.resize(events.size());
        std::optional<std::size_t> clock;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const double ns = ns_of(events[i]);
            clock = ns != 0 && !clock ? i : clock;
            scale_[i] = clock == i ? ns : 1;
        }
        is_laid_out_ = !has_times && clock.has_value();
        for (std::size_t i = 0; i < events.size(); ++i) {
            attributes_.push_back(attribute_of(events[i], i, clock == i, has_times || is_laid_out_));
        }
        clock_ = clock;
        plan_ = plan_events(attributes_);
    }

    // Of sums: each begins when the one before it ends.
    void lay_out() {
        std::uint64_t now = kBegin;
        for (Row& row : profile_.rows()) {
            row.period = static_cast<std::uint64_t>(static_cast<double>(row.period) * scale_[row.event]);
            if (is_laid_out_) {
                now += row.event == clock_ ? row.period : 0;
                row.time = now;
            } else if (row.time == 0) {
                row.time = kBegin;
            }
        }
        std::stable_sort(profile_.rows().begin(), profile_.rows().end(),
                         [](const Row& a, const Row& b) { return a.time < b.time; });
        for (const Row& row : profile_.rows()) {
            begin_ = std::min(begin_, row.time - std::min(row.time, row.event == clock_ ? row.period : 0));
            end_ = std::max(end_, row.time);
        }
    }

    Result<void> write_processes() {
        std::map<std::uint32_t, std::unique_ptr<ProcessLog>> logs;
        std::vector<std::uint64_t> deltas(attributes_.size());
        for (const Row& row : profile_.rows()) {
            const ProfileThread& thread = profile_.threads()[row.thread];
            std::unique_ptr<ProcessLog>& log = logs[thread.pid];
            if (log == nullptr) {
                auto made = begin_process(thread);
                if (!made) {
                    return made.error();
                }
                log = std::move(*made);
            }
            deltas.assign(attributes_.size(), 0);
            deltas[row.event] = row.period;
            SampleIn sample;
            sample.time = row.time;
            sample.processor = row.cpu;
            sample.attribute = row.event;
            sample.in_kernel = row.in_kernel;
            sample.path = profile_.paths().frames_of(row.path);
            sample.path_end = sample.path.size() > 1 ? rec::PathEnd::kComplete : rec::PathEnd::kNotWalked;
            sample.deltas = deltas;
            log->sample(thread.tid, 0, thread.name, sample);
        }
        for (auto& [pid, log] : logs) {
            report_.threads += log->threads();
            if (!log->close(end_, 0)) {
                return Error{ErrorKind::kNoSpace,
                             (folder_.path() / log->file()).string() + ": there is no space left for its rows",
                             "free some space, or use -o with a directory on another disk"};
            }
        }
        report_.processes = logs.size();
        report_.samples = profile_.rows().size();
        return {};
    }

    Result<std::unique_ptr<ProcessLog>> begin_process(const ProfileThread& thread) {
        ProcessStart start;
        start.time = begin_;
        start.pid = thread.pid;
        start.name = thread.name.empty() ? "profile" : thread.name;
        start.executable = profile_.paths().program(thread.name);
        start.machine = processor::kMachine;
        start.mechanism = rec::Mechanism::kImported;
        files_.push_back("process-" + std::to_string(thread.pid) + "-0.krec");
        auto log = ProcessLog::create(folder_, files_.back(), start, plan_, options_.producer);
        if (log) {
            for (rec::Image row : profile_.paths().rows()) {
                row.time = begin_;
                (*log)->write(row);
            }
        }
        return log;
    }

    void write_run() {
        std::string command = facts_.command_line.empty() ? profile_.paths().program("") : facts_.command_line;
        command += '\0';
        rec::Run run;
        run.time = std::min(begin_, end_);
        run.command = command;
        run.host = facts_.hostname;
        run.kernel = facts_.os_release;
        run.producer = options_.producer;
        log_.write_others([&](rec::StreamWriter& stream) { stream.append(run); });
        if (is_laid_out_) {
            log_.write_missing({"when anything happened",
                                "the profile has sums without times: its call paths follow one another in no order",
                                "record with kymo record or perf record"});
        } else if (const auto missing = missing_time(plan_)) {
            log_.write_missing(*missing);
        }
        rec::RunEnd end;
        end.time = end_;
        end.reason = static_cast<std::uint64_t>(launch::EndReason::kImported);
        log_.write_end(end);
        log_.close();
    }

    ImportReport report() {
        report_.lost = facts_.lost;
        report_.cancelled = profile_.is_cancelled();
        report_.notices = facts_.notices;
        if (profile_.is_pid_missing() && profile_.threads().size() > 1) {
            report_.notices.emplace_back(
                "the profile does not say whose its threads are: all are shown as one process (perf script -F +pid)");
        }
        pack_files(folder_, files_, &report_.notices);
        return std::move(report_);
    }

    static constexpr std::uint64_t kBegin = 1'000'000'000;  // of what has no times

    const rec::Folder& folder_;
    const ImportOptions& options_;
    Profile& profile_;
    const named::Facts& facts_;
    launch::RunLog log_;
    std::vector<perf::Attribute> attributes_;
    std::vector<double> scale_;  // to the unit that is written, by event
    std::optional<std::size_t> clock_;
    bool is_laid_out_ = false;
    EventPlan plan_;
    std::uint64_t begin_ = ~std::uint64_t{0};
    std::uint64_t end_ = 0;
    std::vector<std::string> files_;
    ImportReport report_;
};

}  // namespace

Result<ImportReport> import_named(const std::filesystem::path& file, ImportFormat format,
                                  const std::filesystem::path& folder, const ImportOptions& options) {
    const auto opened = rec::Folder::open_own(folder);
    if (!opened) {
        return opened.error();
    }
    auto input = named::Input::open(file);
    if (!input) {
        return input.error();
    }
    Profile profile(options);
    const auto facts = format == ImportFormat::kPprof ? named::read_pprof(*input, profile, options.progress)
                                                      : named::read_perf_script(*input, profile, options.progress);
    if (!facts) {
        return facts.error();
    }
    if (profile.is_full()) {
        return Error{ErrorKind::kNoSpace, input->name() + " has more samples or call paths than can be held at once",
                     "import a part of it, for example perf script --time 10%-20%"};
    }
    return Writer(*opened, options, profile, *facts).write();
}

}  // namespace kymo::import
