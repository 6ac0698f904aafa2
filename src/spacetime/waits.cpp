#include "spacetime/waits.h"

#include "spacetime/profile.h"

#include <algorithm>
#include <tuple>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

struct RawWait {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    rec::WaitKind kind{};
    std::uint32_t context = 0;
    std::uint64_t object = 0;
    std::uint64_t holder_tid = 0;
    std::uint64_t flags = 0;
};

struct WaitStream {
    std::uint64_t tid = 0;
    std::uint64_t begin = 0;
    std::uint32_t thread = kNone;
    std::string name;
    std::vector<ContextInfo> contexts{1};
    std::vector<RawWait> waits;
};

// A wait for a holder, as the holder's own time is held against it.
struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    WaitGroup* group = nullptr;
};

// The overlaps of intervals, given in the order of time, with windows.
class Sweep {
  public:
    explicit Sweep(std::vector<Window> windows) : windows_(std::move(windows)) {
        std::sort(windows_.begin(), windows_.end(),
                  [](const Window& a, const Window& b) { return a.begin < b.begin; });
    }

    // overlap(group, ns) for every window that [begin, end) meets. `begin` never goes back.
    template <typename Overlap>
    void pass(std::uint64_t begin, std::uint64_t end, const Overlap& overlap) {
        while (next_ < windows_.size() && windows_[next_].begin < end) {
            active_.push_back(windows_[next_++]);
        }
        for (std::size_t i = 0; i < active_.size();) {
            const Window& window = active_[i];
            if (window.end <= begin) {
                active_[i] = active_.back();
                active_.pop_back();
                continue;
            }
            const std::uint64_t from = std::max(begin, window.begin);
            const std::uint64_t to = std::min(end, window.end);
            if (from < to) {
                overlap(*window.group, static_cast<std::int64_t>(to - from));
            }
            ++i;
        }
    }

  private:
    std::vector<Window> windows_;
    std::vector<Window> active_;
    std::size_t next_ = 0;
};

class WaitLoader {
  public:
    explicit WaitLoader(const rec::File& file)
        : file_(file), pid_(file.header().pid), machine_(file.header().machine) {}

    Result<Waits> load() {
        if (auto read = read_rows(); !read) {
            return read.error();
        }
        make_groups();
        if (!windows_.empty()) {
            add_own_waits();
            if (auto read = read_samples(); !read) {
                return read.error();
            }
        }
        return std::move(waits_);
    }

  private:
    struct Brief {
        std::uint64_t stream;
        rec::WaitKind kind;
        WaitAmount amount;
    };

    static bool is_kind(std::uint64_t kind) { return kind != 0 && kind <= 0xff; }

