#include "import/named/chrome_trace.h"

#include "base/hash.h"
#include "import/named/chrome_samples.h"
#include "import/named/unpacked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace kymo::import::named {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNameBytes = 4'096;
constexpr std::uint64_t kMostJsonBytes = std::uint64_t{1} << 36U;
constexpr std::size_t kMostSeries = 16;  // of a counter's event
constexpr std::size_t kMostKinds = 32;   // of what is left out
constexpr std::size_t kMostNumbersOfTexts = std::size_t{1} << 16U;
constexpr std::uint32_t kFirstNumberOfTexts = std::uint32_t{1} << 30U;  // the kernel gives none so high
constexpr std::uint64_t kEventsBetweenQuestions = 4'096;

// The input's bytes one by one, for a reader that takes an iterator. Ends where a text or a number is too long, since
// the reader keeps it whole.
class JsonBytes {
  public:
    JsonBytes(Input& input, const Progress& progress) : input_(input), unpacked_(input), progress_(progress) {
        fill();
    }

    [[nodiscard]] bool is_at_end() const { return at_ == block_.size(); }
    [[nodiscard]] char now() const { return static_cast<char>(block_[at_]); }
    void advance() {
        const std::uint8_t byte = block_[at_++];
        if (measure(byte) > kMostTextBytes) {
            stop("a text of it is longer than 64 MiB");
        } else if (at_ == block_.size()) {
            fill();
        }
    }

    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    [[nodiscard]] bool is_cut() const { return unpacked_.is_cut(); }
    [[nodiscard]] const std::string& stopped() const { return stopped_; }  // why; empty: it was not

  private:
    // How much of a text or a number there is by now.
    std::size_t measure(std::uint8_t byte) {
        const bool was_escaped = std::exchange(is_escaped_, is_text_ && !is_escaped_ && byte == '\\');
        const bool is_quote = byte == '"' && !was_escaped;
        is_text_ = is_text_ != is_quote;
        const bool is_between = is_quote || (!is_text_ && (byte == ',' || byte == ':' || byte == '}' || byte == ']'));
        return text_bytes_ = is_between ? 0 : text_bytes_ + 1;
    }

    void fill() {
        given_ += block_.size();
        at_ = 0;
        block_ = {};
        if (given_ > kMostJsonBytes) {
            stop("it has more than 64 GiB");
            return;
        }
        auto bytes = unpacked_.next();
        if (!bytes) {
            error_ = bytes.error();
            return;
        }
        block_ = *bytes;
        if (progress_ && input_.share() > 0) {
            progress_(input_.share());
        }
    }
    void stop(std::string why) {
        stopped_ = std::move(why);
        block_ = {};
        at_ = 0;
    }

    Input& input_;
    Unpacked unpacked_;
    const Progress& progress_;
    std::span<const std::uint8_t> block_;
    std::size_t at_ = 0;
    std::uint64_t given_ = 0;
    std::size_t text_bytes_ = 0;
    bool is_text_ = false;
    bool is_escaped_ = false;  // the next byte
    std::optional<Error> error_;
    std::string stopped_;
};

// The end is an iterator of no bytes.
class JsonByteIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit JsonByteIterator(JsonBytes* bytes) : bytes_(bytes) {}
    char operator*() const { return bytes_->now(); }
    JsonByteIterator& operator++() {
        bytes_->advance();
        return *this;
    }
    JsonByteIterator operator++(int) {
        JsonByteIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const JsonByteIterator& other) const { return is_end() == other.is_end(); }
    bool operator!=(const JsonByteIterator& other) const { return !(*this == other); }

  private:
    [[nodiscard]] bool is_end() const { return bytes_ == nullptr || bytes_->is_at_end(); }
    JsonBytes* bytes_;
};

// Microseconds as nanoseconds. None: it is no time.
std::optional<std::uint64_t> ns_of_microseconds(double microseconds) {
    constexpr double kMost = 4e15;  // 126 years
    return microseconds >= 0 && microseconds < kMost
               ? std::optional(static_cast<std::uint64_t>(std::llround(microseconds * 1e3)))
               : std::nullopt;
}

// A value of an event's field, of which none is longer than a name.
struct Scalar {
    bool is_there = false;
    bool is_text = false;
    double number = 0;
    std::string text;  // of numbers none

    void clear() {
        is_there = is_text = false;
        number = 0;
        text.clear();
    }
};

