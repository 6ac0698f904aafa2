#include "import/named/perfetto_trace.h"

#include "base/hash.h"
#include "import/named/inflated.h"
#include "import/named/unpacked.h"
#include "import/named/wire.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import::named {
namespace {

using protozero::pbf_reader;

constexpr std::size_t kMostEventNameBytes = 4'096;
constexpr std::uint64_t kPacketsBetweenQuestions = 1'024;
constexpr std::size_t kMostSequences = std::size_t{1} << 16U;
constexpr std::size_t kMostOpen = std::size_t{1} << 16U;  // slices of a track in one another
constexpr std::uint32_t kTraceClock = 6;                  // the time since the system was started
constexpr std::uint32_t kFirstOwnClock = 64;              // from here on clocks are a sequence's own
constexpr std::uint32_t kFlows = 47;        // fields of an event: numbers of flows that go on from there
constexpr std::uint32_t kFlowEnds = 48;     // and of those that end there
constexpr std::uint32_t kStateCleared = 1;  // flag of a packet
constexpr std::uint64_t kLatest = std::uint64_t{1} << 62U;

std::string_view cut_name(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kMostEventNameBytes)};
}

// One packet after another.
class Packets {
  public:
    Packets(Input& input, const Progress& progress) : input_(input), unpacked_(input), progress_(progress) {}

    // Valid until the next call; none: the end.
    Result<std::optional<std::span<const std::uint8_t>>> next() {
        using Packet = std::optional<std::span<const std::uint8_t>>;
        for (;;) {
            std::uint64_t tag = 0;
            std::uint64_t bytes = 0;
            std::size_t at = begin_;
            const bool has_head = take_number(&at, &tag) && (tag != kPacketTag || take_number(&at, &bytes));
            if (has_head && (tag != kPacketTag || bytes > PerfettoLimits::kMostPacketBytes)) {
                is_damaged_ = true;
                return Packet();
            }
            if (has_head && held_.size() - at >= bytes) {
                begin_ = at + bytes;
                return Packet(std::span(held_).subspan(at, bytes));
            }
            held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(begin_));
            begin_ = 0;
            const auto more = unpacked_.next();
            if (!more) {
                return more.error();
            }
            if (more->empty()) {
                is_cut_ = !held_.empty() || unpacked_.is_cut();
                return Packet();
            }
            held_.insert(held_.end(), more->begin(), more->end());
            if (progress_ && input_.share() > 0) {
                progress_(input_.share());
            }
        }
    }

    [[nodiscard]] bool is_cut() const { return is_cut_; }
    [[nodiscard]] bool is_damaged() const { return is_damaged_; }

  private:
    static constexpr std::uint64_t kPacketTag = 0x0a;  // field 1, with a length

    // False: it is not whole yet.
    bool take_number(std::size_t* at, std::uint64_t* number) const {
        constexpr unsigned kMostBits = 70;
        *number = 0;
        for (unsigned bits = 0; bits < kMostBits && *at < held_.size(); bits += 7) {
            const std::uint8_t byte = held_[(*at)++];
            *number |= bits < 64 ? std::uint64_t{byte & 0x7fU} << bits : 0;
            if (byte < 0x80) {
                return true;
            }
        }
        return false;
    }

    Input& input_;
    Unpacked unpacked_;
    const Progress& progress_;
    std::vector<std::uint8_t> held_;
    std::size_t begin_ = 0;  // of what has not been given
    bool is_cut_ = false;
    bool is_damaged_ = false;
};

struct Track {
    std::optional<std::uint32_t> pid = {};
    std::optional<std::uint32_t> tid = {};
    std::uint64_t parent = 0;
    std::string name = {};
    std::vector<std::string> open = {};  // names of its slices, if it is not of a thread
};

// A clock of a sequence's own, since the snapshot that defined it.
struct OwnClock {
    std::uint64_t begin = 0;     // its value then
    std::uint64_t begin_ns = 0;  // of the trace's clock
    std::uint64_t now = 0;
    std::uint64_t unit = 1;  // ns
    bool is_incremental = false;
};

// What packets of one writer refer to.
struct Sequence {
    std::unordered_map<std::uint64_t, std::string> names;
    std::unordered_map<std::uint64_t, std::string> categories;
    std::map<std::uint32_t, OwnClock> clocks;
    std::uint32_t default_clock = kTraceClock;
    std::uint64_t default_track = 0;
};