    Result<void> read_rows() {
        std::vector<Brief> brief;
        const auto report = file_.scan(
            rec::on<rec::Process>([&](StreamId, const rec::Process& row) { pid_ = row.pid; }),
            rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
                images_[row.image] = {std::string(row.path), std::string(row.build_id), machine_};
            }),
            rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) {
                streams_[row.stream].tid = row.tid;
                streams_[row.stream].begin = row.time;
            }),
            rec::on<rec::StreamName>(
                [&](StreamId, const rec::StreamName& row) { streams_[row.stream].name = row.name; }),
            rec::on<rec::Context>([&](StreamId id, const rec::Context& row) { add_context(raw(id), row); }),
            rec::on<rec::Wait>([&](StreamId id, const rec::Wait& row) {
                if (!is_kind(row.kind) || row.duration > ~row.time) {
                    ++waits_.strange_rows;
                    return;
                }
                streams_[raw(id)].waits.push_back(
                    {row.time, row.time + row.duration, static_cast<rec::WaitKind>(row.kind),
                     static_cast<std::uint32_t>(row.context), row.object, row.holder, row.flags});
            }),
            rec::on<rec::WaitBrief>([&](StreamId, const rec::WaitBrief& row) {
                if (!is_kind(row.kind)) {
                    ++waits_.strange_rows;
                    return;
                }
                brief.push_back({row.stream,
                                 static_cast<rec::WaitKind>(row.kind),
                                 {.ns = static_cast<std::int64_t>(row.duration), .count = row.count}});
                waits_.brief_below_ns = std::max(waits_.brief_below_ns, row.below);
            }));
        if (!report) {
            return report.error();
        }
        for (auto& [id, stream] : streams_) {
            stream.thread = static_cast<std::uint32_t>(waits_.threads.size());
            waits_.threads.push_back({pid_, stream.tid, stream.begin, stream.name});
            by_tid_[stream.tid].push_back(&stream);
        }
        for (auto& [tid, lives] : by_tid_) {
            std::sort(lives.begin(), lives.end(),
                      [](const WaitStream* a, const WaitStream* b) { return a->begin < b->begin; });
        }
        for (const Brief& sum : brief) {
            if (const auto stream = streams_.find(sum.stream); stream != streams_.end()) {
                waits_.brief[{stream->second.thread, sum.kind}] += sum.amount;
            } else {
                ++waits_.strange_rows;
            }
        }
        return {};
    }

    // Numbers rise from 1; some may be missing where space ran out.
    void add_context(std::uint64_t id, const rec::Context& row) {
        std::vector<ContextInfo>& contexts = streams_[id].contexts;
        if (row.context == 0 || row.context > 4 * contexts.size() + 65536 || row.parent >= row.context) {
            ++waits_.strange_rows;
            return;
        }
        if (row.context >= contexts.size()) {
            contexts.resize(row.context + 1);
        }
        contexts[row.context] = {static_cast<std::uint32_t>(row.parent), row.image, row.offset};
    }

    WaitPath path_of(const WaitStream& stream, std::uint32_t context) {
        WaitPath path;
        while (context != 0 && context < stream.contexts.size() && path.size() < kWaitPathFrames) {
            const ContextInfo& frame = stream.contexts[context];
            path.push_back({image_index(frame.image), frame.offset});
            context = frame.parent;
        }
        return path;
    }

    std::uint32_t image_index(std::uint64_t id) {
        const auto known = image_indices_.find(id);
        if (known != image_indices_.end()) {
            return known->second;
        }
        const auto found = images_.find(id);
        waits_.images.push_back(found == images_.end() ? ImageInfo{{}, {}, machine_} : found->second);
        return image_indices_[id] = static_cast<std::uint32_t>(waits_.images.size() - 1);
    }

    // The thread that had this id when the wait was over.
    WaitStream* thread_of(std::uint64_t tid, std::uint64_t at) {
        const auto lives = by_tid_.find(tid);
        if (tid == 0 || lives == by_tid_.end()) {
            return nullptr;
        }
        WaitStream* last = nullptr;
        for (WaitStream* stream : lives->second) {
            if (stream->begin <= at) {
                last = stream;
            }
        }
        return last;
    }

    void make_groups() {
        for (auto& [id, stream] : streams_) {
            for (const RawWait& wait : stream.waits) {
                WaitStream* holder = thread_of(wait.holder_tid, wait.end);
                if (holder == &stream) {
                    holder = nullptr;
                }
                WaitGroup& group = waits_.groups[{.thread = stream.thread,
                                                  .kind = wait.kind,
                                                  .object = wait.object,
                                                  .holder_tid = wait.holder_tid,
                                                  .holder = holder == nullptr ? kNone : holder->thread,
                                                  .path = path_of(stream, wait.context)}];
                const auto ns = static_cast<std::int64_t>(wait.end - wait.begin);
                group.amount += {.ns = ns,
                                 .count = 1,
                                 .longest_ns = ns,
                                 .open = (wait.flags & rec::kWaitOpen) != 0 ? 1U : 0U,
                                 .abandoned = (wait.flags & rec::kWaitAbandoned) != 0 ? 1U : 0U};
                if (holder != nullptr) {
                    windows_[holder].push_back({wait.begin, wait.end, &group});
                }
            }
        }
    }

    void add_own_waits() {
        for (auto& [holder, windows] : windows_) {
            Sweep sweep(windows);
            std::vector<RawWait> own = holder->waits;
            std::sort(own.begin(), own.end(), [](const RawWait& a, const RawWait& b) { return a.begin < b.begin; });
            for (const RawWait& wait : own) {
                const HolderKey key{wait.kind, path_of(*holder, wait.context)};
                sweep.pass(wait.begin, wait.end,
                           [&](WaitGroup& group, std::int64_t ns) { group.meanwhile[key] += ns; });
            }
        }
    }

    Result<void> read_samples() {
        std::size_t task_clock = ~std::size_t{0};
        if (const auto report = file_.scan(rec::on<rec::Event>([&](StreamId, const rec::Event& row) {
                if (row.name == "task-clock") {
                    task_clock = row.index;
                }
            }));
            !report) {
            return report.error();
        }
        std::map<std::uint64_t, std::pair<Sweep, std::uint64_t>> sweeps;
        for (auto& [id, stream] : streams_) {
            if (const auto windows = windows_.find(&stream); windows != windows_.end()) {
                sweeps.emplace(id, std::pair(Sweep(std::move(windows->second)), stream.begin));
            }
        }
        const auto report = file_.scan(rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) {
            const auto found = sweeps.find(raw(id));
            if (found == sweeps.end() || task_clock >= row.deltas.size()) {
                return;
            }
            auto& [sweep, last] = found->second;
            // The processor time since the sample before ends here, and has not begun before that sample.
            const std::uint64_t spent = std::min(row.deltas[task_clock], row.time);
            const std::uint64_t begin = std::max(last, row.time - spent);
            last = std::max(last, row.time);
            const WaitStream& stream = streams_[raw(id)];
            sweep.pass(begin, row.time, [&](WaitGroup& group, std::int64_t ns) {
                group.meanwhile[{rec::WaitKind{}, path_of(stream, static_cast<std::uint32_t>(row.context))}] += ns;
            });
        }));
        if (!report) {
            return report.error();
        }
        return {};
    }

    const rec::File& file_;
    Waits waits_;
    std::uint64_t pid_;
    std::uint16_t machine_;
    std::map<std::uint64_t, ImageInfo> images_;
    std::map<std::uint64_t, std::uint32_t> image_indices_;
    std::map<std::uint64_t, WaitStream> streams_;
    std::map<std::uint64_t, std::vector<WaitStream*>> by_tid_;
    std::map<WaitStream*, std::vector<Window>> windows_;
};

}  // namespace

