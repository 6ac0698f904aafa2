// The processed profile of the Firefox Profiler (github.com/firefox-devtools/profiler, docs-developer), version 49:
// of each thread its call paths in the order of time, weighed by processor time, and markers for waits, marks and
// findings. Times are milliseconds.
#include "findings/finding.h"
#include "spacetime/profile/wait_table.h"
#include "view/exports/spool.h"
#include "view/exports/timeline.h"

#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr int kFormatVersion = 24;
constexpr int kProcessedVersion = 49;

// Categories by their numbers in meta.categories.
constexpr unsigned kNamed = 1;
constexpr unsigned kUnnamed = 2;

std::string milliseconds(std::uint64_t ns) {
    return fmt::format("{}.{:06}", ns / 1'000'000, ns % 1'000'000);
}

// A table is one array a column, with its length.
class Columns {
  public:
    explicit Columns(std::initializer_list<const char*> names) : names_(names), texts_(names.size()) {}
    template <typename... Cells>
    void row(const Cells&... cells) {
        std::size_t column = 0;
        ((texts_[column] += fmt::format("{}{}", length_ == 0 ? "" : ",", cells), ++column), ...);
        ++length_;
    }
    std::size_t size() const { return length_; }
    std::string text() const {
        std::string all = fmt::format("{{\"length\":{}", length_);
        for (std::size_t column = 0; column < names_.size(); ++column) {
            all += fmt::format(",\"{}\":[{}]", names_[column], texts_[column]);
        }
        return all + "}";
    }

  private:
    std::vector<const char*> names_;
    std::vector<std::string> texts_;
    std::size_t length_ = 0;
};

// Texts by number.
class Texts {
  public:
    std::size_t number(const std::string& text) {
        const auto [at, is_new] = numbers_.try_emplace(text, numbers_.size());
        if (is_new) {
            list_ += (list_.empty() ? "" : ",") + json_string(text);
        }
        return at->second;
    }
    std::string list() const { return "[" + list_ + "]"; }

  private:
    std::unordered_map<std::string, std::size_t> numbers_;
    std::string list_;
};

class FirefoxWriter {
  public:
    FirefoxWriter(const ExportRun& run, Output& out)
        : run_(run),
          out_(out),
          numbers_(run),
          threads_(run.threads().size()),
          spool_(kLists * run.threads().size()) {}

    Result<void> write() {
        if (auto walked = walk_run(run_, {}, [&](const Piece& one) { piece(one); }); !walked) {
            return walked;
        }
        if (auto read =
                for_each_mark(run_, [&](const TimelineMark& one) { threads_[one.thread].marks.push_back(one); });
            !read) {
            return read;
        }
        out_.write("{");
        meta();
        out_.write(",\n\"libs\":[],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n\"threads\":[");
        bool is_first = true;
        for (std::uint32_t number = 0; number < threads_.size(); ++number) {
            put(number);
            if (threads_[number].samples == 0 && run_.threads()[number].waits.empty()) {
                continue;
            }
            out_.write(is_first ? "\n" : ",\n");
            is_first = false;
            if (auto done = thread(number); !done) {
                return done;
            }
            threads_[number] = {};
        }
        out_.write("]}\n");
        return {};
    }

  private:
    enum : std::size_t { kStackList, kTimeList, kWeightList, kProcessorList, kLists };
    static constexpr std::uint32_t kNoStack = 0xFFFF'FFFEU;  // samples without a call path
    struct Thread {
        std::unordered_map<std::uint32_t, std::size_t> stacks;  // call node → row of the stack table
        std::vector<std::uint32_t> nodes;                       // by row
        std::uint32_t stack = kNone;                            // of the stretch that is not written yet
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::size_t samples = 0;
        std::vector<TimelineMark> marks;
    };

    // Call paths are numbered as they come, each after its caller.
    std::uint32_t stack_of(Thread& thread, CallNodeIndex node) {
        if (const auto found = thread.stacks.find(raw(node)); found != thread.stacks.end()) {
            return static_cast<std::uint32_t>(found->second);
        }
        const CallNodeIndex parent = run_.caller_of(node);
        if (parent != CallNodeIndex(0)) {
            (void)stack_of(thread, parent);
        }
        thread.stacks.emplace(raw(node), thread.nodes.size());
        thread.nodes.push_back(raw(node));
        return static_cast<std::uint32_t>(thread.nodes.size() - 1);
    }

    void piece(const Piece& one) {
        Thread& thread = threads_[one.thread];
        const CallNodeIndex node = run_.call_node(one.node);
        if (!is_on_processor(one.state)) {
            put(one.thread);
            return;
        }
        const std::uint32_t stack = node == CallNodeIndex(0) ? kNoStack : stack_of(thread, node);
        if (stack != thread.stack || one.begin != thread.end) {
            put(one.thread);
            thread.stack = stack;
            thread.begin = one.begin;
        }
        thread.end = one.end;
    }

