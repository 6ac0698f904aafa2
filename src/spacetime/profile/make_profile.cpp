#include "spacetime/profile/make_profile.h"

#include "recording/tables/metrics.h"
#include "spacetime/load/load_files.h"
#include "spacetime/profile/kernel_tasks.h"
#include "spacetime/profile/lost_ranks.h"
#include "spacetime/profile/ranks.h"
#include "spacetime/profile/stream_merge.h"

#include <algorithm>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kNamedHosts = 4;

class Merger {
  public:
    Merger(std::vector<FileData>& files, const ProfileOptions& options) : files_(files), options_(options) {}

    Profile merge() {
        collect_events();
        profile_.self = CostTable(profile_.events.size());
        profile_.own_work.resize(profile_.self.columns());
        tree_.add({0, NodeKind::kRoot, 0, 0});
        for (const FileData& file : files_) {
            read_run(file);
        }
        for (FileData& file : files_) {
            if (file.has_process || !file.streams.empty()) {
                add_process(file);
            }
        }
        for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
            merge_process(i);
        }
        profile_.waits = waits_.take();
        settle_times();
        merge_kernel_tasks(files_, profile_);
        collect_ranks(files_, profile_);
        profile_.self.resize(profile_.nodes.size());
        return std::move(profile_);
    }

  private:
    // Events of one name are one column, whatever their place in a process's list.
    void collect_events() {
        for (const FileData& file : files_) {
            std::vector<std::size_t>& columns = columns_.emplace_back();
            for (const EventInfo& event : file.events) {
                const auto known = std::find_if(profile_.events.begin(), profile_.events.end(),
                                                [&](const EventInfo& other) { return other.name == event.name; });
                columns.push_back(static_cast<std::size_t>(known - profile_.events.begin()));
                if (known == profile_.events.end()) {
                    profile_.events.push_back(event);
                }
            }
        }
    }

    void read_run(const FileData& file) {
        const auto& columns = columns_[static_cast<std::size_t>(&file - files_.data())];
        profile_.samples_by_event.resize(profile_.events.size());
        for (std::size_t event = 0; event < file.samples_by_event.size(); ++event) {
            profile_.samples_by_event[columns[event]] += file.samples_by_event[event];
        }
        if (file.run) {
            profile_.command = file.run->command;
            note_host(*file.run);
            profile_.directory = file.run->directory;
            profile_.begin = profile_.begin == 0 ? file.run->begin : std::min(profile_.begin, file.run->begin);
        }
        profile_.is_running = profile_.is_running || file.has_writer;
        if (file.run && file.run_end) {
            starters_.try_emplace(file.pid, file.run_end->wait_status);
        }
        if (file.run_end) {
            profile_.has_run_end = true;
            // Of several ranks, what went wrong counts.
            profile_.end = std::max(profile_.end, file.run_end->end);
            profile_.wait_status = profile_.wait_status != 0 ? profile_.wait_status : file.run_end->wait_status;
            profile_.end_reason = profile_.end_reason != 0 ? profile_.end_reason : file.run_end->reason;
        }
        if (file.run_end) {
            profile_.peak_bytes = std::max(profile_.peak_bytes, file.run_end->peak_bytes);
        }
        for (const auto& [thread, count] : file.mappings) {
            profile_.mappings[thread] += count;
        }
        if (file.clock_pair && profile_.started_realtime_ns == 0) {
            profile_.started_realtime_ns = file.clock_pair->realtime;
            realtime_at_ = file.clock_pair->monotonic;
        }
        profile_.kernel_lost += file.kernel_lost;
        profile_.condensed_switches += file.condensed_switches;
        profile_.excerpt_of += file.excerpt_of;
        profile_.has_registers = profile_.has_registers || file.has_registers;
        profile_.has_operands = profile_.has_operands || file.has_operands;
        profile_.has_accesses = profile_.has_accesses || file.has_accesses;
        profile_.is_damaged = profile_.is_damaged || file.is_damaged();
        for (const UnavailableInfo& info : file.unavailable) {
            if (std::find(profile_.unavailable.begin(), profile_.unavailable.end(), info) ==
                profile_.unavailable.end()) {
                profile_.unavailable.push_back(info);
            }
        }
        if (file.damaged_places != 0) {
            warn(file, std::to_string(file.damaged_places) + " damaged places; the rest was read");
        }
        if (file.missing_bytes != 0) {
            warn(file, std::to_string(file.missing_bytes) + " bytes are missing at its end; the rest was read");
        }
        if (file.strange_rows != 0) {
            warn(file, std::to_string(file.strange_rows) + " rows that refer to nothing were left out");
        }
        for (const auto& table : file.unknown_tables) {
            warn(file, "table \"" + table.name + "\" (" + std::to_string(table.rows) +
                           " rows) is not known to this version and was skipped");
        }
    }

    void warn(const FileData& file, const std::string& what) { profile_.warnings.push_back(file.name + ": " + what); }

    // Of a process whose monitor saw no end. The status that its parent got is known for the program itself alone.
    std::string how_it_ended(const FileData& file) const {
        constexpr int kExitShift = 8;
        constexpr std::uint64_t kSignalMask = 0x7F;
        const auto starter = starters_.find(file.parent_pid);
        if (starter == starters_.end()) {
            return "the process ended without saying so (killed, or by a system call of its own)";
        }
        const std::uint64_t status = starter->second;
        if ((status & kSignalMask) != 0) {
            return "the process was killed by signal " + std::to_string(status & kSignalMask);
        }
        return "the process left by a system call of its own, with exit status " +
               std::to_string(status >> kExitShift & 0xFFU) + ", so that its last counts are not known";
    }

    void add_process(FileData& file) {
        ProfileProcess process;
        process.pid = file.pid;
        process.own_pid = file.own_pid;
        process.parent_pid = file.parent_pid;
        process.executable = file.executable;
        process.command = file.command;
        process.begin = file.begin;
        process.name = called_name(file.command, file.executable);
        process.rank = file.rank ? file.rank->rank : kNoRank;
        process.has_ended = file.has_ended;
        for (std::size_t event = 0; event < file.totals.size() && event < file.events.size(); ++event) {
            process.totals.resize(profile_.events.size());
            process.totals[columns_[static_cast<std::size_t>(&file - files_.data())][event]] =
                static_cast<std::int64_t>(file.totals[event]);
        }
        process_files_.push_back(static_cast<std::size_t>(&file - files_.data()));
        if (!file.has_ended && !file.has_writer) {
            warn(file, how_it_ended(file) + "; everything up to its last sample is here");
        }
        profile_.processes.push_back(std::move(process));
    }

    void merge_process(std::size_t process) {
        const std::size_t file_index = process_files_[process];
        FileData& file = files_[file_index];
        tree_.begin_process();
        process_node_ = profile_.processes.size() > 1
                            ? tree_.add({0, NodeKind::kProcess, static_cast<std::uint32_t>(process), 0})
                            : 0;
        StreamMerge streams(profile_, tree_, file, process_node_, options_.below_creators);
        waits_.add(file.waits);
        for (auto& [id, stream] : file.streams) {
            streams.add(stream, static_cast<std::uint32_t>(profile_.threads.size()));
            profile_.threads.push_back({.process = static_cast<std::uint32_t>(process),
                                        .tid = stream.tid,
                                        .own_tid = stream.own_tid,
                                        .name = stream.name,
                                        .begin = stream.begin,
                                        .end = stream.end,
                                        .is_sampled = true,
                                        .has_ended = stream.has_ended,
                                        .created_with = std::move(stream.created_with),
                                        .costs = std::vector<std::int64_t>(profile_.self.columns()),
                                        .paused_ns = stream.paused_ns,
                                        .run_queue_ns = stream.states.sums()[ThreadState::kReady],
                                        .states = std::move(stream.states),
                                        .offs = std::move(stream.offs),
                                        .taken = std::move(stream.taken),
                                        .pace = stream.pace,
                                        .roles = roles_of(file, stream),
                                        .quality = stream.quality});
            ask_thread_end(stream, profile_.threads.back());
            profile_.processes[process].quality += stream.quality;
            profile_.processes[process].end = std::max(profile_.processes[process].end, stream.end);
            profile_.quality += stream.quality;
        }
        if (const std::size_t circles = streams.merge(); circles != 0) {
            warn(file, std::to_string(circles) + " call paths that lead back to themselves were cut");
        }
        for (auto& [id, stream] : file.streams) {
            const MergedStream& merged = streams.of(id);
            for (ThreadWait& wait : stream.waits) {
                wait.context = wait.context < merged.nodes.size() ? merged.nodes[wait.context] : 0;
            }
            profile_.threads[merged.thread].waits = std::move(stream.waits);
            for (KernelLook& look : stream.looks) {
                look.context = look.context < merged.nodes.size() ? merged.nodes[look.context] : 0;
            }
            profile_.threads[merged.thread].looks = std::move(stream.looks);
            for (TailPiece& piece : stream.tail) {
                piece.context = piece.context < merged.nodes.size() ? merged.nodes[piece.context] : kNone;
            }
            profile_.threads[merged.thread].tail = std::move(stream.tail);
        }
        profile_.self.resize(profile_.nodes.size());
        for (auto& [id, stream] : streams.all()) {
            const std::uint32_t no_path = add_costs(stream, columns_[file_index]);
            if (file.is_short) {
                continue;  // there is nothing to pass over again
            }
            profile_.streams.push_back({.file = static_cast<std::uint32_t>(file_index),
                                        .stream = id,
                                        .thread = stream.thread,
                                        .shift_ns = file.shift_ns,
                                        .nodes = std::move(stream.nodes),
                                        .no_path = no_path,
                                        .own_contexts = stream.data->own_contexts,
                                        .columns = columns_[file_index],
                                        .end_time = stream.data->has_ended ? stream.data->end_time : 0,
                                        .totals = stream.data->totals});
        }
    }

    // What the thread's end told, until switch records tell better. Its run delay has no place in time.
    static void ask_thread_end(const StreamData& stream, ProfileThread& thread) {
        if (stream.kernel_switches) {
            thread.switches = *stream.kernel_switches;
            thread.figures_from = ThreadFigures::kThreadEnd;
        }
        if (stream.run_delay_ns) {
            thread.run_queue_ns =
                std::min(static_cast<std::int64_t>(std::min(*stream.run_delay_ns, ~std::uint64_t{0} >> 1U)),
                         thread.states.sums().off_processor());
        }
    }

    // The node of samples without a call path, or kNone.
    std::uint32_t add_costs(const MergedStream& stream, const std::vector<std::size_t>& columns) {
        const StreamData& data = *stream.data;
        ProfileThread& thread = profile_.threads[stream.thread];
        const auto add_row = [&](std::span<const std::int64_t> from, std::uint32_t node) {
            const auto to = profile_.self[node];
            for (std::size_t i = 0; i < from.size(); ++i) {
                const std::size_t column = i < kFirstEvent ? i : kFirstEvent + columns[i - kFirstEvent];
                to[column] += from[i];
                thread.costs[column] += from[i];
            }
        };
        const auto is_nothing = [](std::span<const std::int64_t> row) {
            return std::all_of(row.begin(), row.end(), [](std::int64_t value) { return value == 0; });
        };
        for (std::size_t context = 1; context < data.contexts.size(); ++context) {
            if (!is_nothing(data.costs[context])) {
                add_row(data.costs[context], stream.nodes[context]);
            }
        }
        const auto add_special = [&](std::span<const std::int64_t> row, NodeKind kind) -> std::uint32_t {
            if (is_nothing(row)) {
                return kNone;
            }
            const std::uint32_t node = tree_.add({process_node_, kind, 0, 0});
            profile_.self.resize(profile_.nodes.size());
            add_row(row, node);
            return node;
        };
        for (const auto& [context, spent] : data.unknown_calls) {
            const std::uint32_t node = tree_.add({stream.nodes[context], NodeKind::kUnknownCall, 0, 0});
            profile_.self.resize(profile_.nodes.size());
            profile_.self[node][kSystem] += spent.system;
            profile_.self[node][kOffCpu] += spent.off;
            thread.costs[kSystem] += spent.system;
            thread.costs[kOffCpu] += spent.off;
        }
        for (std::size_t i = 0; i < data.own_work.size(); ++i) {
            profile_.own_work[i < kFirstEvent ? i : kFirstEvent + columns[i - kFirstEvent]] += data.own_work[i];
        }
        const std::uint32_t no_path = add_special(data.costs[0], NodeKind::kNoPath);
        add_special(data.unsampled, NodeKind::kUnsampled);
        return no_path;
    }

    void note_host(const FileData::Run& run) {
        const auto known =
            std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& host) { return host.name == run.host; });
        if (known == hosts_.end()) {
            hosts_.push_back({run.host, run.processors});
        } else {
            known->processors = std::max(known->processors, run.processors);
        }
    }

    void settle_hosts() {
        for (std::size_t i = 0; i < std::min(hosts_.size(), kNamedHosts); ++i) {
            profile_.host += (i == 0 ? "" : ", ") + hosts_[i].name;
        }
        if (hosts_.size() > kNamedHosts) {
            profile_.host += " and " + std::to_string(hosts_.size() - kNamedHosts) + " more";
        }
        const bool is_known =
            std::all_of(hosts_.begin(), hosts_.end(), [](const Host& host) { return host.processors != 0; });
        for (const Host& host : hosts_) {
            profile_.processors += is_known ? host.processors : 0;
        }
    }

    // Where the parent's own rows are missing, the run is as long as what is known of its threads.
    void settle_times() {
        settle_hosts();
        profile_.is_running = profile_.is_running && !profile_.has_run_end;
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
        for (const ProfileThread& thread : profile_.threads) {
            first = std::min(first, thread.begin);
            last = std::max(last, thread.end);
        }
        if (profile_.begin == 0 && !profile_.threads.empty()) {
            profile_.begin = first;
        }
        if (!profile_.has_run_end) {
            profile_.end = std::max(profile_.begin, last);
        }
        if (profile_.started_realtime_ns != 0) {
            profile_.started_realtime_ns += profile_.begin - realtime_at_;
        }
        if (profile_.command.empty() && !profile_.processes.empty()) {
            profile_.command = profile_.processes[0].command;
            if (profile_.command.empty() && !profile_.processes[0].executable.empty()) {
                profile_.command = {profile_.processes[0].executable};
            }
        }
    }

    std::vector<FileData>& files_;
    const ProfileOptions& options_;
    Profile profile_;
    WaitsSum waits_;
    ProfileTree tree_{profile_};
    std::vector<std::vector<std::size_t>> columns_;  // by file: its event → our column
    std::vector<std::size_t> process_files_;
    std::unordered_map<std::uint64_t, std::uint64_t> starters_;  // pid of `kymo record` → its program's wait status
    std::uint32_t process_node_ = 0;                             // of the process at hand
    std::uint64_t realtime_at_ = 0;
    struct Host {
        std::string name;
        std::uint64_t processors = 0;  // 0: not known
    };
    std::vector<Host> hosts_;
};

