#include "import/named/pprof_file.h"

#include "import/named/modules.h"
#include "import/named/pprof_tables.h"
#include "import/named/unpacked.h"
#include "import/named/whole_file.h"
#include "import/named/wire.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace kymo::import::named {
namespace {

constexpr std::size_t kMostPathFrames = 4'096;
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 30;  // frames, once more for each value
constexpr std::uint64_t kSamplesBetweenQuestions = 1'024;
constexpr std::uint32_t kSampleField = 2;  // of Profile

class PprofReader {
  public:
    PprofReader(const PprofTables& tables, Facts& facts, Visitor& visitor)
        : tables_(tables), facts_(facts), visitor_(visitor) {}

    // False: there is to be no further one.
    bool sample(std::span<const std::uint8_t> message) {
        sample_ = {};
        frames_.clear();
        values_.clear();
        bool is_cut = false;
        const bool is_whole = each_field(message, [&](protozero::pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(1):
                case part_field(1):
                    each_number(at, kind, 1, [&](std::uint64_t id) {
                        is_cut = is_cut || !add_location(id);
                        return !is_cut;
                    });
                    break;
                case number_field(2):
                case part_field(2):
                    each_number(at, kind, 2, [this](std::uint64_t value) {
                        if (values_.size() < tables_.type_count()) {
                            values_.push_back(static_cast<std::int64_t>(value));
                        }
                        return values_.size() < tables_.type_count();
                    });
                    break;
                case part_field(3):
                    label(part_of(at));
                    break;
                default:
                    at.skip();
            }
        });
        work_ += frames_.size();
        if (!is_whole) {
            ++malformed_;
            return work_ <= kMostWork;
        }
        cut_paths_ += is_cut ? 1 : 0;
        sample_.frames = frames_;
        return deliver();
    }

    void finish() {
        const auto note = [this](std::uint64_t count, const std::string& what) {
            if (count > 0) {
                facts_.notices.push_back(fmt::format("left out: {} {}", count, what));
            }
        };
        note(malformed_, "samples that are damaged");
        note(negative_, "values below 0, as differences between profiles have");
        if (cut_paths_ > 0) {
            facts_.notices.push_back(
                fmt::format("left out: outer ends of {} call paths, longer than 4,096 frames", cut_paths_));
        }
        if (work_ > kMostWork) {
            facts_.notices.emplace_back("left out: the samples after the first 2^30 frames");
        }
    }

  private:
    // False: the path is full.
    bool add_location(std::uint64_t id) {
        const PprofLocation& location = tables_.location(id);
        const PprofMapping& mapping = tables_.mapping(location.mapping);
        Frame frame;
        frame.module = mapping.file;
        frame.address = location.address;
        frame.is_kernel = mapping.file.empty() ? is_kernel_address(location.address) : mapping.is_kernel;
        const auto lines = tables_.lines(location);
        if (lines.empty()) {
            if (frames_.size() >= kMostPathFrames) {
                return false;
            }
            frames_.push_back(frame);
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (frames_.size() >= kMostPathFrames) {
                return false;
            }
            const PprofFunction& function = tables_.function(lines[i].function);
            frame.function = function.name;
            frame.file = function.file;
            frame.line = lines[i].line;
            frame.is_inlined = i + 1 < lines.size();
            frames_.push_back(frame);
        }
        return true;
    }

    void label(std::span<const std::uint8_t> message) {
        std::int64_t key = 0;
        std::int64_t text = 0;
        std::int64_t number = 0;
        const bool is_whole = each_field(message, [&](protozero::pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(1):
                    key = at.get_int64();
                    break;
                case number_field(2):
                    text = at.get_int64();
                    break;
                case number_field(3):
                    number = at.get_int64();
                    break;
                default:
                    at.skip();
            }
        });
        const LabelKind kind = is_whole ? tables_.label_kind(key) : LabelKind::kOther;
        const std::string_view words = tables_.text(text);
        if (kind == LabelKind::kOther) {
            return;
        }
        if (kind == LabelKind::kThreadName) {
            sample_.comm = words;
            return;
        }
        if (!words.empty()) {  // a number as text
            const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
            if (error != std::errc() || end != words.data() + words.size()) {
                return;
            }
        }
        if (number < 0) {
            return;
        }
        const auto value = static_cast<std::uint64_t>(number);
        if (kind == LabelKind::kEndTime) {
            sample_.time = value;
        } else if (value < kNotGiven) {
            std::uint32_t& to = kind == LabelKind::kProcess  ? sample_.pid
                                : kind == LabelKind::kThread ? sample_.tid
                                                             : sample_.cpu;
            to = static_cast<std::uint32_t>(value);
        }
    }

    bool deliver() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i] < 0) {
                ++negative_;
            }
            if (values_[i] <= 0) {
                continue;
            }
            work_ += frames_.size() + 1;
            if (work_ > kMostWork) {
                return false;
            }
            sample_.event = static_cast<std::uint32_t>(i);
            sample_.period = static_cast<std::uint64_t>(values_[i]);
            if (sample_.time != 0) {
                facts_.first_time = facts_.first_time == 0 ? sample_.time : std::min(facts_.first_time, sample_.time);
                facts_.last_time = std::max(facts_.last_time, sample_.time);
            }
            ++facts_.samples;
            visitor_.sample(sample_);
        }
        return work_ <= kMostWork;
    }

    const PprofTables& tables_;
    Facts& facts_;
    Visitor& visitor_;
    Sample sample_;
    std::vector<Frame> frames_;
    std::vector<std::int64_t> values_;
    std::uint64_t work_ = 0;
    std::uint64_t malformed_ = 0;
    std::uint64_t negative_ = 0;
    std::uint64_t cut_paths_ = 0;
};

