#include "import/named/pprof_tables.h"

#include "import/named/modules.h"
#include "import/named/wire.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace kymo::import::named {
namespace {

// Field numbers of Profile.
enum ProfileField : std::uint32_t {
    kTypes = 1,
    kMappings = 3,
    kLocations = 4,
    kFunctions = 5,
    kTexts = 6,
    kTime = 9,
    kDuration = 10,
    kPeriodType = 11,
    kPeriod = 12,
    kDefaultType = 14
};

// The entry with this id. Writers mostly number from 1 on, so that its place follows from the id.
template <typename Entry>
const Entry& entry_of(const std::vector<Entry>& all, std::uint64_t id) {
    static const Entry none;
    if (id == 0) {
        return none;
    }
    if (id <= all.size() && all[id - 1].id == id) {
        return all[id - 1];
    }
    const auto at = std::lower_bound(all.begin(), all.end(), id,
                                     [](const Entry& one, std::uint64_t than) { return one.id < than; });
    return at != all.end() && at->id == id ? *at : none;
}

// Of several with one id the first one counts.
template <typename Entry>
void sort_by_id(std::vector<Entry>& all) {
    const auto before = [](const Entry& a, const Entry& b) { return a.id < b.id; };
    if (!std::is_sorted(all.begin(), all.end(), before)) {
        std::stable_sort(all.begin(), all.end(), before);
    }
    const auto same = [](const Entry& a, const Entry& b) { return a.id == b.id; };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

// Writers disagree about the names of labels: "thread_id", "thread id", "ThreadID", "tid".
LabelKind kind_of(std::string_view key) {
    constexpr std::size_t kLongest = 20;
    if (key.empty() || key.size() > kLongest) {
        return LabelKind::kOther;
    }
    std::string plain;
    for (const char c : key) {
        if (c >= 'A' && c <= 'Z') {
            plain += static_cast<char>(c - 'A' + 'a');
        } else if (c >= 'a' && c <= 'z') {
            plain += c;
        }
    }
    constexpr std::array<std::pair<std::string_view, LabelKind>, 10> kKinds = {{
        {"pid", LabelKind::kProcess},
        {"processid", LabelKind::kProcess},
        {"tid", LabelKind::kThread},
        {"threadid", LabelKind::kThread},
        {"comm", LabelKind::kThreadName},
        {"thread", LabelKind::kThreadName},
        {"threadname", LabelKind::kThreadName},
        {"cpu", LabelKind::kProcessor},
        {"cpuid", LabelKind::kProcessor},
        {"endtimestampns", LabelKind::kEndTime},
    }};
    const auto at = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& one) { return one.first == plain; });
    return at == kKinds.end() ? LabelKind::kOther : at->second;
}

std::uint64_t not_negative(std::int64_t value) {
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

}  // namespace

PprofTables::PprofTables(std::span<const std::uint8_t> profile) {
    read(profile);
    resolve_texts();
    sort_by_id(mappings_);
    sort_by_id(functions_);
    sort_by_id(locations_);
}

template <typename Take>
void PprofTables::read_fields(std::span<const std::uint8_t> message, Take&& take) {
    malformed_ += each_field(message, take) ? 0 : 1;
}

void PprofTables::read(std::span<const std::uint8_t> profile) {
    const auto has_room = [this](std::size_t size, std::size_t most) {
        is_full_ = is_full_ || size >= most;
        return size < most;
    };
    const bool is_whole = each_field(profile, [&](protozero::pbf_reader& at, std::uint32_t kind) {
        switch (kind) {
            case part_field(kTypes): {
                const auto message = part_of(at);
                if (has_room(types_.size(), kMostTypes)) {
                    types_.push_back(read_type(message));  // even a damaged one has a value in each sample
                }
                break;
            }
            case part_field(kMappings): {
                const auto message = part_of(at);
                if (has_room(mappings_.size(), kMostEntries)) {
                    add_mapping(message);
                }
                break;
            }
            case part_field(kLocations): {
                const auto message = part_of(at);
                if (has_room(locations_.size(), kMostEntries)) {
                    add_location(message);
                }
                break;
            }
            case part_field(kFunctions): {
                const auto message = part_of(at);
                if (has_room(functions_.size(), kMostEntries)) {
                    add_function(message);
                }
                break;
            }
            case part_field(kTexts): {
                const auto text = part_of(at);
                if (has_room(texts_.size(), kMostEntries)) {
                    texts_.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
                }
                break;
            }
            case part_field(kPeriodType):
                period_type_ = read_type(part_of(at));
                break;
            case number_field(kTime):
                wall_ns_ = at.get_int64();
                break;
            case number_field(kDuration):
                duration_ns_ = at.get_int64();
                break;
            case number_field(kPeriod):
                period_ = at.get_int64();
                break;
            case number_field(kDefaultType):
                default_type_ = at.get_int64();
                break;
            default:
                at.skip();
        }
    });
    is_cut_ = !is_whole;
}

PprofTables::Type PprofTables::read_type(std::span<const std::uint8_t> message) {
    Type to;
    read_fields(message, [&to](protozero::pbf_reader& at, std::uint32_t kind) {
        switch (kind) {
            case number_field(1):
                to.name = at.get_int64();
                break;
            case number_field(2):
                to.unit = at.get_int64();
                break;
            default:
                at.skip();
        }
    });
    return to;
}

