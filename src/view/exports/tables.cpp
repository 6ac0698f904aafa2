#include "view/exports/tables.h"

#include "base/clean_text.h"
#include "findings/finding.h"
#include "findings/words.h"
#include "spacetime/profile/wait_table.h"
#include "view/exports/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kymo::view {
namespace {

using namespace spacetime;

enum Table : std::size_t {
    kRunTable,
    kProcessTable,
    kThreadTable,
    kEventTable,
    kFunctionTable,
    kCallPathTable,
    kEventCountTable,
    kWaitTable,
    kMarkTable,
    kFindingTable,
    kFindingTimeTable,
    kFindingThreadTable,
    kEvidenceTable,
    kSampleTable,
    kPieceTable,
    kTables
};

constexpr auto kReal = CellType::kReal;
constexpr auto kText = CellType::kText;
constexpr auto kInteger = CellType::kInteger;

constexpr std::array kRun = {TableColumn{"command", kText},   TableColumn{"host", kText},
                             TableColumn{"directory", kText}, TableColumn{"processors"},
                             TableColumn{"started_ns"},       TableColumn{"duration_ns"},
                             TableColumn{"wait_status"}};
constexpr std::array kProcess = {TableColumn{"id"},
                                 TableColumn{"pid"},
                                 TableColumn{"parent_pid"},
                                 TableColumn{"name", kText},
                                 TableColumn{"executable", kText},
                                 TableColumn{"command", kText},
                                 TableColumn{"rank"},
                                 TableColumn{"begin_ns"},
                                 TableColumn{"end_ns"}};
constexpr std::array kThread = {TableColumn{"id"},
                                TableColumn{"process", kInteger, "process", true},
                                TableColumn{"tid"},
                                TableColumn{"name", kText},
                                TableColumn{"creator", kInteger, "thread"},
                                TableColumn{"begin_ns"},
                                TableColumn{"end_ns"},
                                TableColumn{"user_ns"},
                                TableColumn{"system_ns"},
                                TableColumn{"off_cpu_ns"},
                                TableColumn{"run_queue_ns"},
                                TableColumn{"samples"}};
constexpr std::array kEvent = {TableColumn{"id"},         TableColumn{"name", kText}, TableColumn{"unit", kText},
                               TableColumn{"is_sampled"}, TableColumn{"period"},      TableColumn{"frequency"}};
constexpr std::array kFunction = {TableColumn{"id"}, TableColumn{"name", kText}, TableColumn{"module", kText},
                                  TableColumn{"file", kText}, TableColumn{"line"}};
constexpr std::array kCallPath = {TableColumn{"id"},
                                  TableColumn{"parent", kInteger, "call_path", true},
                                  TableColumn{"function", kInteger, "function", true},
                                  TableColumn{"depth"},
                                  TableColumn{"file", kText},
                                  TableColumn{"line"},
                                  TableColumn{"is_inlined"},
                                  TableColumn{"user_ns"},
                                  TableColumn{"system_ns"},
                                  TableColumn{"off_cpu_ns"},
                                  TableColumn{"samples"}};
constexpr std::array kEventCount = {TableColumn{"call_path", kInteger, "call_path", true},
                                    TableColumn{"event", kInteger, "event"}, TableColumn{"count"}};
constexpr std::array kWait = {TableColumn{"id"},
                              TableColumn{"thread", kInteger, "thread", true},
                              TableColumn{"begin_ns"},
                              TableColumn{"end_ns"},
                              TableColumn{"kind", kText},
                              TableColumn{"object"},
                              TableColumn{"holder", kInteger, "thread"},
                              TableColumn{"call_path", kInteger, "call_path"}};
constexpr std::array kMark = {TableColumn{"thread", kInteger, "thread", true}, TableColumn{"time_ns"},
                              TableColumn{"kind", kText}, TableColumn{"name", kText}, TableColumn{"value"}};
constexpr std::array kFinding = {TableColumn{"id"},
                                 TableColumn{"kind", kText},
                                 TableColumn{"is_advantage"},
                                 TableColumn{"title", kText},
                                 TableColumn{"function", kText},
                                 TableColumn{"file", kText},
                                 TableColumn{"line_begin"},
                                 TableColumn{"line_end"},
                                 TableColumn{"share", kReal},
                                 TableColumn{"share_low", kReal},
                                 TableColumn{"seconds", kReal},
                                 TableColumn{"direction", kText}};
constexpr std::array kFindingTime = {TableColumn{"finding", kInteger, "finding", true}, TableColumn{"begin_ns"},
                                     TableColumn{"end_ns"}};
constexpr std::array kFindingThread = {TableColumn{"finding", kInteger, "finding", true},
                                       TableColumn{"thread", kInteger, "thread"}};
constexpr std::array kEvidence = {TableColumn{"finding", kInteger, "finding", true}, TableColumn{"event", kText},
                                  TableColumn{"bad", kReal}, TableColumn{"good", kReal}, TableColumn{"ratio", kReal}};
constexpr std::array kSample = {TableColumn{"thread", kInteger, "thread"}, TableColumn{"time_ns"},
                                TableColumn{"call_path", kInteger, "call_path"}};
constexpr std::array kPiece = {TableColumn{"thread", kInteger, "thread"},
                               TableColumn{"begin_ns"},
                               TableColumn{"end_ns"},
                               TableColumn{"state", kText},
                               TableColumn{"call_path", kInteger, "call_path"},
                               TableColumn{"wait", kInteger, "wait"}};

constexpr std::array<TableShape, kTables> kShapes = {{{"run", kRun},
                                                      {"process", kProcess},
                                                      {"thread", kThread},
                                                      {"event", kEvent},
                                                      {"function", kFunction},
                                                      {"call_path", kCallPath},
                                                      {"event_count", kEventCount},
                                                      {"wait", kWait},
                                                      {"mark", kMark},
                                                      {"finding", kFinding},
                                                      {"finding_time", kFindingTime},
                                                      {"finding_thread", kFindingThread},
                                                      {"finding_evidence", kEvidence},
                                                      {"sample", kSample},
                                                      {"piece", kPiece}}};

constexpr std::string_view mark_word(recording::MarkKind kind) {
    constexpr std::array<std::string_view, 5> kWords = {"point", "begin", "end", "start", "stop"};
    return static_cast<std::size_t>(kind) < kWords.size() ? kWords[static_cast<std::size_t>(kind)] : "other";
}

template <typename T>
TableCell number(T value) {
    return static_cast<std::int64_t>(value);
}
template <typename T>
TableCell number_or_none(T value, T none) {
    return value == none ? TableCell() : number(value);
}
TableCell text_or_none(std::string_view text) {
    return text.empty() ? TableCell() : TableCell(text);
}
TableCell real(double value) {
    return std::isnan(value) ? TableCell() : TableCell(value);
}

class Tables {
  public:
    Tables(const ExportRun& run, TableSink& sink, const WantedTables& wanted) : run_(run), sink_(sink) {
        for (std::size_t table = 0; table < kShapes.size(); ++table) {
            wanted_[table] = !wanted || wanted(kShapes[table].name);
        }
    }

