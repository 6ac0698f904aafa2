#include "import/named/perf_script.h"

#include "import/named/lines.h"
#include "import/named/script_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import::named {
namespace {

constexpr std::size_t kMostFrames = 4'096;
constexpr std::size_t kMostPathBytes = std::size_t{4} << 20;
constexpr std::size_t kMostEvents = 1'024;
constexpr std::size_t kMostFactBytes = 4'096;
constexpr std::uint64_t kLinesBetweenQuestions = 4'096;

// Texts that outlive their line, each at a place of its own until all are dropped.
class KeptTexts {
  public:
    KeptTexts() : bytes_(std::make_unique_for_overwrite<char[]>(kMostPathBytes)) {}

    // None: there is no room.
    std::optional<std::string_view> keep(std::string_view text) {
        if (text.size() > kMostPathBytes - used_) {
            return std::nullopt;
        }
        char* const to = bytes_.get() + used_;
        std::copy(text.begin(), text.end(), to);
        used_ += text.size();
        return std::string_view(to, text.size());
    }
    void drop_all() { used_ = 0; }

  private:
    std::unique_ptr<char[]> bytes_;
    std::size_t used_ = 0;
};

class ScriptReader {
  public:
    ScriptReader(Lines& lines, Visitor& visitor) : lines_(lines), visitor_(visitor) {}

    Result<void> line(std::string_view text) {
        if (text.find_first_not_of(" \t") == std::string_view::npos) {
            return end_sample();
        }
        if (text.front() == '\t') {
            return frame_line(text);
        }
        if (const auto record = read_script_record(text)) {
            facts_.lost += record->lost;
            return end_sample();
        }
        const auto header = read_script_header(text);
        // Where tabs have become spaces, a frame could be taken for a sample without a call chain.
        if (text.front() == ' ' && expects_frames() && !(header && is_certain(*header)) && read_script_frame(text)) {
            return frame_line(text);
        }
        if (header) {
            if (auto done = end_sample(); !done) {
                return done;
            }
            begin_sample(*header);
            return {};
        }
        if (text.front() == '#') {
            heading(text);
            return {};
        }
        if (text.front() == '|') {  // a line of source text, of -F srccode
            return {};
        }
        if (const auto place = read_script_place(text); place && in_sample_ && !frames_.empty()) {
            place_line(*place);
            return {};
        }
        not_understood(lines_.number());
        return {};
    }

    Result<void> end_sample() {
        if (!std::exchange(in_sample_, false)) {
            return {};
        }
        const bool is_sample = !frames_.empty() || has_time_ || (sample_.tid != kNotGiven && !event_name_.empty());
        if (!is_sample) {
            not_understood(first_line_);
            return {};
        }
        const auto event = event_of(event_name_);
        if (!event) {
            ++of_further_events_;
            return {};
        }
        if (!std::exchange(has_begun_, true)) {
            if (auto done = visitor_.begin(facts_); !done) {
                return done;
            }
        }
        sample_.event = *event;
        sample_.frames = frames_;
        cut_paths_ += is_cut_ ? 1 : 0;
        ++facts_.samples;
        if (has_time_) {
            facts_.first_time = had_time_ ? std::min(facts_.first_time, sample_.time) : sample_.time;
            facts_.last_time = std::max(facts_.last_time, sample_.time);
            had_time_ = true;
        }
        visitor_.sample(sample_);
        return {};
    }

    Result<Facts> finish(const std::string& name) {
        if (facts_.samples == 0) {
            return Error{
                ErrorKind::kMalformed,
                bad_lines_ == 0 ? fmt::format("{} has no samples", name)
                                : fmt::format("{} has no samples; line {} is not as perf script prints it", name,
                                              first_bad_line_),
                "perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso > FILE prints all that is read"};
        }
        const auto note = [this](std::uint64_t count, const std::string& what) {
            if (count > 0) {
                facts_.notices.push_back(fmt::format("left out: {} {}", count, what));
            }
        };
        note(bad_lines_,
             fmt::format("lines that are not as perf script prints them, the first is line {}", first_bad_line_));
        note(lines_.too_long(), fmt::format("lines of more than {} KiB, the first is line {}",
                                            Lines::kMostBytes >> 10U, lines_.first_too_long()));
        if (cut_paths_ > 0) {
            facts_.notices.push_back(
                fmt::format("left out: outer ends of {} call paths, longer than 4,096 frames or 4 MiB", cut_paths_));
        }
        note(of_further_events_, "samples of further events than 1,024");
        return std::move(facts_);
    }

  private:
    [[nodiscard]] bool expects_frames() const {
        return in_sample_ && has_header_ && !has_own_frame_ && (has_chain_ || frames_.empty());
    }
    static bool is_certain(const ScriptHeader& header) {
        return header.has_time || !header.event.empty() || (header.tid != kNotGiven && header.has_frame);
    }

    void begin_sample(const ScriptHeader& header) {
        start(lines_.number());
        sample_.pid = header.pid;
        sample_.tid = header.tid;
        sample_.cpu = header.cpu;
        sample_.time = header.time;
        sample_.period = header.period;
        has_time_ = header.has_time;
        sample_.comm = texts_.keep(header.comm).value_or(std::string_view());
        event_name_ = texts_.keep(header.event).value_or(std::string_view());
        if (header.has_frame) {
            add_frame(header.frame);
        }
        has_own_frame_ = header.has_frame && !header.is_bare_address;
        has_header_ = true;
    }