void PprofTables::add_mapping(std::span<const std::uint8_t> message) {
    PprofMapping to;
    std::int64_t file = 0;
    read_fields(message, [&](protozero::pbf_reader& at, std::uint32_t kind) {
        switch (kind) {
            case number_field(1):
                to.id = at.get_uint64();
                break;
            case number_field(5):
                file = at.get_int64();
                break;
            default:
                at.skip();
        }
    });
    mappings_.push_back(to);
    mapping_texts_.push_back(file);
}

void PprofTables::add_function(std::span<const std::uint8_t> message) {
    PprofFunction to;
    Texts texts;
    read_fields(message, [&](protozero::pbf_reader& at, std::uint32_t kind) {
        switch (kind) {
            case number_field(1):
                to.id = at.get_uint64();
                break;
            case number_field(2):
                texts.name = at.get_int64();
                break;
            case number_field(3):
                texts.system_name = at.get_int64();
                break;
            case number_field(4):
                texts.file = at.get_int64();
                break;
            default:
                at.skip();
        }
    });
    functions_.push_back(to);
    function_texts_.push_back(texts);
}

void PprofTables::add_location(std::span<const std::uint8_t> message) {
    PprofLocation to;
    to.first_line = static_cast<std::uint32_t>(lines_.size());
    const auto add_line = [&](std::span<const std::uint8_t> line) {
        if (to.line_count >= kMostLines || lines_.size() >= kMostEntries) {
            is_full_ = true;
            return;
        }
        PprofLine& of = lines_.emplace_back();
        ++to.line_count;
        read_fields(line, [&of](protozero::pbf_reader& at, std::uint32_t kind) {
            switch (kind) {
                case number_field(1):
                    of.function = at.get_uint64();
                    break;
                case number_field(2): {
                    const std::int64_t number = at.get_int64();
                    of.line = number > 0 && number <= std::numeric_limits<std::uint32_t>::max()
                                  ? static_cast<std::uint32_t>(number)
                                  : 0;
                    break;
                }
                default:
                    at.skip();
            }
        });
    };
    read_fields(message, [&](protozero::pbf_reader& at, std::uint32_t kind) {
        switch (kind) {
            case number_field(1):
                to.id = at.get_uint64();
                break;
            case number_field(2):
                to.mapping = at.get_uint64();
                break;
            case number_field(3):
                to.address = at.get_uint64();
                break;
            case part_field(4):
                add_line(part_of(at));
                break;
            default:
                at.skip();
        }
    });
    locations_.push_back(to);
}

void PprofTables::resolve_texts() {
    label_kinds_.reserve(texts_.size());
    for (const std::string_view text : texts_) {
        label_kinds_.push_back(kind_of(text));
        has_end_times_ = has_end_times_ || label_kinds_.back() == LabelKind::kEndTime;
    }
    for (std::size_t i = 0; i < mappings_.size(); ++i) {
        mappings_[i].file = text(mapping_texts_[i]);
        mappings_[i].is_kernel = is_kernel_module(mappings_[i].file);
    }
    for (std::size_t i = 0; i < functions_.size(); ++i) {
        const std::string_view name = text(function_texts_[i].name);
        functions_[i].name = name.empty() ? text(function_texts_[i].system_name) : name;
        functions_[i].file = text(function_texts_[i].file);
    }
    mapping_texts_ = {};
    function_texts_ = {};
}

Event PprofTables::event(const Type& type) const {
    return {std::string(text(type.name).substr(0, kMostTextBytes)),
            std::string(text(type.unit).substr(0, kMostTextBytes))};
}

void PprofTables::describe(Facts& to) const {
    // The last type is the one to show, unless the profile names one.
    to.default_event = types_.empty() ? 0 : static_cast<std::uint32_t>(types_.size() - 1);
    for (std::size_t i = 0; i < types_.size(); ++i) {
        to.events.push_back(event(types_[i]));
        if (default_type_ != 0 && text(types_[i].name) == text(default_type_)) {
            to.default_event = static_cast<std::uint32_t>(i);
        }
    }
    to.period_event = event(period_type_);
    to.period = not_negative(period_);
    to.wall_ns = not_negative(wall_ns_);
    to.duration_ns = not_negative(duration_ns_);
    to.is_summed = !has_end_times_;
}

LabelKind PprofTables::label_kind(std::int64_t key) const {
    return key >= 0 && static_cast<std::uint64_t>(key) < label_kinds_.size()
               ? label_kinds_[static_cast<std::size_t>(key)]
               : LabelKind::kOther;
}

std::string_view PprofTables::text(std::int64_t index) const {
    return index >= 0 && static_cast<std::uint64_t>(index) < texts_.size() ? texts_[static_cast<std::size_t>(index)]
                                                                           : std::string_view();
}

const PprofLocation& PprofTables::location(std::uint64_t id) const {
    return entry_of(locations_, id);
}
const PprofMapping& PprofTables::mapping(std::uint64_t id) const {
    return entry_of(mappings_, id);
}
const PprofFunction& PprofTables::function(std::uint64_t id) const {
    return entry_of(functions_, id);
}

}  // namespace kymo::import::named