    Result<void> write() {
        for (std::size_t table = 0; table < kShapes.size(); ++table) {
            if (auto begun = sink_.begin(table, kShapes[table]); !begun) {
                return begun;
            }
        }
        run();
        processes();
        threads();
        events();
        functions();
        call_paths();
        waits();
        findings();
        if (auto read = marks(); !read) {
            return read;
        }
        return times();
    }

  private:
    void put(std::size_t table, std::initializer_list<TableCell> cells) {
        if (wanted_[table]) {
            sink_.row(table, {cells.begin(), cells.size()});
        }
    }
    std::uint64_t since(std::uint64_t time) const { return run_.since_begin(time); }

    void run() {
        const std::string command = ExportRun::command_text(profile_.command);
        put(kRunTable,
            {text_or_none(command), text_or_none(clean_text(profile_.host)),
             text_or_none(clean_text(profile_.directory)), number_or_none(profile_.processors, std::uint64_t{0}),
             number_or_none(profile_.started_realtime_ns, std::uint64_t{0}), number(run_.duration),
             profile_.has_run_end ? number(profile_.wait_status) : TableCell()});
    }

    void processes() {
        for (std::uint32_t i = 0; i < profile_.processes.size(); ++i) {
            const ProfileProcess& one = profile_.processes[i];
            const std::string command = ExportRun::command_text(one.command);
            const std::string name = run_.process_name(i);
            put(kProcessTable, {number(i), number(one.pid), number(one.parent_pid), std::string_view(name),
                                text_or_none(clean_text(one.executable)), text_or_none(command),
                                number_or_none(one.rank, kNoRank), number(since(one.begin)), number(since(one.end))});
        }
    }

    void threads() {
        for (std::uint32_t i = 0; i < profile_.threads.size(); ++i) {
            const ProfileThread& one = profile_.threads[i];
            const std::string name = run_.thread_name(i);
            put(kThreadTable,
                {number(i), number(one.process), number(one.tid), std::string_view(name),
                 number_or_none(one.creator, std::uint32_t{kNone}), number(since(one.begin)), number(since(one.end)),
                 number(one.costs[kUser]), number(one.costs[kSystem]), number(one.costs[kOffCpu]),
                 one.figures_from == ThreadFigures::kNone ? TableCell() : number(one.run_queue_ns),
                 number(one.costs[kSamples])});
        }
    }

    void events() {
        for (std::size_t i = 0; i < profile_.events.size(); ++i) {
            const EventInfo& one = profile_.events[i];
            const bool is_sampled = one.mode != recording::EventMode::kCount;
            put(kEventTable, {number(i), std::string_view(one.name), text_or_none(one.unit), number(is_sampled),
                              one.mode == recording::EventMode::kPeriod ? number(one.value) : TableCell(),
                              one.mode == recording::EventMode::kFrequency ? number(one.value) : TableCell()});
        }
    }