WaitAmount& WaitAmount::operator+=(const WaitAmount& other) {
    ns += other.ns;
    count += other.count;
    longest_ns = std::max(longest_ns, other.longest_ns);
    open += other.open;
    abandoned += other.abandoned;
    return *this;
}

void merge(Waits& whole, const Waits& part) {
    std::map<ImageInfo, std::uint32_t> images;
    for (std::uint32_t i = 0; i < whole.images.size(); ++i) {
        images.try_emplace(whole.images[i], i);
    }
    std::vector<std::uint32_t> image_of;
    for (const ImageInfo& image : part.images) {
        const auto [entry, is_new] = images.try_emplace(image, static_cast<std::uint32_t>(whole.images.size()));
        if (is_new) {
            whole.images.push_back(image);
        }
        image_of.push_back(entry->second);
    }
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint32_t> threads;
    for (std::uint32_t i = 0; i < whole.threads.size(); ++i) {
        threads.try_emplace({whole.threads[i].pid, whole.threads[i].tid, whole.threads[i].begin}, i);
    }
    std::vector<std::uint32_t> thread_of;
    for (const WaitThread& thread : part.threads) {
        const auto [entry, is_new] = threads.try_emplace({thread.pid, thread.tid, thread.begin},
                                                         static_cast<std::uint32_t>(whole.threads.size()));
        if (is_new) {
            whole.threads.push_back(thread);
        } else if (whole.threads[entry->second].name.empty()) {
            whole.threads[entry->second].name = thread.name;
        }
        thread_of.push_back(entry->second);
    }
    const auto moved = [&](WaitPath path) {
        for (WaitFrame& frame : path) {
            frame.image = image_of[frame.image];
        }
        return path;
    };
    for (const auto& [key, group] : part.groups) {
        WaitKey to = key;
        to.thread = thread_of[key.thread];
        to.holder = key.holder == kNone ? kNone : thread_of[key.holder];
        to.path = moved(key.path);
        WaitGroup& sum = whole.groups[std::move(to)];
        sum.amount += group.amount;
        for (const auto& [what, ns] : group.meanwhile) {
            sum.meanwhile[{what.kind, moved(what.path)}] += ns;
        }
    }
    for (const auto& [key, amount] : part.brief) {
        whole.brief[{thread_of[key.first], key.second}] += amount;
    }
    whole.brief_below_ns = std::max(whole.brief_below_ns, part.brief_below_ns);
    whole.strange_rows += part.strange_rows;
}

Result<Waits> load_waits(const recording::File& file) {
    return WaitLoader(file).load();
}

Waits load_waits(const recording::Recording& recording) {
    Waits whole;
    for (const recording::File& file : recording.files()) {
        if (const auto part = load_waits(file); part) {
            merge(whole, *part);
        }
    }
    return whole;
}

}  // namespace kymo::spacetime