    void put(std::uint32_t number) {
        Thread& thread = threads_[number];
        if (thread.stack == kNone || thread.end == thread.begin) {
            return;
        }
        const char* const between = thread.samples++ == 0 ? "" : ",";
        const std::size_t first = kLists * number;
        spool_.add(first + kStackList, thread.stack == kNoStack ? fmt::format("{}null", between)
                                                                : fmt::format("{}{}", between, thread.stack));
        spool_.add(first + kTimeList, between + milliseconds(thread.begin));
        spool_.add(first + kWeightList, between + milliseconds(thread.end - thread.begin));
        spool_.add(first + kProcessorList, fmt::format("{}{}", between, thread.end - thread.begin));
        thread.stack = kNone;
        thread.begin = thread.end;
    }

    void meta() {
        const Profile& profile = run_.profile;
        const std::string command = ExportRun::command_text(profile.command);
        const std::uint64_t period = clock_period(profile);
        const double interval = period == 0 ? 1.0 : static_cast<double>(period) / 1e6;
        const auto schema = [](const char* name, const char* label, const char* data) {
            return fmt::format(
                "{{\"name\":\"{}\",\"display\":[\"marker-chart\",\"marker-table\"],\"tooltipLabel\":\"{}\","
                "\"tableLabel\":\"{}\",\"chartLabel\":\"{{marker.name}}\",\"data\":[{}]}}",
                name, label, label, data);
        };
        const auto field = [](const char* key, const char* label, const char* format) {
            return fmt::format("{{\"key\":\"{}\",\"label\":\"{}\",\"format\":\"{}\"}}", key, label, format);
        };
        out_.write(fmt::format(
            "\"meta\":{{\"version\":{},\"preprocessedProfileVersion\":{},\"interval\":{},\"startTime\":{},"
            "\"processType\":0,\"product\":{},\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
            "\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true,"
            "\"sourceCodeIsNotOnSearchfox\":true,\"importedFrom\":\"Kymo\",\"oscpu\":\"Linux\",\"platform\":"
            "\"Linux\","
            "\"extensions\":{{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]}},"
            "\"sampleUnits\":{{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}},"
            "\"categories\":[{{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}},"
            "{{\"name\":\"Program\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]}},"
            "{{\"name\":\"Not named\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}}],"
            "\"markerSchema\":[{},{},{}]}}",
            kFormatVersion, kProcessedVersion, interval, milliseconds(profile.started_realtime_ns),
            json_string(command.empty() ? "kymo" : command),
            schema("wait", "{marker.name}",
                   (field("holder", "held by thread", "string") + "," + field("place", "place", "string")).c_str()),
            schema("mark", "{marker.name}", field("value", "value", "integer").c_str()),
            schema("finding", "{marker.data.what}",
                   (field("what", "what", "string") + "," + field("share", "share of the run", "percentage") + "," +
                    field("direction", "what to do", "string"))
                       .c_str())));
    }

    // A frame is a function at a line; the tables hold what the thread's call paths need.
    struct Tables {
        Texts texts;
        Columns stacks{"prefix", "frame", "category", "subcategory"};
        Columns frames{"address",      "inlineDepth",   "category",       "subcategory", "func",
                       "nativeSymbol", "innerWindowID", "implementation", "line",        "column"};
        Columns functions{"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"};
        Columns resources{"lib", "name", "host", "type"};
        Columns markers{"data", "name", "startTime", "endTime", "phase", "category"};
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> frame_of;
        std::unordered_map<std::uint32_t, std::size_t> function_of;
        std::unordered_map<std::string, std::size_t> resource_of;
    };

    std::size_t function(Tables& tables, CallNodeIndex node) {
        const auto [at, is_new] =
            tables.function_of.try_emplace(node.in(run_.tree.nodes).function, tables.functions.size());
        if (is_new) {
            constexpr int kLibrary = 1;
            const program::Function& one = run_.function_of(node);
            std::string resource = "-1";
            if (!one.module.empty()) {
                const auto [known, is_new_module] =
                    tables.resource_of.try_emplace(one.module, tables.resources.size());
                if (is_new_module) {
                    tables.resources.row("null", tables.texts.number(one.module), "null", kLibrary);
                }
                resource = fmt::format("{}", known->second);
            }
            const std::string& file = run_.tree.symbols.files[one.file];
            tables.functions.row(tables.texts.number(one.name), "false", "false", resource,
                                 file.empty() ? "null" : fmt::format("{}", tables.texts.number(file)),
                                 one.line == 0 ? "null" : fmt::format("{}", one.line), "null");
        }
        return at->second;
    }

    std::size_t frame(Tables& tables, CallNodeIndex node, unsigned category) {
        const std::uint32_t line = run_.line_of(node);
        const auto [at, is_new] =
            tables.frame_of.try_emplace({node.in(run_.tree.nodes).function, line}, tables.frames.size());
        if (is_new) {
            tables.frames.row(-1, 0, category, 0, function(tables, node), "null", "null", "null",
                              line == 0 ? "null" : fmt::format("{}", line), "null");
        }
        return at->second;
    }

