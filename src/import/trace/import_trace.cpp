#include "import/trace/import_trace.h"

#include "base/native.h"
#include "import/event_plan.h"
#include "import/named/chrome_trace.h"
#include "import/named/perfetto_trace.h"
#include "import/named_modules.h"
#include "import/process_log.h"
#include "import/recording_folder.h"
#include "import/trace/trace_events.h"
#include "launch/record_outcome.h"
#include "launch/run_log.h"
#include "recording/folder.h"
#include "recording/tables/flows.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace kymo::import {
namespace {

namespace rec = recording;

constexpr std::string_view kNoCategory = "trace";  // module of slices without one
constexpr std::size_t kMostMarkBytes = 255;
constexpr std::uint64_t kEarliest = 1'000'000'000;  // 0 is no time; traces may begin there

// A change of a thread's call path.
struct Change {
    std::uint64_t time = 0;
    std::uint64_t on = 0;
    std::uint32_t path = 0;
    bool after_gap = false;
    bool ends_slice = false;
    std::uint8_t sample_event = 0;
    std::uint64_t samples = 0;  // that it counts of that event
};

// When in a stretch of time a thread had a processor. Stretches come in the order of time.
class RunTime {
  public:
    RunTime(std::span<const TraceRun> runs, std::span<const named::TraceSwitch> all) : runs_(runs), all_(all) {}

    bool knows(std::uint64_t begin, std::uint64_t end) const {
        return !runs_.empty() && begin >= all_.front().time && end <= all_.back().time;
    }
    // Calls each(begin, end, whether it had one) for the parts of a stretch.
    template <typename Each>
    void part(std::uint64_t begin, std::uint64_t end, const Each& each) {
        while (next_ < runs_.size() && runs_[next_].end <= begin) {
            ++next_;
        }
        for (std::size_t i = next_; i < runs_.size() && runs_[i].begin < end; ++i) {
            if (runs_[i].begin > begin) {
                each(begin, runs_[i].begin, false);
                begin = runs_[i].begin;
            }
            const std::uint64_t until = std::min(end, runs_[i].end);
            each(begin, until, true);
            begin = until;
        }
        if (begin < end) {
            each(begin, end, false);
        }
    }

  private:
    std::span<const TraceRun> runs_;
    std::span<const named::TraceSwitch> all_;
    std::size_t next_ = 0;
};

// Where samples say that a thread was, in a stretch of time. Stretches come in the order of time.
class SampleTime {
  public:
    explicit SampleTime(std::span<const TraceSampleAt> samples) : samples_(samples) {}

    // Calls each(begin, end, sample that says where or null, whether it was taken at the end) for the parts of a
    // stretch: once at least. A sample of the stretch's very end belongs to it.
    template <typename Each>
    void part(std::uint64_t begin, std::uint64_t end, const Each& each) {
        const std::uint64_t from = begin;
        bool is_told = false;
        const auto tell = [&](std::uint64_t until, const TraceSampleAt* sample, bool is_taken) {
            if (until > begin || is_taken) {
                each(begin, until, sample, is_taken);
                is_told = true;
            }
            begin = until;
        };
        for (; next_ < samples_.size() && samples_[next_].time <= end; ++next_) {
            const TraceSampleAt& sample = samples_[next_];
            tell(std::clamp(sample.since, begin, end), nullptr, false);
            tell(std::max(begin, sample.time), &sample, true);
        }
        if (next_ < samples_.size() && samples_[next_].since < end) {
            tell(std::clamp(samples_[next_].since, begin, end), nullptr, false);
            tell(end, &samples_[next_], false);
        } else {
            tell(end, nullptr, false);
        }
        if (!is_told) {
            each(from, end, nullptr, false);
        }
    }

    bool has_more() const { return next_ < samples_.size(); }

  private:
    std::span<const TraceSampleAt> samples_;
    std::size_t next_ = 0;
};

class TraceWriter {
  public:
    TraceWriter(const rec::Folder& folder, const ImportOptions& options, TraceEvents& events)
        : folder_(folder),
          options_(options),
          events_(events),
          shift_(kEarliest - std::min(kEarliest, events.first_time())) {}

