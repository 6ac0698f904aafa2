// Trace events as Chrome's about:tracing reads them, and Perfetto too ("Trace Event Format", 2016): JSON, times in
// microseconds.
#include "findings/finding.h"
#include "view/exports/timeline.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace kymo::view {
namespace {

using namespace spacetime;

// Findings are shown as a process; no process has this number.
constexpr std::uint64_t kFindingsProcess = 0;

std::string microseconds(std::uint64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

class ChromeWriter : public TimelineWriter {
  public:
    ChromeWriter(const ExportRun& run, Output& out) : run_(run), out_(out), ids_(run.threads().size()) {
        // A thread keeps its number after an exec. It gets a row for each program: the rows' slices would not
        // nest, since a file's events need not be in order.
        constexpr std::uint64_t kBeyondNumbers = std::uint64_t{1} << 22U;  // no thread has a number from here on
        std::set<std::pair<std::uint64_t, std::uint64_t>> known;
        for (std::uint32_t thread = 0; thread < ids_.size(); ++thread) {
            const ProfileThread& one = run.threads()[thread];
            const std::uint64_t pid = run.profile.processes[one.process].pid;
            const bool is_first = known.emplace(pid, one.tid).second;
            ids_[thread] = fmt::format("\"pid\":{},\"tid\":{}", pid, is_first ? one.tid : kBeyondNumbers + thread);
        }
    }

    Result<void> write() {
        out_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        names();
        auto done = write_timeline(run_, *this);
        findings();
        out_.write("]}\n");
        return done;
    }

    void open(std::uint32_t thread, std::uint64_t time, CallNodeIndex node, const std::string& name,
              const ThreadWait* wait) override {
        begin("B", thread, time);
        if (node != CallNodeIndex(0)) {
            line_ += rest_of(node, name);
        } else {
            line_ += ",\"name\":" + json_string(name) + ",\"cat\":\"state\"";
            if (wait != nullptr && wait->holder_tid != 0) {
                fmt::format_to(std::back_inserter(line_), ",\"args\":{{\"holder_tid\":{}}}", wait->holder_tid);
            }
            line_ += '}';
        }
        event(line_);
    }

    void close(std::uint32_t thread, std::uint64_t time) override {
        begin("E", thread, time);
        line_ += '}';
        event(line_);
    }

    void wakeup(const Wakeup& one) override {
        ++flows_;
        const auto end = [&](const char* phase, std::uint32_t thread) {
            event(fmt::format("{{\"ph\":{},{},\"ts\":{},\"id\":{},\"name\":\"goes on\",\"cat\":\"wait\"}}", phase,
                              ids_[thread], microseconds(one.time), flows_));
        };
        end("\"s\"", one.by);
        end("\"f\",\"bp\":\"e\"", one.waiter);
    }

    void flow(const TimelineFlow& one) override {
        ++flows_;
        const auto end = [&](const char* phase, std::uint32_t thread, std::uint64_t time) {
            event(fmt::format("{{\"ph\":{},{},\"ts\":{},\"id\":{},\"name\":{},\"cat\":\"flow\"}}", phase,
                              ids_[thread], microseconds(time), flows_,
                              json_string(one.name.empty() ? "flow" : one.name)));
        };
        end("\"s\"", one.from, one.begin);
        end("\"f\",\"bp\":\"e\"", one.to, one.end);
    }

    void mark(const TimelineMark& one) override {
        event(
            fmt::format("{{\"ph\":\"i\",\"s\":\"t\",{},\"ts\":{},\"name\":{},\"cat\":\"mark\",\"args\":{{\"kind\":"
                        "{},\"value\":{}}}}}",
                        ids_[one.thread], microseconds(one.time), json_string(one.title()),
                        static_cast<unsigned>(one.kind), one.value));
    }

    void counted(std::uint32_t thread, std::uint64_t time, std::size_t number, std::uint64_t value) override {
        const std::string name =
            fmt::format("{} of {}", run_.profile.events[number].name, run_.threads()[thread].tid);
        event(fmt::format("{{\"ph\":\"C\",{},\"ts\":{},\"name\":{},\"args\":{{\"so far\":{}}}}}", ids_[thread],
                          microseconds(time), json_string(name), value));
    }

  private:
    void begin(const char* phase, std::uint32_t thread, std::uint64_t time) {
        line_.clear();
        fmt::format_to(std::back_inserter(line_), "{{\"ph\":\"{}\",{},\"ts\":{}.{:03}", phase, ids_[thread],
                       time / 1000, time % 1000);
    }

    // For a slice of this call node, made once.
    const std::string& rest_of(CallNodeIndex node, const std::string& name) {
        rests_.resize(run_.tree.nodes.size());
        std::string& rest = rests_[raw(node)];
        if (rest.empty()) {
            rest = ",\"name\":" + json_string(name) + ",\"cat\":\"code\"";
            if (!run_.file_of(node).empty()) {
                rest += fmt::format(",\"args\":{{\"place\":{}}}",
                                    json_string(fmt::format("{}:{}", run_.file_of(node), run_.line_of(node))));
            }
            rest += '}';
        }
        return rest;
    }

    void event(const std::string& text) {
        out_.write(is_first_ ? "\n" : ",\n");
        out_.write(text);
        is_first_ = false;
    }

    void names() {
        const Profile& profile = run_.profile;
        std::map<std::uint64_t, std::string> programs;  // of a process, one after another
        for (std::uint32_t process = 0; process < profile.processes.size(); ++process) {
            std::string& name = programs[profile.processes[process].pid];
            name += (name.empty() ? "" : ", ") + run_.process_name(process);
        }
        for (const auto& [pid, name] : programs) {
            event(fmt::format("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}", pid,
                              json_string(name)));
        }
        for (std::uint32_t thread = 0; thread < ids_.size(); ++thread) {
            event(
                fmt::format("{{\"ph\":\"M\",{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}", ids_[thread],
                            json_string(fmt::format("{} {}", run_.thread_name(thread), run_.threads()[thread].tid))));
        }
    }

    void findings() {
        const auto& found = run_.judgement.findings;
        if (found.empty()) {
            return;
        }
        event(fmt::format("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"findings\"}}}}",
                          kFindingsProcess));
        for (std::size_t i = 0; i < found.size(); ++i) {
            const findings::Finding& one = found[i];
            for (const TimeRange& range : run_.times_of(one)) {
                const auto end = [&](char phase, std::uint64_t time, const std::string& rest) {
                    event(
                        fmt::format("{{\"ph\":\"{}\",\"pid\":{},\"tid\":0,\"id\":{},\"ts\":{},\"cat\":\"finding\","
                                    "\"name\":{}{}}}",
                                    phase, kFindingsProcess, i + 1, microseconds(time), json_string(one.kind), rest));
                };
                end('b', range.begin,
                    fmt::format(",\"args\":{{\"what\":{},{}\"do\":{}}}", json_string(one.title),
                                one.is_cost_known
                                    ? fmt::format("\"share\":{:.6f},\"seconds\":{:.9f},", one.share, one.seconds)
                                    : "",
                                json_string(one.direction)));
                end('e', range.end, "");
            }
        }
    }

    const ExportRun& run_;
    Output& out_;
    std::vector<std::string> ids_;    // of threads
    std::vector<std::string> rests_;  // by call node
    std::string line_;
    std::uint64_t flows_ = 0;
    bool is_first_ = true;
};

Result<void> write_chrome(const recording::Recording& recording, const ExportOptions&, Output& out) {
    const auto run = load_timeline_run(recording);
    if (!run) {
        return run.error();
    }
    return ChromeWriter(*run, out).write();
}

}  // namespace

extern const Export kChrome{
    .name = "chrome",
    .what = "each thread's call paths, waits, wake-ups and marks over time: chrome://tracing, ui.perfetto.dev",
    .write = write_chrome,
};

}  // namespace kymo::view