class PerfettoReader {
  public:
    PerfettoReader(TraceVisitor& visitor, TraceFacts& facts) : visitor_(visitor), facts_(facts) {}

    void packet(std::span<const std::uint8_t> bytes) {
        std::optional<std::uint64_t> time;
        std::optional<std::uint32_t> clock;
        std::uint32_t number = 0;
        std::uint32_t flags = 0;
        std::span<const std::uint8_t> event;
        std::vector<std::span<const std::uint8_t>> interned;
        std::span<const std::uint8_t> defaults;
        std::vector<std::span<const std::uint8_t>> snapshots;
        const bool is_whole = each_field(bytes, [&](pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(8):
                    time = at.get_uint64();
                    break;
                case number_field(58):
                    clock = static_cast<std::uint32_t>(at.get_uint64());
                    break;
                case number_field(10):
                    number = static_cast<std::uint32_t>(at.get_uint64());
                    break;
                case number_field(13):
                    flags = static_cast<std::uint32_t>(at.get_uint64());
                    break;
                case part_field(11):
                    event = part_of(at);
                    break;
                case part_field(12):
                    interned.push_back(part_of(at));
                    break;
                case part_field(59):
                    defaults = part_of(at);
                    break;
                case part_field(6):
                    snapshots.push_back(part_of(at));
                    break;
                case part_field(60):
                    track(part_of(at));
                    break;
                case part_field(2):
                    process_tree(part_of(at));
                    break;
                case part_field(1):
                    kernel_bundle(part_of(at));
                    break;
                case part_field(50):
                    compressed(part_of(at));
                    break;
                default:
                    at.skip();
            }
        });
        damaged_ += is_whole ? 0 : 1;
        if (sequences_.size() >= kMostSequences && !sequences_.contains(number)) {
            ++bad_;
            return;
        }
        Sequence& of = sequences_[number];
        if ((flags & kStateCleared) != 0) {
            names_ -= std::min(names_, of.names.size() + of.categories.size());
            of.names.clear();
            of.categories.clear();
        }
        for (const auto& part : snapshots) {
            snapshot(of, part);
        }
        read_defaults(of, defaults);
        for (const auto& part : interned) {
            intern(of, part);
        }
        if (event.data() != nullptr) {
            const auto ns = time ? time_of(of, *time, clock.value_or(of.default_clock)) : std::nullopt;
            track_event(of, event, ns);
        }
    }

    void finish() {
        const auto note = [&](std::uint64_t count, std::string_view what) {
            if (count != 0) {
                facts_.notices.push_back(fmt::format("{} {}", count, what));
            }
        };
        note(left_out_,
             "compressed packets are left out: they have far more than such packets have, or are inside another one");
        note(flows_, "points of flows are of no thread, and are left out");
        note(lost_, "of the kernel's buffers were full: what happened then is missing");
        note(bad_, "events have no time, track or name that is known, and are left out");
        note(damaged_, "packets are damaged: what is before that was read of them");
    }

  private:
    // Packets that were written in one piece, by zlib.
    void compressed(std::span<const std::uint8_t> part) {
        compressed_ += part.size();
        const std::size_t allowed = PerfettoLimits::kFreeBytes + PerfettoLimits::kMostRatio * compressed_;
        const std::size_t most = std::min(PerfettoLimits::kMostPacketBytes, allowed - std::min(allowed, inflated_));
        if (is_inside_ || most == 0) {
            ++left_out_;
            return;
        }
        const Inflated inflated = inflate_part(part, most);
        left_out_ += inflated.is_large ? 1 : 0;
        inflated_ += inflated.is_large ? most : inflated.bytes.size();
        is_inside_ = true;
        std::uint64_t count = 0;
        const bool is_sound = each_field(inflated.bytes, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind != part_field(1) || (++count % kPacketsBetweenQuestions == 0 && visitor_.enough())) {
                at.skip();
            } else {
                packet(part_of(at));
            }
        });
        is_inside_ = false;
        damaged_ += inflated.is_large || (inflated.is_whole && is_sound) ? 0 : 1;
    }

    void read_defaults(Sequence& of, std::span<const std::uint8_t> defaults) const {
        each_field(defaults, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind == number_field(58)) {
                of.default_clock = static_cast<std::uint32_t>(at.get_uint64());
            } else if (kind == part_field(11)) {
                each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                    if (inner == number_field(11)) {
                        of.default_track = in.get_uint64();
                    } else {
                        in.skip();
                    }
                });
            } else {
                at.skip();
            }
        });
    }

    void intern(Sequence& of, std::span<const std::uint8_t> interned) {
        each_field(interned, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind != part_field(1) && kind != part_field(2)) {
                at.skip();
                return;
            }
            std::uint64_t number = 0;
            std::string_view text;
            each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                if (inner == number_field(1)) {
                    number = in.get_uint64();
                } else if (inner == part_field(2)) {
                    text = cut_name(part_of(in));
                } else {
                    in.skip();
                }
            });
            if (names_ < PerfettoLimits::kMostNames) {
                ++names_;
                (kind == part_field(1) ? of.categories : of.names)[number] = text;
            }
        });
    }

    // The same moment on several clocks.
    void snapshot(Sequence& of, std::span<const std::uint8_t> bytes) {
        struct Reading {
            std::uint32_t id = 0;
            OwnClock clock;
        };
        std::vector<Reading> readings;
        each_field(bytes, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind != part_field(1)) {
                at.skip();
                return;
            }
            Reading one;
            each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                switch (inner) {
                    case number_field(1):
                        one.id = static_cast<std::uint32_t>(in.get_uint64());
                        break;
                    case number_field(2):
                        one.clock.begin = one.clock.now = in.get_uint64();
                        break;
                    case number_field(3):
                        one.clock.is_incremental = in.get_uint64() != 0;
                        break;
                    case number_field(4):
                        one.clock.unit = in.get_uint64();
                        break;
                    default:
                        in.skip();
                }
            });
            readings.push_back(one);
        });
        const auto is_trace = [](const Reading& one) { return one.id == kTraceClock; };
        const auto trace = std::find_if(readings.begin(), readings.end(), is_trace);
        if (trace == readings.end()) {
            return;
        }
        for (Reading& one : readings) {
            one.clock.begin_ns = trace->clock.begin;
            constexpr std::size_t kMostClocks = 256;
            std::map<std::uint32_t, OwnClock>& to = one.id >= kFirstOwnClock ? of.clocks : clocks_;
            if (to.size() < kMostClocks) {
                to[one.id] = one.clock;
            }
        }
    }

    // On the trace's clock. None: the clock is not known.
    std::optional<std::uint64_t> time_of(Sequence& of, std::uint64_t time, std::uint32_t id) {
        if (id == kTraceClock || id == 0) {
            return time;
        }
        std::map<std::uint32_t, OwnClock>& clocks = id >= kFirstOwnClock ? of.clocks : clocks_;
        const auto found = clocks.find(id);
        if (found == clocks.end()) {
            // Of a trace without snapshots all times are of one clock.
            return id < kFirstOwnClock && clocks_.empty() ? std::optional(time) : std::nullopt;
        }
        OwnClock& clock = found->second;
        clock.now = clock.is_incremental ? clock.now + time : time;
        return clock.begin_ns + (clock.now - clock.begin) * clock.unit;
    }

    void track(std::span<const std::uint8_t> descriptor) {
        std::uint64_t uuid = 0;
        Track made;
        std::string_view process_name;
        std::string_view thread_name;
        each_field(descriptor, [&](pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(1):
                    uuid = at.get_uint64();
                    break;
                case part_field(2):
                case part_field(10):
                    made.name = cut_name(part_of(at));
                    break;
                case part_field(3):
                    each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                        if (inner == number_field(1)) {
                            made.pid = static_cast<std::uint32_t>(in.get_uint64());
                        } else if (inner == part_field(6)) {
                            process_name = cut_name(part_of(in));
                        } else if (inner == part_field(2)) {
                            const auto word = cut_name(part_of(in));
                            process_name = process_name.empty() ? word : process_name;
                        } else {
                            in.skip();
                        }
                    });
                    break;
                case part_field(4):
                    each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                        if (inner == number_field(1)) {
                            made.pid = static_cast<std::uint32_t>(in.get_uint64());
                        } else if (inner == number_field(2)) {
                            made.tid = static_cast<std::uint32_t>(in.get_uint64());
                        } else if (inner == part_field(5)) {
                            thread_name = cut_name(part_of(in));
                        } else {
                            in.skip();
                        }
                    });
                    break;
                case number_field(5):
                    made.parent = at.get_uint64();
                    break;
                default:
                    at.skip();
            }
        });
        if (made.pid && made.tid) {
            visitor_.thread_name(*made.pid, *made.tid,
                                 thread_name.empty() ? std::string_view(made.name) : thread_name);
        } else if (made.pid && !(process_name.empty() && made.name.empty())) {
            visitor_.process_name(*made.pid, process_name.empty() ? std::string_view(made.name) : process_name);
        }
        if (tracks_.size() < PerfettoLimits::kMostTracks || tracks_.contains(uuid)) {
            Track& known = tracks_[uuid];
            made.open = std::move(known.open);
            known = std::move(made);
        }
    }

    void process_tree(std::span<const std::uint8_t> tree) {
        each_field(tree, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind != part_field(1) && kind != part_field(2)) {
                at.skip();
                return;
            }
            std::uint32_t number = 0;
            std::uint32_t group = 0;
            std::string_view name;
            const bool is_process = kind == part_field(1);
            each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                if (inner == number_field(1)) {
                    number = static_cast<std::uint32_t>(in.get_uint64());
                } else if (inner == number_field(3)) {
                    group = static_cast<std::uint32_t>(in.get_uint64());
                } else if (inner == part_field(is_process ? 3 : 2)) {
                    const auto word = cut_name(part_of(in));
                    name = name.empty() ? word : name;
                } else {
                    in.skip();
                }
            });
            if (is_process) {
                visitor_.process_name(number, name);
                visitor_.thread_name(number, number, name.substr(name.rfind('/') + 1));
            } else {
                visitor_.thread_name(group, number, name);
            }
        });
    }

    void kernel_bundle(std::span<const std::uint8_t> bundle) {
        std::uint32_t processor = 0;
        std::vector<std::span<const std::uint8_t>> events;
        std::span<const std::uint8_t> compact;
        each_field(bundle, [&](pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(1):
                    processor = static_cast<std::uint32_t>(at.get_uint64());
                    break;
                case part_field(2):
                    events.push_back(part_of(at));
                    break;
                case number_field(3):
                    lost_ += at.get_uint64() != 0 ? 1 : 0;
                    break;
                case part_field(4):
                    compact = part_of(at);
                    break;
                default:
                    at.skip();
            }
        });
        for (const auto& event : events) {
            kernel_event(processor, event);
        }
        if (compact.data() != nullptr) {
            compact_switches(processor, compact);
        }
    }

    void kernel_event(std::uint32_t processor, std::span<const std::uint8_t> event) {
        TraceSwitch made;
        made.processor = processor;
        bool is_switch = false;
        each_field(event, [&](pbf_reader& at, std::uint32_t kind) {
            if (kind == number_field(1)) {
                made.time = at.get_uint64();
            } else if (kind == part_field(4)) {
                is_switch = true;
                made.is_preempted = true;  // state 0 is left out of a message
                each_field(part_of(at), [&](pbf_reader& in, std::uint32_t inner) {
                    if (inner == number_field(2)) {
                        made.from = static_cast<std::uint32_t>(in.get_uint64());
                    } else if (inner == number_field(4)) {
                        made.is_preempted = is_runnable(in.get_uint64());
                    } else if (inner == number_field(6)) {
                        made.to = static_cast<std::uint32_t>(in.get_uint64());
                    } else {
                        in.skip();
                    }
                });
            } else {
                at.skip();
            }
        });
        if (is_switch) {
            give(made);
        }
    }

    // Columns: times as differences, and by each the state of the thread that left and the number of the next one.
    void compact_switches(std::uint32_t processor, std::span<const std::uint8_t> bytes) {
        std::vector<std::uint64_t> times;
        std::vector<std::uint64_t> states;
        std::vector<std::uint64_t> next;
        each_field(bytes, [&](pbf_reader& at, std::uint32_t kind) {
            const std::uint32_t field = at.tag();
            if (field < 1 || field > 3 || (kind != part_field(field) && kind != number_field(field))) {
                at.skip();
                return;
            }
            auto& to = field == 1 ? times : field == 2 ? states : next;
            each_number(at, kind, field, [&](std::uint64_t value) {
                to.push_back(value);
                return true;
            });
        });
        std::uint64_t time = 0;
        std::optional<std::uint32_t> before;
        for (std::size_t i = 0; i < std::min({times.size(), states.size(), next.size()}); ++i) {
            time += times[i];
            TraceSwitch made;
            made.time = time;
            made.processor = processor;
            made.to = static_cast<std::uint32_t>(next[i]);
            made.is_preempted = is_runnable(states[i]);
            made.from = before.value_or(last_on_[processor]);
            before = made.to;
            give(made);
        }
        if (before && last_on_.size() < kMostSequences) {
            last_on_[processor] = *before;
        }
    }

    static bool is_runnable(std::uint64_t state) { return (state & 0xffU) == 0; }

    void give(const TraceSwitch& made) {
        if (made.time > kLatest) {
            ++bad_;
            return;
        }
        ++facts_.events;
        visitor_.processor_switch(made);
    }

    void track_event(Sequence& of, std::span<const std::uint8_t> bytes, std::optional<std::uint64_t> time) {
        std::uint64_t type = 0;
        std::optional<std::uint64_t> uuid;
        std::string_view name;
        std::string_view category;
        double value = 0;
        flow_ids_.clear();
        each_field(bytes, [&](pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(9):
                    type = at.get_uint64();
                    break;
                case number_field(11):
                    uuid = at.get_uint64();
                    break;
                case number_field(10):
                    name = text_of(of.names, at.get_uint64());
                    break;
                case part_field(23):
                    name = cut_name(part_of(at));
                    break;
                case part_field(22): {
                    const auto text = cut_name(part_of(at));
                    category = category.empty() ? text : category;
                    break;
                }
                case number_field(3):
                case part_field(3):
                    each_number(at, kind, 3, [&](std::uint64_t number) {
                        category = category.empty() ? text_of(of.categories, number) : category;
                        return true;
                    });
                    break;
                case number_field(30):
                    value = static_cast<double>(at.get_int64());
                    break;
                case protozero::tag_and_type(44, protozero::pbf_wire_type::fixed64):
                    value = at.get_double();
                    break;
                case part_field(kFlows):
                case part_field(kFlowEnds):
                    for (const std::uint64_t id : at.get_packed_fixed64()) {
                        add_flow(id, kind == part_field(kFlowEnds));
                    }
                    break;
                case protozero::tag_and_type(kFlows, protozero::pbf_wire_type::fixed64):
                case protozero::tag_and_type(kFlowEnds, protozero::pbf_wire_type::fixed64):
                    add_flow(at.get_fixed64(), at.tag() == kFlowEnds);
                    break;
                default:
                    at.skip();
            }
        });
        const auto found = tracks_.find(uuid.value_or(of.default_track));
        if (!time || *time > kLatest || found == tracks_.end() || type < 1 || type > 4) {
            ++bad_;
            return;
        }
        give_flows(found->second, *time, name.empty() ? std::string_view(found->second.name) : name);
        give_event(found->first, found->second, static_cast<unsigned>(type), *time, name, category, value);
    }

    // Of one event.
    void add_flow(std::uint64_t id, bool is_end) {
        constexpr std::size_t kMostFlows = 1024;
        if (flow_ids_.size() < kMostFlows) {
            flow_ids_.emplace_back(id, is_end ? FlowPart::kEnd : FlowPart::kStep);
        } else {
            ++flows_;
        }
    }
    void give_flows(const Track& track, std::uint64_t time, std::string_view name) {
        const auto [pid, tid] = owner_of(track);
        for (const auto& [id, part] : flow_ids_) {
            if (!pid || !tid) {
                ++flows_;
                continue;
            }
            TraceFlow made;
            made.time = time;
            made.pid = *pid;
            made.tid = *tid;
            made.id = id;
            made.part = part;
            made.name = name;
            ++facts_.events;
            visitor_.flow(made);
        }
    }

    static std::string_view text_of(const std::unordered_map<std::uint64_t, std::string>& texts,
                                    std::uint64_t number) {
        const auto found = texts.find(number);
        return found == texts.end() ? std::string_view() : std::string_view(found->second);
    }

    // The thread or process that a track is of, by its parents.
    std::pair<std::optional<std::uint32_t>, std::optional<std::uint32_t>> owner_of(const Track& track) const {
        constexpr int kMostParents = 16;
        const Track* at = &track;
        for (int i = 0; i < kMostParents && !at->pid; ++i) {
            const auto parent = tracks_.find(at->parent);
            if (at->parent == 0 || parent == tracks_.end()) {
                break;
            }
            at = &parent->second;
        }
        return {at->pid, at->tid};
    }

    void give_event(std::uint64_t uuid, Track& track, unsigned type, std::uint64_t time, std::string_view name,
                    std::string_view category, double value) {
        constexpr unsigned kBegin = 1;
        constexpr unsigned kEnd = 2;
        constexpr unsigned kInstant = 3;
        const auto [pid, tid] = owner_of(track);
        TraceEvent made;
        made.time = time;
        made.pid = pid.value_or(0);
        made.tid = tid.value_or(kNotGiven);
        made.name = name.empty() ? std::string_view(track.name) : name;
        made.category = category;
        made.value = value;
        if (type == kInstant) {
            made.kind = TraceKind::kInstant;
        } else if (type != kBegin && type != kEnd) {
            made.kind = TraceKind::kCounter;
        } else if (track.tid) {
            made.kind = type == kBegin ? TraceKind::kBegin : TraceKind::kEnd;
        } else if (type == kBegin) {
            if (track.open.size() >= kMostOpen) {
                ++bad_;
                return;
            }
            made.kind = TraceKind::kAsyncBegin;
            made.id = hash_of(uuid, track.open.size());
            track.open.emplace_back(made.name);
        } else if (track.open.empty()) {
            ++bad_;
            return;
        } else {
            made.kind = TraceKind::kAsyncEnd;
            ended_ = std::move(track.open.back());
            track.open.pop_back();
            made.name = ended_;
            made.id = hash_of(uuid, track.open.size());
        }
        ++facts_.events;
        visitor_.event(made);
    }

    TraceVisitor& visitor_;
    TraceFacts& facts_;
    std::unordered_map<std::uint32_t, Sequence> sequences_;
    std::unordered_map<std::uint64_t, Track> tracks_;
    std::map<std::uint32_t, OwnClock> clocks_;                  // of the system, by their latest snapshot
    std::unordered_map<std::uint32_t, std::uint32_t> last_on_;  // thread, by processor
    std::size_t names_ = 0;
    std::string ended_;
    std::size_t compressed_ = 0;                                // bytes of compressed packets
    std::size_t inflated_ = 0;                                  // what became of them
    bool is_inside_ = false;                                    // of a compressed packet
    std::uint64_t left_out_ = 0;                                // compressed packets
    std::vector<std::pair<std::uint64_t, FlowPart>> flow_ids_;  // of an event
    std::uint64_t flows_ = 0;                                   // that are left out
    std::uint64_t lost_ = 0;
    std::uint64_t bad_ = 0;
    std::uint64_t damaged_ = 0;
};

}  // namespace