    Result<ImportReport> write(const named::TraceFacts& facts) {
        events_.settle();
        make_plan();
        lay_out();
        if (paths_.is_full()) {
            return Error{ErrorKind::kNoSpace, "the trace has more different call paths than can be held at once",
                         "import a part of it"};
        }
        if (auto images = paths_.write(folder_); !images) {
            return images.error();
        }
        if (auto created = log_.create(folder_); !created) {
            return created.error();
        }
        if (auto written = write_processes(); !written) {
            return written.error();
        }
        write_run();
        report_.cancelled = events_.is_cancelled();
        report_.notices = facts.notices;
        add_notices();
        pack_files(folder_, files_, &report_.notices);
        return std::move(report_);
    }

  private:
    void make_plan() {
        plan_.kind = Pace::kGiven;
        plan_.events.push_back({.name = "slices", .unit = ""});
        has_clock_ = events_.has_clocks() || !events_.switches().empty();
        if (has_clock_) {
            plan_.clock = plan_.events.size();
            plan_.events.push_back({.name = "task-clock", .unit = "ns"});
        }
        first_sample_event_ = plan_.events.size();
        for (const std::string& name : events_.sample_events()) {
            // Names of the recording's own figures.
            static constexpr std::string_view kTaken[] = {"slices", "task-clock", "system-time", "samples",
                                                          "user",   "system",     "off-cpu",     "wall"};
            const bool is_taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
            plan_.events.push_back({.name = is_taken ? "samples of " + name : name, .unit = ""});
        }
    }

    // Into changes_, since the names of all call paths must be known before the first is written.
    void lay_out() {
        for (auto& [key, thread] : events_.threads()) {
            std::vector<Change>& changes = changes_.emplace_back();
            RunTime runs(thread.runs, events_.switches());
            std::uint64_t begin = thread.marks.empty() ? ~std::uint64_t{0} : thread.marks.front().time;
            std::uint64_t end = thread.marks.empty() ? 0 : thread.marks.back().time;
            if (!thread.runs.empty()) {
                begin = std::min(begin, thread.runs.front().begin);
            }
            if (!thread.samples.empty()) {
                begin = std::min(begin, thread.samples.front().since);
            }
            std::uint64_t laid_until = begin;
            SampleTime samples(thread.samples);
            // A change at each switch, too: the place where it lost its processor is then known.
            const auto by_runs = [&](Stretch stretch, const TraceSampleAt* sample) {
                const bool ends_slice = stretch.ends_slice;
                const std::uint64_t stretch_end = stretch.end;
                if (stretch.is_on_known || stretch.end <= stretch.begin || !runs.knows(stretch.begin, stretch.end)) {
                    changes.push_back(change_of(stretch, sample));
                    return;
                }
                runs.part(stretch.begin, stretch.end, [&](std::uint64_t from, std::uint64_t to, bool is_on) {
                    stretch.begin = from;
                    stretch.end = to;
                    stretch.on = is_on ? to - from : 0;
                    stretch.is_on_known = true;
                    stretch.ends_slice = ends_slice && to == stretch_end;
                    changes.push_back(change_of(stretch, sample));
                });
            };
            const auto add = [&](const Stretch& stretch) {
                begin = std::min(begin, stretch.begin);
                end = std::max(end, stretch.end);
                laid_until = stretch.end;
                bool has_ended = false;
                samples.part(stretch.begin, stretch.end,
                             [&](std::uint64_t from, std::uint64_t to, const TraceSampleAt* sample, bool is_taken) {
                                 has_ended = to == stretch.end && sample == nullptr;
                                 Stretch part = part_of(stretch, from, to);
                                 part.ends_slice = has_ended && stretch.ends_slice;
                                 by_runs(part, sample);
                                 if (is_taken) {
                                     count_sample(changes.back(), *sample);
                                 }
                             });
                if (stretch.ends_slice && !has_ended) {
                    Stretch none = part_of(stretch, stretch.end, stretch.end);
                    none.ends_slice = true;
                    by_runs(none, nullptr);
                }
            };
            bool is_first = true;
            const ThreadSlices::Counts counts = thread.slices.lay_out([&](const Stretch& stretch) {
                if (std::exchange(is_first, false) && begin < stretch.begin) {
                    add({.begin = begin, .end = stretch.begin, .path = {}});
                }
                add(stretch);
            });
            // What it did behind its last slice, or without any.
            if (!thread.runs.empty() && thread.runs.back().end > laid_until) {
                add({.begin = laid_until, .end = thread.runs.back().end, .path = {}});
            }
            if (!thread.marks.empty() && thread.marks.back().time > laid_until) {
                add({.begin = laid_until, .end = thread.marks.back().time, .path = {}});
            }
            if (samples.has_more()) {
                add({.begin = laid_until, .end = std::max(laid_until, thread.samples.back().time), .path = {}});
            }
            begins_.push_back(begin + shift_);
            begin_ = std::min(begin_, begin + shift_);
            end_ = std::max(end_, std::max(begin, end) + shift_);
            report_.samples += changes.size();
            add_counts(counts);
        }
    }