    void marker(Tables& tables, const std::string& name, const std::string& data, std::uint64_t begin,
                std::uint64_t end) {
        constexpr int kInstant = 0;
        constexpr int kInterval = 1;
        tables.markers.row(data, tables.texts.number(name), milliseconds(begin),
                           begin == end ? "null" : milliseconds(end), begin == end ? kInstant : kInterval, 0);
    }

    std::uint64_t since(std::uint64_t time) const { return run_.since_begin(time); }

    void markers(Tables& tables, std::uint32_t number) {
        for (const ThreadWait& wait : run_.threads()[number].waits) {
            const std::uint32_t holder = numbers_.holder(number, wait);
            std::string data = "{\"type\":\"wait\"";
            if (holder != kNone) {
                data += ",\"holder\":" +
                        json_string(fmt::format("{} {}", run_.thread_name(holder), run_.threads()[holder].tid));
            }
            if (wait.context != 0) {
                data += ",\"place\":" + json_string(run_.function_of(run_.call_node(wait.context)).name);
            }
            marker(tables, fmt::format("waits: {}", wait_kind_words(wait.kind)), data + "}", since(wait.begin),
                   since(wait.end));
        }
        for (const TimelineMark& one : threads_[number].marks) {
            marker(tables, one.title(), fmt::format("{{\"type\":\"mark\",\"value\":{}}}", one.value), one.time,
                   one.time);
        }
        for (const findings::Finding& one : run_.judgement.findings) {
            const bool is_here = one.threads.empty()
                                     ? number == 0
                                     : std::find(one.threads.begin(), one.threads.end(), number) != one.threads.end();
            const std::vector<TimeRange> when = run_.times_of(one);
            for (std::size_t i = 0; is_here && i < when.size(); ++i) {
                marker(tables, one.kind,
                       fmt::format("{{\"type\":\"finding\",\"what\":{},{}\"direction\":{}}}", json_string(one.title),
                                   one.is_cost_known ? fmt::format("\"share\":{:.6f},", one.share) : "",
                                   json_string(one.direction)),
                       when[i].begin, when[i].end);
            }
        }
    }

    Result<void> thread(std::uint32_t number) {
        const ProfileThread& one = run_.threads()[number];
        const Thread& seen = threads_[number];
        Tables tables;
        for (const std::uint32_t raw_node : seen.nodes) {
            const CallNodeIndex node(raw_node);
            const CallNodeIndex parent = run_.caller_of(node);
            const unsigned category =
                run_.function_of(node).source <= program::NameSource::kSymbol ? kNamed : kUnnamed;
            tables.stacks.row(parent == CallNodeIndex(0) ? "null" : fmt::format("{}", seen.stacks.at(raw(parent))),
                              frame(tables, node, category), category, 0);
        }
        markers(tables, number);
        const ProfileProcess& process = run_.profile.processes[one.process];
        out_.write(fmt::format(
            "{{\"name\":{},\"processName\":{},\"processType\":\"default\",\"isMainThread\":{},\"pid\":\"{}\","
            "\"tid\":{},\"processStartupTime\":{},\"processShutdownTime\":{},\"registerTime\":{},"
            "\"unregisterTime\":{},\"pausedRanges\":[],\n\"samples\":{{\"length\":{},\"weightType\":\"tracing-ms\","
            "\"stack\":[",
            json_string(run_.thread_name(number)), json_string(run_.process_name(one.process)),
            one.tid == process.pid, process.pid, one.tid, milliseconds(since(process.begin)),
            milliseconds(since(process.end)), milliseconds(since(one.begin)), milliseconds(since(one.end)),
            seen.samples));
        const char* const after[kLists] = {"],\n\"time\":[", "],\n\"weight\":[", "],\n\"threadCPUDelta\":[", "]},\n"};
        for (std::size_t list = 0; list < kLists; ++list) {
            if (auto played = spool_.play(kLists * number + list, out_); !played) {
                return played;
            }
            out_.write(after[list]);
        }
        out_.write(
            "\"stackTable\":" + tables.stacks.text() + ",\n\"frameTable\":" + tables.frames.text() +
            ",\n\"funcTable\":" + tables.functions.text() + ",\n\"resourceTable\":" + tables.resources.text() +
            ",\n\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}" +
            ",\n\"markers\":" + tables.markers.text() + ",\n\"stringArray\":" + tables.texts.list() + "}");
        return {};
    }

    const ExportRun& run_;
    Output& out_;
    ThreadNumbers numbers_;
    std::vector<Thread> threads_;
    Spool spool_;
};

Result<void> write_firefox(const recording::Recording& recording, const ExportOptions&, Output& out) {
    const auto run = load_timeline_run(recording);
    if (!run) {
        return run.error();
    }
    return FirefoxWriter(*run, out).write();
}

}  // namespace

extern const Export kFirefox{
    .name = "firefox",
    .what = "each thread's call paths over time, with waits, marks and findings as markers: profiler.firefox.com",
    .write = write_firefox,
};

}  // namespace kymo::view