// The fields of one event that matter.
struct RawEvent {
    Scalar phase, name, category, pid, tid, time, duration, thread_time, thread_duration, id, scope, frame, bound;
    bool flows_in = false;
    bool flows_out = false;
    Scalar own_name, detail;                              // of args
    std::vector<std::string> stack;                       // outermost first, kMostFrames at most
    ProfilePiece piece;                                   // of args
    bool has_mean = false;                                // args has "avg ms"
    std::vector<std::pair<std::string, double>> numbers;  // of args, the first kMostSeries

    void clear() {
        for (Scalar* field : {&phase, &name, &category, &pid, &tid, &time, &duration, &thread_time, &thread_duration,
                              &id, &scope, &frame, &bound, &own_name, &detail}) {
            field->clear();
        }
        flows_in = flows_out = false;
        stack.clear();
        piece.clear();
        has_mean = false;
        numbers.clear();
    }
};

// A member of one of the lists beside the events: a frame of stacks, or a sample.
struct RawMember {
    Scalar name, category, parent, tid, time, frame, weight;

    void clear() {
        for (Scalar* field : {&name, &category, &parent, &tid, &time, &frame, &weight}) {
            field->clear();
        }
    }
};

// A number as a text of the file would be.
std::string text_of(const Scalar& value) {
    constexpr double kMostWhole = 9e15;
    const bool is_whole = std::abs(value.number) < kMostWhole && value.number == std::floor(value.number);
    return value.is_text ? value.text
           : is_whole    ? fmt::format("{}", static_cast<std::int64_t>(value.number))
                         : fmt::format("{}", value.number);
}

// Takes the reader's calls: a value begins or ends, or a key comes before one.
class TraceSax {
  public:
    TraceSax(TraceVisitor& visitor, TraceFacts& facts) : visitor_(visitor), facts_(facts), samples_(visitor, facts) {}