    // Of the processor time of a stretch its parts have shares by their length.
    static Stretch part_of(const Stretch& stretch, std::uint64_t from, std::uint64_t to) {
        Stretch part = stretch;
        part.begin = from;
        part.end = to;
        part.ends_slice = false;
        const std::uint64_t length = stretch.end - stretch.begin;
        const auto on_until = [&](std::uint64_t time) {
            return length == 0 ? 0
                               : static_cast<std::uint64_t>(static_cast<unsigned __int128>(stretch.on) *
                                                            (time - stretch.begin) / length);
        };
        part.on = on_until(to) - on_until(from);
        return part;
    }

    // `sample`: the one that says where in the slices the thread was; none: nothing does.
    Change change_of(const Stretch& stretch, const TraceSampleAt* sample) {
        Change change;
        change.time = stretch.end + shift_;
        change.path = path_of(stretch.path, sample);
        change.ends_slice = stretch.ends_slice;
        const bool is_anywhere = !stretch.path.empty() || sample != nullptr;
        change.on = stretch.is_on_known ? stretch.on : is_anywhere ? stretch.end - stretch.begin : 0;
        change.after_gap = !is_anywhere && !stretch.is_on_known;
        has_gaps_ = has_gaps_ || (change.after_gap && stretch.end > stretch.begin);
        has_unknown_ = has_unknown_ || (is_anywhere && !stretch.is_on_known && stretch.end > stretch.begin);
        return change;
    }

    static void count_sample(Change& change, const TraceSampleAt& sample) {
        change.samples = sample.weight;
        change.sample_event = sample.event;
    }

    void add_counts(const ThreadSlices::Counts& counts) {
        counts_.unbegun += counts.unbegun;
        counts_.unended += counts.unended;
        counts_.cut += counts.cut;
        counts_.too_deep += counts.too_deep;
    }

    std::uint32_t path_of(std::span<const std::uint32_t> names, const TraceSampleAt* sample) {
        frames_.clear();
        texts_.clear();
        stack_.clear();
        if (sample != nullptr && (names.empty() || !sample->is_outside_slices)) {
            events_.append_stack(*sample, stack_);
        }
        for (const std::uint32_t number : stack_) {
            const TraceName& name = events_.name(number);
            named::Frame frame;
            frame.module = name.category.empty() ? kNoCategory : std::string_view(name.category);
            frame.function = name.name.empty() ? std::string_view("[without a name]") : std::string_view(name.name);
            frames_.push_back(frame);
        }
        for (std::size_t i = names.size(); i > 0; --i) {
            const TraceName& name = events_.name(names[i - 1]);
            named::Frame frame;
            frame.module = name.category.empty() ? kNoCategory : std::string_view(name.category);
            if (!name.detail.empty()) {
                frame.function = texts_.emplace_back(name.name + ": " + name.detail);
                frames_.push_back(frame);
            }
            frame.function = name.name.empty() ? std::string_view("[without a name]") : std::string_view(name.name);
            frames_.push_back(frame);
        }
        return paths_.enter(frames_);
    }

    Result<void> write_processes() {
        std::unique_ptr<ProcessLog> log;
        std::uint32_t pid = 0;
        std::size_t number = 0;
        for (const auto& [key, thread] : events_.threads()) {
            const std::vector<Change>& changes = changes_[number];
            const std::uint64_t begin = begins_[number++];
            if (log == nullptr || pid != key.first) {
                if (auto closed = close(log); !closed) {
                    return closed;
                }
                pid = key.first;
                auto made = begin_process(pid);
                if (!made) {
                    return made.error();
                }
                log = std::move(*made);
            }
            write_thread(*log, key.second, thread, changes, begin);
        }
        return close(log);
    }