// Whether a recording is of hosts, without any code.
struct HostsAlone {
    bool is_one = false;
    std::uint64_t last = 0;  // time of the last value

    void add(const FileData& file) {
        is_one = is_one || file.is_of_hosts;
        last = std::max(last, file.last_metric);
    }
};

}  // namespace

Profile make_profile(std::vector<FileData> files, const ProfileOptions& options) {
    align_clocks(files);
    const std::vector<std::string> left_out = leave_out_damaged_ranks(files);
    Profile profile = Merger(files, options).merge();
    profile.warnings.insert(profile.warnings.end(), left_out.begin(), left_out.end());
    find_lost_ranks(profile);
    return profile;
}

Result<Profile> load_profile(const recording::Recording& recording, const ProfileOptions& options) {
    return load_described(recording, describe_files(recording.files()), options);
}

Result<Profile> load_described(const recording::Recording& recording, std::vector<Result<FileData>> described,
                               const ProfileOptions& options) {
    std::vector<FileData> data;
    std::vector<std::string> failures;
    HostsAlone hosts;
    for (auto& loaded :
         load_samples(recording.files(), std::move(described), {.team = options.team, .owner = options.owner})) {
        // Files keep their numbers.
        FileData& file = data.emplace_back();
        if (loaded) {
            file = std::move(*loaded);
            hosts.add(file);
        } else {
            failures.push_back(loaded.error().what);
        }
    }
    Profile profile = make_profile(std::move(data), options);
    for (const std::string& warning : recording.warnings()) {
        profile.warnings.push_back(warning);
    }
    for (std::string& failure : failures) {
        profile.warnings.push_back(std::move(failure));
    }
    if (profile.threads.empty() && profile.processes.empty()) {
        if (!hosts.is_one) {
            return Error{ErrorKind::kMalformed, "the recording holds no process and no thread",
                         "record again; `kymo doctor` says what this machine can measure"};
        }
        if (!profile.has_run_end) {
            profile.end = std::max(profile.begin, hosts.last);
        }
    }
    return profile;
}

}  // namespace kymo::spacetime