    void functions() {
        const program::Symbols& symbols = run_.tree.symbols;
        for (std::size_t i = 0; i < symbols.functions.size(); ++i) {
            const program::Function& one = symbols.functions[i];
            put(kFunctionTable, {number(i), std::string_view(one.name), text_or_none(one.module),
                                 text_or_none(symbols.files[one.file]), number_or_none(one.line, 0U)});
        }
    }

    void call_paths() {
        const CallTree& tree = run_.tree;
        std::vector<std::int64_t> depth(tree.nodes.size());
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            const CallNode& one = tree.nodes[i];
            const auto costs = tree.self[i];
            depth[i] = i == 0 ? 0 : depth[raw(one.parent)] + 1;
            put(kCallPathTable,
                {number(i), i == 0 ? TableCell() : number(raw(one.parent)), number(one.function), number(depth[i]),
                 text_or_none(tree.symbols.files[one.file]), number_or_none(one.line, 0U), number(one.inlined),
                 number(costs[kUser]), number(costs[kSystem]), number(costs[kOffCpu]), number(costs[kSamples])});
            for (std::size_t event = 0; event < profile_.events.size(); ++event) {
                if (costs[kFirstEvent + event] != 0) {
                    put(kEventCountTable, {number(i), number(event), number(costs[kFirstEvent + event])});
                }
            }
        }
    }

    // Waits have consecutive numbers: those of thread t from first_wait_[t] on.
    void waits() {
        const ThreadNumbers numbers(run_);
        std::uint64_t id = 0;
        for (std::uint32_t thread = 0; thread < profile_.threads.size(); ++thread) {
            first_wait_.push_back(id);
            for (const ThreadWait& wait : profile_.threads[thread].waits) {
                const std::string kind = wait_kind_key(wait.kind);
                const std::uint32_t holder = numbers.holder(thread, wait);
                put(kWaitTable,
                    {number(id++), number(thread), number(since(wait.begin)), number(since(wait.end)),
                     std::string_view(kind), number(wait.object), number_or_none(holder, std::uint32_t{kNone}),
                     wait.context == 0 ? TableCell() : number(raw(run_.call_node(wait.context)))});
            }
        }
    }

    void findings() {
        std::int64_t id = 0;
        for (const bool is_advantage : {false, true}) {
            const auto& judgement = run_.judgement;
            for (const findings::Finding& one : is_advantage ? judgement.advantages : judgement.findings) {
                const auto known = [&](double value) { return real(one.is_cost_known ? value : findings::kUnknown); };
                put(kFindingTable,
                    {id, std::string_view(one.kind), number(is_advantage), std::string_view(one.title),
                     text_or_none(one.place.function), text_or_none(one.place.file),
                     number_or_none(one.place.line_begin, 0U), number_or_none(one.place.line_end, 0U),
                     known(one.share), known(one.share_low), known(one.seconds), text_or_none(one.direction)});
                for (const TimeRange& range : one.when) {
                    put(kFindingTimeTable, {id, number(since(range.begin)), number(since(range.end))});
                }
                for (const std::uint32_t thread : one.threads) {
                    put(kFindingThreadTable, {id, number(thread)});
                }
                for (const findings::EvidenceRow& row : one.evidence) {
                    const std::string event = findings::words_of(row);
                    put(kEvidenceTable,
                        {id, std::string_view(event), real(row.bad), real(row.good), real(row.ratio)});
                }
                ++id;
            }
        }
    }

    Result<void> marks() {
        return for_each_mark(run_, [&](const TimelineMark& one) {
            put(kMarkTable, {number(one.thread), number(one.time), mark_word(one.kind), text_or_none(one.name),
                             number(one.value)});
        });
    }

    Result<void> times() {
        if (!wanted_[kPieceTable] && !wanted_[kSampleTable]) {
            return {};
        }
        return walk_run(
            run_, {},
            [&](const Piece& piece) {
                put(kPieceTable,
                    {number(piece.thread), number(piece.begin), number(piece.end), state_word(piece.state),
                     number(raw(run_.call_node(piece.node))),
                     piece.wait == kNone ? TableCell() : number(first_wait_[piece.thread] + piece.wait)});
            },
            [&](const PieceSample& sample) {
                if (!sample.is_own_work) {
                    put(kSampleTable,
                        {number(sample.thread), number(sample.time), number(raw(run_.call_node(sample.node)))});
                }
            });
    }

    const ExportRun& run_;
    const Profile& profile_ = run_.profile;
    TableSink& sink_;
    std::array<bool, kTables> wanted_{};
    std::vector<std::uint64_t> first_wait_;
};

}  // namespace

std::span<const TableShape> table_shapes() {
    return kShapes;
}

Result<void> write_tables(const ExportRun& run, TableSink& sink, const WantedTables& wanted) {
    return Tables(run, sink, wanted).write();
}

}  // namespace kymo::view