    Result<void> close(std::unique_ptr<ProcessLog>& log) {
        if (log == nullptr) {
            return {};
        }
        report_.threads += log->threads();
        if (!log->close(end_, 0)) {
            return Error{ErrorKind::kNoSpace,
                         (folder_.path() / log->file()).string() + ": there is no space left for its rows",
                         "free some space, or use -o with a directory on another disk"};
        }
        log.reset();
        return {};
    }

    Result<std::unique_ptr<ProcessLog>> begin_process(std::uint32_t pid) {
        ProcessStart start;
        start.time = begin_;
        start.pid = pid;
        const std::string name = events_.process_name_of(pid);
        start.name = name.empty() ? fmt::format("process {}", pid) : name;
        start.executable = start.name;
        start.machine = processor::kMachine;
        start.mechanism = rec::Mechanism::kImported;
        command_ = command_.empty() ? name : command_;
        files_.push_back(fmt::format("process-{}-0.krec", pid));
        auto log = ProcessLog::create(folder_, files_.back(), start, plan_, options_.producer);
        if (log) {
            ++report_.processes;
            for (rec::Image row : paths_.rows()) {
                row.time = begin_;
                (*log)->write(row);
            }
        }
        return log;
    }

    void write_thread(ProcessLog& log, std::uint32_t tid, const TraceThread& thread,
                      const std::vector<Change>& changes, std::uint64_t begin) {
        log.begin_thread(tid, begin, thread.name);
        std::uint64_t last = begin;
        auto mark = thread.marks.begin();
        const auto write_marks = [&](std::uint64_t until) {
            for (; mark != thread.marks.end() && mark->time + shift_ <= until; ++mark) {
                rec::Mark row;
                row.time = mark->time + shift_;
                row.kind = mark->kind;
                const TraceName& name = events_.name(mark->name);
                const std::string text = name.detail.empty() ? name.name : name.name + ": " + name.detail;
                row.name = std::string_view(text).substr(0, kMostMarkBytes);
                row.value = mark->value;
                last = std::max(last, row.time);
                log.mark(tid, begin, thread.name, row);
            }
        };
        std::vector<std::uint64_t> deltas(plan_.events.size());
        for (const Change& change : changes) {
            write_marks(change.time);
            deltas[kSlices] = change.ends_slice ? 1 : 0;
            std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(first_sample_event_), deltas.end(), 0);
            if (change.samples != 0) {
                deltas[first_sample_event_ + change.sample_event] = change.samples;
            }
            if (has_clock_) {
                deltas[plan_.clock] = change.on;
            }
            SampleIn sample;
            sample.time = change.time;
            sample.path = paths_.frames_of(change.path);
            sample.after_gap = change.after_gap;
            sample.deltas = deltas;
            log.sample(tid, begin, thread.name, sample);
            last = std::max(last, change.time);
        }
        write_marks(end_);
        log.end_thread(tid, last);
    }

    void write_run() {
        std::string command = command_.empty() ? "trace" : command_;
        command += '\0';
        rec::Run run;
        run.time = std::min(begin_, end_);
        run.command = command;
        run.producer = options_.producer;
        log_.write_others([&](rec::StreamWriter& stream) { stream.append(run); });
        constexpr const char* kRemedy = "record the program with kymo record, or perf record -e task-clock";
        if (!has_clock_) {
            log_.write_missing({"the time on a processor",
                                "the trace says how long slices took, and not whether their threads ran meanwhile: "
                                "all of it counts as user time",
                                kRemedy});
        } else if (has_unknown_) {
            log_.write_missing({"the exact time on a processor",
                                "of some slices the trace does not have it: all of their time counts as user time",
                                kRemedy});
        }
        write_switches();
        write_flows();
        if (has_gaps_) {
            log_.write_missing({"what threads did outside of their slices", "the trace does not say", kRemedy});
        }
        rec::RunEnd end;
        end.time = end_;
        end.reason = static_cast<std::uint64_t>(launch::EndReason::kImported);
        log_.write_end(end);
        log_.close();
    }