    bool null() { return true; }
    bool boolean(bool value) {
        if (depth_ == event_depth_ + 1) {
            event_.flows_in = key_ == "flow_in" ? value : event_.flows_in;
            event_.flows_out = key_ == "flow_out" ? value : event_.flows_out;
        }
        return true;
    }
    bool number_integer(json::number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(json::number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(json::number_float_t value, const std::string&) { return number(value); }
    bool binary(json::binary_t&) { return true; }
    bool string(std::string& text) {
        if (Scalar* const field = field_here()) {
            field->is_there = field->is_text = true;
            field->text.assign(text, 0, kMostNameBytes);
        }
        if (is_in_events()) {
            take_text(text);
        }
        return true;
    }
    bool key(std::string& text) {
        key_.assign(text, 0, kMostNameBytes);
        if (depth_ == event_depth_ + 1) {
            event_key_ = key_;
        } else if (is_in_events() && event_key_ == kArguments && level() <= keys_.size()) {
            keys_[level() - 1] = key_;
        } else if (!is_in_events() && depth_ <= 2) {
            (depth_ == 1 ? list_ : member_) = key_;
        }
        return true;
    }
    bool start_object(std::size_t) {
        ++depth_;
        is_object_ = is_object_ || depth_ == 1;
        if (depth_ == event_depth_ + 1) {
            event_.clear();
            keys_[1].clear();
        } else if (is_list_member()) {
            raw_member_.clear();
        } else if (is_in_events() && level() == kNode && is_of_profile("cpuProfile", "nodes") &&
                   event_.piece.nodes.size() < ProfilePiece::kMostNodes) {
            event_.piece.nodes.emplace_back();
        }
        return true;
    }
    bool end_object() {
        const bool is_event = depth_ == event_depth_ + 1;
        if (is_list_member()) {
            take_member();
        }
        --depth_;
        return !is_event || take();
    }
    bool start_array(std::size_t) {
        ++depth_;
        const bool is_whole = depth_ == 1;
        const bool is_member = depth_ == 2 && is_object_ && key_ == "traceEvents";
        if (event_depth_ == kNoEvents && (is_whole || is_member)) {
            event_depth_ = depth_;
            has_events_ = true;
        }
        return true;
    }
    bool end_array() {
        if (depth_ == event_depth_) {
            event_depth_ = kNoEvents;
        }
        --depth_;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception&) {
        is_broken_ = true;
        return false;
    }

    [[nodiscard]] bool has_events() const { return has_events_ || facts_.events != 0; }
    [[nodiscard]] bool is_broken() const { return is_broken_; }

    void finish() {
        const auto note = [&](std::uint64_t count, std::string_view what) {
            if (count != 0) {
                facts_.notices.push_back(fmt::format("{} {}", count, what));
            }
        };
        std::string kinds;
        std::uint64_t others = 0;
        for (const auto& [kind, count] : left_out_) {
            kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
            others += count;
        }
        if (others != 0) {
            facts_.notices.push_back("left out: " + kinds);
        }
        note(bad_, "events have no time, thread or phase that can be understood, and are left out");
        note(samples_.bad(), "samples have no time or stack that is known, and are left out");
    }

  private:
    static constexpr std::size_t kNoEvents = ~std::size_t{0} - 1;

    bool number(double value) {
        if (Scalar* const field = field_here()) {
            field->is_there = true;
            field->number = value;
        }
        if (is_in_events()) {
            take_number(value);
        }
        if (depth_ == event_depth_ + 2 && event_key_ == kArguments) {
            event_.has_mean = event_.has_mean || key_ == "avg ms";
            if (event_.numbers.size() < kMostSeries) {
                event_.numbers.emplace_back(key_, value);
            }
        }
        return true;
    }

    // That this value is of; none: of no field that matters.
    Scalar* field_here() {
        if (depth_ == event_depth_ + 1) {
            return field_of(key_);
        }
        if (depth_ == event_depth_ + 2 && event_key_ == kArguments) {
            return key_ == "name" ? &event_.own_name : key_ == "detail" ? &event_.detail : nullptr;
        }
        if (depth_ == event_depth_ + 2 && event_key_ == "id2") {
            return &event_.id;
        }
        return is_list_member() ? field_of_member(key_) : nullptr;
    }
    Scalar* field_of_member(std::string_view key) {
        static constexpr std::array<std::pair<std::string_view, Scalar RawMember::*>, 7> kFields = {{
            {"name", &RawMember::name},
            {"category", &RawMember::category},
            {"parent", &RawMember::parent},
            {"tid", &RawMember::tid},
            {"ts", &RawMember::time},
            {"sf", &RawMember::frame},
            {"weight", &RawMember::weight},
        }};
        const auto found =
            std::find_if(kFields.begin(), kFields.end(), [&](const auto& field) { return field.first == key; });
        return found == kFields.end() ? nullptr : &(raw_member_.*found->second);
    }

    [[nodiscard]] bool is_in_events() const { return event_depth_ != kNoEvents && depth_ > event_depth_; }
    // Of open arrays and objects below the array of events: 1 in an event.
    [[nodiscard]] std::size_t level() const { return depth_ - event_depth_; }
    // In a frame or a sample of the file's lists of these.
    [[nodiscard]] bool is_list_member() const {
        return !is_in_events() && is_object_ && depth_ == 3 && (list_ == kFrames || list_ == kSamples);
    }
    // In args.data.FIRST of an event, and there in SECOND, if that is given.
    [[nodiscard]] bool is_of_profile(std::string_view first, std::string_view second = {}) const {
        return event_key_ == kArguments && keys_[1] == "data" && keys_[2] == first &&
               (second.empty() || keys_[3] == second);
    }

    // Of an event, what is in no field of its own.
    void take_number(double value) {
        ProfilePiece& piece = event_.piece;
        switch (level()) {
            case 3:
                piece.start = is_of_profile("startTime") ? value : piece.start;
                break;
            case 4:
                if (is_of_profile("timeDeltas") && piece.deltas.size() < ProfilePiece::kMostSamples) {
                    piece.deltas.push_back(value);
                }
                break;
            case 5:
                if (is_of_profile("cpuProfile", "samples") && piece.samples.size() < ProfilePiece::kMostSamples) {
                    piece.samples.push_back(value);
                }
                break;
            case kNode:
                if (is_of_profile("cpuProfile", "nodes") && !piece.nodes.empty()) {
                    (keys_[5] == "id"       ? piece.nodes.back().id
                     : keys_[5] == "parent" ? piece.nodes.back().parent
                                            : ignored_) = value;
                }
                break;
            default:
                break;
        }
    }
    void take_text(const std::string& text) {
        if (level() == 2 && event_key_ == "stack" && event_.stack.size() < ChromeSamples::kMostFrames) {
            event_.stack.push_back(text.substr(0, kMostNameBytes));
        } else if (level() == kNode + 1 && is_of_profile("cpuProfile", "nodes") && keys_[5] == "callFrame" &&
                   !event_.piece.nodes.empty()) {
            ProfilePiece::Node& node = event_.piece.nodes.back();
            if (keys_[6] == "functionName") {
                node.function.assign(text, 0, kMostNameBytes);
            } else if (keys_[6] == "url") {
                node.url.assign(text, 0, kMostNameBytes);
            }
        }
    }

    void take_member() {
        if (list_ == kFrames) {
            samples_.frame(member_, raw_member_.parent.is_there ? text_of(raw_member_.parent) : std::string(),
                           raw_member_.category.text, raw_member_.name.text);
            return;
        }
        if (!raw_member_.frame.is_there) {
            leave_out("samples without a stack");
            return;
        }
        const auto tid = number_of(raw_member_.tid);
        const bool has_time = raw_member_.time.is_there && !raw_member_.time.is_text;
        const auto time = has_time ? ns_of_microseconds(raw_member_.time.number) : std::nullopt;
        if (!tid || !time) {
            ++bad_;
            return;
        }
        StackSample sample;
        sample.time = *time;
        sample.tid = *tid;
        sample.name = raw_member_.name.text;
        sample.weight = raw_member_.weight.is_there ? raw_member_.weight.number : 1;
        samples_.sample(sample, text_of(raw_member_.frame));
    }

    // Of phase P.
    void take_sample(std::uint64_t time, std::uint32_t pid, std::uint32_t tid) {
        const std::string_view name = event_.name.text;
        if (name == "Profile" && event_.id.is_there) {
            const auto start = event_.piece.start >= 0 ? ns_of_microseconds(event_.piece.start) : std::nullopt;
            samples_.begin_profile(pid, tid, id(), start.value_or(time));
        } else if (name == "ProfileChunk" && event_.id.is_there) {
            samples_.add(pid, id(), event_.piece);
        } else if (event_.frame.is_there || !event_.stack.empty()) {
            StackSample sample;
            sample.time = time;
            sample.pid = pid;
            sample.tid = tid;
            sample.name = name == "sample" ? std::string_view() : name;
            if (event_.frame.is_there) {
                samples_.sample(sample, text_of(event_.frame));
            } else {
                samples_.sample(sample, event_.stack);
            }
        } else {
            leave_out("samples without a stack");
        }
    }
    Scalar* field_of(std::string_view key) {
        static constexpr std::array<std::pair<std::string_view, Scalar RawEvent::*>, 13> kFields = {{
            {"ph", &RawEvent::phase},
            {"name", &RawEvent::name},
            {"cat", &RawEvent::category},
            {"pid", &RawEvent::pid},
            {"tid", &RawEvent::tid},
            {"ts", &RawEvent::time},
            {"dur", &RawEvent::duration},
            {"tts", &RawEvent::thread_time},
            {"tdur", &RawEvent::thread_duration},
            {"id", &RawEvent::id},
            {"s", &RawEvent::scope},
            {"sf", &RawEvent::frame},
            {"bind_id", &RawEvent::bound},
        }};
        const auto found =
            std::find_if(kFields.begin(), kFields.end(), [&](const auto& field) { return field.first == key; });
        return found == kFields.end() ? nullptr : &(event_.*found->second);
    }

    // The number of a process or thread; of a text one of its own.
    std::optional<std::uint32_t> number_of(const Scalar& value) {
        if (!value.is_there) {
            return std::nullopt;
        }
        if (!value.is_text && value.number >= 0 && value.number < kFirstNumberOfTexts &&
            value.number == std::floor(value.number)) {
            return static_cast<std::uint32_t>(value.number);
        }
        const std::string text = text_of(value);
        if (numbers_.size() >= kMostNumbersOfTexts && !numbers_.contains(text)) {
            return std::nullopt;
        }
        return numbers_.try_emplace(text, kFirstNumberOfTexts + static_cast<std::uint32_t>(numbers_.size()))
            .first->second;
    }

    void leave_out(std::string_view kind) {
        const auto known = left_out_.find(kind);
        if (known != left_out_.end()) {
            ++known->second;
        } else {
            ++left_out_[left_out_.size() < kMostKinds ? std::string(kind) : std::string("others")];
        }
    }

    void take_name(std::uint32_t pid, std::optional<std::uint32_t> tid) {
        if (event_.name.text == "process_name") {
            visitor_.process_name(pid, event_.own_name.text);
        } else if (event_.name.text == "thread_name" && tid) {
            visitor_.thread_name(pid, *tid, event_.own_name.text);
        }
    }

    // The event is whole. False: the visitor has enough.
    bool take() {
        if (!event_.phase.is_there && !event_.name.is_there) {
            return true;  // the empty one that some writers end with
        }
        if (++taken_ % kEventsBetweenQuestions == 0 && visitor_.enough()) {
            return false;
        }
        const char phase = event_.phase.text.size() == 1 ? event_.phase.text[0] : '\0';
        const auto pid = event_.pid.is_there ? number_of(event_.pid) : std::optional<std::uint32_t>(1);
        const auto tid = number_of(event_.tid);
        if (!pid || phase == '\0') {
            ++bad_;
            return true;
        }
        if (phase == 'M') {
            take_name(*pid, tid);
            return true;
        }
        if (const std::string_view kind = unused_phase(phase); !kind.empty()) {
            leave_out(kind);
            return true;
        }
        const auto time =
            event_.time.is_there && !event_.time.is_text ? ns_of_microseconds(event_.time.number) : std::nullopt;
        if (!time || (needs_thread(phase) && !tid)) {
            ++bad_;
            return true;
        }
        if (phase == 'X' && event_.has_mean && event_.name.text.starts_with("Total ")) {
            leave_out("sums by name");
            return true;
        }
        if (phase == 'P') {
            take_sample(*time, *pid, *tid);
            return true;
        }
        if (phase == 's' || phase == 't' || phase == 'f') {
            give_flow(phase == 's'   ? FlowPart::kBegin
                      : phase == 't' ? FlowPart::kStep
                                     : FlowPart::kEnd,
                      mix(id() ^ std::hash<std::string>()(event_.name.text)), *time, *pid, *tid);
            return true;
        }
        if (tid && event_.bound.is_there && (event_.flows_in || event_.flows_out)) {
            constexpr std::uint64_t kBound = 0x9e37'79b9;  // apart from the numbers of flow events
            give_flow(!event_.flows_in   ? FlowPart::kBegin
                      : event_.flows_out ? FlowPart::kStep
                                         : FlowPart::kEnd,
                      mix(kBound ^ std::hash<std::string>()(text_of(event_.bound))), *time, *pid, *tid);
        }
        return give(phase, *time, *pid, tid);
    }

    static std::string_view unused_phase(char phase) {
        switch (phase) {
            case 'n':
            case 'T':
            case 'p':
                return "steps of asynchronous spans";
            case 'N':
            case 'O':
            case 'D':
                return "events of objects";
            case 'v':
            case 'V':
                return "memory dumps";
            case '(':
            case ')':
            case 'c':
                return "events of contexts and clocks";
            case 'B':
            case 'E':
            case 'X':
            case 'i':
            case 'I':
            case 'R':
            case 'C':
            case 'b':
            case 'e':
            case 'S':
            case 'F':
            case 'P':
            case 's':
            case 't':
            case 'f':
                return {};
            default:
                return "events of unknown phases";
        }
    }
    static bool needs_thread(char phase) {
        return phase == 'B' || phase == 'E' || phase == 'X' || phase == 'P' || phase == 's' || phase == 't' ||
               phase == 'f';
    }

    bool give(char phase, std::uint64_t time, std::uint32_t pid, std::optional<std::uint32_t> tid) {
        TraceEvent made;
        made.time = time;
        made.pid = pid;
        made.tid = tid.value_or(kNotGiven);
        made.name = event_.name.text;
        made.category = event_.category.text;
        made.detail = event_.detail.text;
        if (event_.thread_time.is_there) {
            made.thread_time = ns_of_microseconds(event_.thread_time.number);
        }
        switch (phase) {
            case 'B':
                made.kind = TraceKind::kBegin;
                break;
            case 'E':
                made.kind = TraceKind::kEnd;
                break;
            case 'X':
                made.kind = TraceKind::kComplete;
                made.duration = ns_of_microseconds(event_.duration.number).value_or(0);
                if (made.thread_time && event_.thread_duration.is_there) {
                    made.thread_duration = ns_of_microseconds(event_.thread_duration.number);
                }
                break;
            case 'b':
            case 'S':
            case 'e':
            case 'F':
                made.kind = phase == 'b' || phase == 'S' ? TraceKind::kAsyncBegin : TraceKind::kAsyncEnd;
                made.id = id();
                break;
            case 'C':
                return give_counters(made);
            default:
                made.kind = TraceKind::kInstant;
                if (event_.scope.text == "p" || event_.scope.text == "g") {
                    made.tid = kNotGiven;
                }
        }
        ++facts_.events;
        visitor_.event(made);
        return true;
    }

    void give_flow(FlowPart part, std::uint64_t id, std::uint64_t time, std::uint32_t pid, std::uint32_t tid) {
        TraceFlow made;
        made.time = time;
        made.pid = pid;
        made.tid = tid;
        made.id = id;
        made.part = part;
        made.name = event_.name.text;
        ++facts_.events;
        visitor_.flow(made);
    }

    bool give_counters(TraceEvent& made) {
        made.kind = TraceKind::kCounter;
        for (const auto& [series, value] : event_.numbers) {
            std::string name = event_.name.text;
            if (event_.numbers.size() > 1) {
                name += " " + series;
            }
            made.name = name;
            made.value = value;
            ++facts_.events;
            visitor_.event(made);
        }
        return true;
    }

    // Of an asynchronous span, with its category: ids of other ones are others.
    [[nodiscard]] std::uint64_t id() const {
        std::uint64_t hash = mix(std::hash<std::string>()(event_.category.text));
        hash = mix(hash ^ std::hash<std::string>()(event_.id.text));
        return mix(hash ^ std::hash<double>()(event_.id.number));
    }

    static constexpr std::string_view kArguments = "args";
    static constexpr std::string_view kFrames = "stackFrames";
    static constexpr std::string_view kSamples = "samples";
    static constexpr std::size_t kNode = 6;  // level in a node of V8's profiles

    TraceVisitor& visitor_;
    TraceFacts& facts_;
    ChromeSamples samples_;
    std::size_t depth_ = 0;                // of open arrays and objects
    std::size_t event_depth_ = kNoEvents;  // of the array that has the events, while it is open
    bool is_object_ = false;               // the whole is an object
    bool has_events_ = false;
    bool is_broken_ = false;
    std::string key_;        // last seen
    std::string event_key_;  // last seen of the event itself
    RawEvent event_;
    std::array<std::string, kNode + 1> keys_;  // last seen at each level, of the event's arguments
    std::string list_;                         // last seen of the whole
    std::string member_;                       // last seen one below
    RawMember raw_member_;
    double ignored_ = 0;
    std::map<std::string, std::uint32_t> numbers_;
    std::map<std::string, std::uint64_t, std::less<>> left_out_;
    std::uint64_t bad_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace

Result<TraceFacts> read_chrome_trace(Input& input, TraceVisitor& visitor, const Progress& progress) {
    JsonBytes bytes(input, progress);
    TraceFacts facts;
    TraceSax sax(visitor, facts);
    json::sax_parse(JsonByteIterator(&bytes), JsonByteIterator(nullptr), &sax);
    if (bytes.error()) {
        return *bytes.error();
    }
    if (!sax.has_events() || (facts.events == 0 && !visitor.enough())) {
        return Error{ErrorKind::kMalformed, input.name() + " has no events of a trace", ""};
    }
    sax.finish();
    if (!bytes.stopped().empty()) {
        facts.notices.push_back("the rest of the file is not read: " + bytes.stopped());
    } else if (bytes.is_cut() || (sax.is_broken() && bytes.is_at_end())) {
        facts.notices.emplace_back("the file is cut off: what is there was read");
    } else if (sax.is_broken()) {
        facts.notices.emplace_back("the file is damaged: what is before that was read");
    }
    return facts;
}

bool looks_like_chrome_trace(std::span<const std::uint8_t> beginning) {
    const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first == std::string_view::npos) {
        return false;
    }
    const bool is_array = text[first] == '[';
    return is_array ? text.find("\"ph\"") != std::string_view::npos
                    : text[first] == '{' && (text.find("\"traceEvents\"") != std::string_view::npos ||
                                             text.find("\"stackFrames\"") != std::string_view::npos);
}

}  // namespace kymo::import::named