    void start(std::uint64_t line) {
        texts_.drop_all();
        frames_.clear();
        sample_ = {};
        event_name_ = {};
        first_line_ = line;
        in_sample_ = true;
        has_time_ = false;
        has_own_frame_ = false;
        has_header_ = false;
        has_chain_ = false;
        is_cut_ = false;
    }

    Result<void> frame_line(std::string_view text) {
        const auto frame = read_script_frame(text);
        if (!frame) {
            not_understood(lines_.number());
            return {};
        }
        if (in_sample_ && has_own_frame_) {
            if (auto done = end_sample(); !done) {
                return done;
            }
        }
        if (!in_sample_) {  // of -F ip,sym: the sample's first line is empty
            start(lines_.number());
        }
        if (!std::exchange(has_chain_, true)) {
            frames_.clear();  // an address on the first line was another field
        }
        add_frame(*frame);
        return {};
    }

    void add_frame(Frame frame) {
        const auto function = texts_.keep(frame.function);
        const auto module = texts_.keep(frame.module);
        if (is_cut_ || frames_.size() >= kMostFrames || !function || !module) {
            is_cut_ = true;
            return;
        }
        frame.function = *function;
        frame.module = *module;
        frames_.push_back(frame);
    }

    void place_line(const ScriptPlace& place) {
        Frame& frame = frames_.back();
        if (is_cut_ || !frame.file.empty()) {
            return;
        }
        frame.file = texts_.keep(place.file).value_or(std::string_view());
        frame.line = frame.file.empty() ? 0 : place.line;
        frame.is_inlined = frame.is_inlined || place.is_inlined;
    }

    // "# hostname : node7"
    void heading(std::string_view text) {
        const std::size_t colon = text.find(" : ");
        if (colon == std::string_view::npos || text.size() < 2 || has_begun_) {
            return;
        }
        std::string_view key = text.substr(2, colon - 2);
        key = key.substr(0, key.find_last_not_of(' ') + 1);
        const std::string_view value = text.substr(colon + 3, kMostFactBytes);
        for (const auto& [name, to] :
             {std::pair("hostname", &facts_.hostname), std::pair("os release", &facts_.os_release),
              std::pair("arch", &facts_.arch), std::pair("cpudesc", &facts_.cpu_description),
              std::pair("perf version", &facts_.perf_version), std::pair("cmdline", &facts_.command_line)}) {
            if (key == name) {
                to->assign(value.substr(0, value.find_last_not_of(' ') + 1));
            }
        }
    }

    // None: there are too many.
    std::optional<std::uint32_t> event_of(std::string_view name) {
        if (last_event_ < facts_.events.size() && facts_.events[last_event_].name == name) {
            return last_event_;
        }
        std::string key(name);
        auto known = events_.find(key);
        if (known == events_.end()) {
            if (facts_.events.size() >= kMostEvents) {
                return std::nullopt;
            }
            facts_.events.push_back({key, ""});
            known = events_.emplace(std::move(key), static_cast<std::uint32_t>(facts_.events.size() - 1)).first;
        }
        last_event_ = known->second;
        return last_event_;
    }

    void not_understood(std::uint64_t line) { first_bad_line_ = bad_lines_++ == 0 ? line : first_bad_line_; }

    Lines& lines_;
    Visitor& visitor_;
    Facts facts_;
    KeptTexts texts_;
    std::unordered_map<std::string, std::uint32_t> events_;
    std::uint32_t last_event_ = 0;

    // The sample whose lines are being read.
    Sample sample_;
    std::vector<Frame> frames_;
    std::string_view event_name_;
    std::uint64_t first_line_ = 0;
    bool in_sample_ = false;
    bool has_time_ = false;
    bool has_header_ = false;     // a first line that is not empty
    bool has_own_frame_ = false;  // on that line: it has no call chain
    bool has_chain_ = false;
    bool is_cut_ = false;

    bool has_begun_ = false;
    bool had_time_ = false;
    std::uint64_t bad_lines_ = 0;
    std::uint64_t first_bad_line_ = 0;
    std::uint64_t cut_paths_ = 0;
    std::uint64_t of_further_events_ = 0;
};

}  // namespace

Result<Facts> read_perf_script(Input& input, Visitor& visitor, const Progress& progress) {
    Lines lines(input);
    ScriptReader reader(lines, visitor);
    for (;;) {
        const auto text = lines.next();
        if (!text) {
            return text.error();
        }
        if (!*text) {
            break;
        }
        if (auto done = reader.line(**text); !done) {
            return done.error();
        }
        if (lines.number() % kLinesBetweenQuestions == 0) {
            if (visitor.enough()) {
                return reader.finish(input.name());
            }
            if (progress && input.share() > 0) {
                progress(input.share());
            }
        }
    }
    if (auto done = reader.end_sample(); !done) {
        return done.error();
    }
    return reader.finish(input.name());
}

bool looks_like_perf_script(std::string_view beginning) {
    if (beginning.find('\0') != std::string_view::npos) {
        return false;
    }
    while (!beginning.empty()) {
        const std::size_t end = std::min(beginning.find('\n'), beginning.size());
        const std::string_view line = beginning.substr(0, end);
        beginning.remove_prefix(std::min(end + 1, beginning.size()));
        if (line.starts_with('\t')) {
            if (read_script_frame(line)) {
                return true;
            }
        } else if (const auto header = read_script_header(line); header && header->has_frame) {
            return true;
        }
    }
    return false;
}

}  // namespace kymo::import::named