    // As the kernel would have told them: when threads had no processor, and whether they would have gone on.
    void write_switches() {
        const auto& processes = events_.process_of_thread();
        for (const named::TraceSwitch& row : events_.switches()) {
            launch::KernelRecord record;
            record.time = row.time + shift_;
            record.processor = row.processor;
            const auto write = [&](std::uint32_t tid, launch::KernelChange change, bool is_preempted) {
                if (const auto process = processes.find(tid); tid != 0 && process != processes.end()) {
                    record.pid = process->second;
                    record.tid = tid;
                    record.change = change;
                    record.preempted = is_preempted;
                    log_.take(record);
                }
            };
            write(row.from, launch::KernelChange::kSwitchOut, row.is_preempted);
            write(row.to, launch::KernelChange::kSwitchIn, false);
        }
    }

    void write_flows() {
        if (events_.arrows().empty()) {
            return;
        }
        log_.write_others([&](rec::StreamWriter& stream) {
            rec::write_schema<rec::Flow>(stream);
            for (const TraceArrow& arrow : events_.arrows()) {
                rec::Flow row;
                row.time = arrow.end + shift_;
                row.begin = arrow.begin + shift_;
                row.from_pid = arrow.from.first;
                row.from_tid = arrow.from.second;
                row.to_pid = arrow.to.first;
                row.to_tid = arrow.to.second;
                row.name = std::string_view(events_.name(arrow.name).name).substr(0, kMostMarkBytes);
                stream.append(row);
            }
        });
    }

    void add_notices() {
        const auto note = [&](std::uint64_t count, std::string_view what) {
            if (count != 0) {
                report_.notices.push_back(fmt::format("{} {}", count, what));
            }
        };
        note(counts_.unended, "slices have no end: they last until their thread's last event");
        note(counts_.unbegun, "ends of slices have no beginning, and are left out");
        note(counts_.cut, "slices outlast those that they are in, and are cut to these");
        note(counts_.too_deep, "slices are left out: more than 512 are in one another");
        note(events_.lonely_flows(), "points of flows have no other one, and are left out");
        note(events_.unknown_stacks(), "samples have stacks that the trace does not tell, and are left out");
        note(events_.unpaired(), "beginnings or ends of asynchronous spans have no other end");
    }

    static constexpr std::size_t kSlices = 0;  // of the plan's events

    const rec::Folder& folder_;
    const ImportOptions& options_;
    TraceEvents& events_;
    std::uint64_t shift_;
    EventPlan plan_;
    NamedModules paths_;
    std::vector<named::Frame> frames_;
    std::vector<std::uint32_t> stack_;          // names of a sample's
    std::deque<std::string> texts_;             // that frames_ refer to
    std::vector<std::vector<Change>> changes_;  // by thread
    std::vector<std::uint64_t> begins_;
    std::uint64_t begin_ = ~std::uint64_t{0};
    std::uint64_t end_ = 0;
    std::size_t first_sample_event_ = 0;  // of the plan's
    bool has_clock_ = false;              // of some threads, the time on a processor
    bool has_gaps_ = false;               // time of which nothing is known
    bool has_unknown_ = false;            // slices of which it is not known whether their thread ran
    ThreadSlices::Counts counts_;
    std::string command_;
    launch::RunLog log_;
    std::vector<std::string> files_;
    ImportReport report_;
};

}  // namespace

Result<ImportReport> import_trace(const std::filesystem::path& file, ImportFormat format,
                                  const std::filesystem::path& folder, const ImportOptions& options) {
    const auto opened = rec::Folder::open_own(folder);
    if (!opened) {
        return opened.error();
    }
    auto input = named::Input::open(file);
    if (!input) {
        return input.error();
    }
    TraceEvents events(options);
    const auto facts = format == ImportFormat::kPerfettoTrace
                           ? named::read_perfetto_trace(*input, events, options.progress)
                           : named::read_chrome_trace(*input, events, options.progress);
    if (!facts) {
        return facts.error();
    }
    if (events.is_full()) {
        return Error{ErrorKind::kNoSpace, input->name() + " has more events than can be held at once",
                     "import a trace of a shorter time"};
    }
    return TraceWriter(*opened, options, events).write(*facts);
}

}  // namespace kymo::import