Result<TraceFacts> read_perfetto_trace(Input& input, TraceVisitor& visitor, const Progress& progress) {
    Packets packets(input, progress);
    TraceFacts facts;
    PerfettoReader reader(visitor, facts);
    for (std::uint64_t count = 1;; ++count) {
        const auto packet = packets.next();
        if (!packet) {
            return packet.error();
        }
        if (!*packet || (count % kPacketsBetweenQuestions == 0 && visitor.enough())) {
            break;
        }
        reader.packet(**packet);
    }
    if (facts.events == 0 && !visitor.enough()) {
        return Error{ErrorKind::kMalformed, input.name() + " has no events of a trace", ""};
    }
    reader.finish();
    if (packets.is_cut()) {
        facts.notices.emplace_back("the file is cut off: what is there was read");
    } else if (packets.is_damaged()) {
        facts.notices.emplace_back("the file is damaged: what is before that was read");
    }
    return facts;
}

bool looks_like_perfetto_trace(std::span<const std::uint8_t> beginning) {
    constexpr std::uint32_t kLastOfPprof = 2;  // of the message that a profile of pprof begins with
    bool is_trace = false;
    try {
        pbf_reader at(reinterpret_cast<const char*>(beginning.data()), beginning.size());
        if (!at.next() || at.tag_and_type() != part_field(1)) {
            return false;
        }
        each_field(part_of(at), [&](pbf_reader& in, std::uint32_t kind) {
            is_trace = is_trace || in.tag() > kLastOfPprof || kind == part_field(in.tag());
            in.skip();
        });
    } catch (const protozero::exception&) {
        return false;  // it is longer than what is here, or none
    }
    return is_trace;
}

}  // namespace kymo::import::named