// The second pass over the profile.
void deliver_samples(std::span<const std::uint8_t> profile, PprofReader& reader, const Visitor& visitor,
                     const Progress& progress) {
    bool is_done = false;
    std::uint64_t count = 0;
    const auto take = [&](protozero::pbf_reader& at, std::uint32_t kind) {
        if (kind != part_field(kSampleField) || is_done) {
            at.skip();
            return;
        }
        if (++count % kSamplesBetweenQuestions == 0) {
            is_done = visitor.enough();
            if (progress) {
                progress(1 - static_cast<double>(at.length()) / static_cast<double>(profile.size()) / 2);
            }
        }
        const auto message = part_of(at);
        is_done = is_done || !reader.sample(message);
    };
    (void)each_field(profile, take);  // where it is cut off, the tables have found out
}

Result<Facts> read(Input& input, Visitor& visitor, const Progress& progress) {
    auto file = read_whole(input, progress);
    if (!file) {
        return file.error();
    }
    const std::span<const std::uint8_t> profile(file->bytes);
    const PprofTables tables(profile);
    Facts facts;
    tables.describe(facts);
    if (tables.type_count() == 0) {
        return Error{ErrorKind::kMalformed, fmt::format("{} is not a profile of pprof", input.name()), ""};
    }
    if (file->is_cut || tables.is_cut()) {
        facts.notices.emplace_back("the file was cut off, or is damaged: names and samples are missing");
    }
    if (tables.is_full()) {
        facts.notices.emplace_back("the profile has larger tables than are read: names are missing");
    }
    if (tables.malformed() > 0) {
        facts.notices.push_back(fmt::format("left out: parts of {} entries that are damaged", tables.malformed()));
    }
    if (auto done = visitor.begin(facts); !done) {
        return done.error();
    }
    PprofReader reader(tables, facts, visitor);
    deliver_samples(profile, reader, visitor, progress);
    reader.finish();
    if (facts.samples == 0) {
        return Error{ErrorKind::kMalformed, fmt::format("{} has no samples", input.name()), ""};
    }
    return facts;
}

}  // namespace

Result<Facts> read_pprof(Input& input, Visitor& visitor, const Progress& progress) {
    try {
        return read(input, visitor, progress);
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::kNoSpace, fmt::format("there is not enough memory for all of {}", input.name()),
                     "use a profile of a shorter run"};
    }
}

bool looks_like_pprof(std::span<const std::uint8_t> beginning) {
    constexpr std::size_t kEnough = std::size_t{4} << 10;
    constexpr std::uint32_t kLastField = 15;
    const std::vector<std::uint8_t> bytes = decompressed_beginning(beginning, kEnough);
    bool has_fields = false;
    try {
        protozero::pbf_reader at(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        while (at.next()) {
            const std::uint32_t field = at.tag();
            const std::uint32_t kind = at.tag_and_type();
            const bool is_message = field <= 6 || field == 11;
            const bool is_either = field == 13;  // repeated numbers
            const bool fits = kind == part_field(field)     ? is_message || is_either
                              : kind == number_field(field) ? !is_message
                                                            : false;
            if (!fits || field > kLastField) {
                return false;
            }
            has_fields = true;
            at.skip();
        }
    } catch (const protozero::end_of_buffer_exception&) {
        return has_fields;  // the last one is longer than what is here
    } catch (const protozero::exception&) {
        return false;
    }
    return has_fields;
}

}  // namespace kymo::import::named
