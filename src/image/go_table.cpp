#include "image/go_table.h"

#include <cstring>

namespace kymo::image {

namespace {

constexpr std::uint32_t kMagic12 = 0xFFFFFFFB;
constexpr std::uint32_t kMagic116 = 0xFFFFFFFA;
constexpr std::uint32_t kMagic118 = 0xFFFFFFF0;
constexpr std::uint32_t kMagic120 = 0xFFFFFFF1;
constexpr std::size_t kFirstField = 8;  // behind the magic number, two zeros, the quantum, a pointer's size
constexpr std::size_t kPointer = 8;
constexpr std::uint8_t kOutermost = 1;
constexpr std::uint8_t kWritesStackPointer = 2;

// 0 outside the bytes: of everything that is read by this, 0 is the harmless value.
template <typename T>
T go_field(std::span<const std::uint8_t> bytes, std::uint64_t at) {
    T value{};
    if (at <= bytes.size() && bytes.size() - at >= sizeof(T)) {
        std::memcpy(&value, bytes.data() + at, sizeof(T));
    }
    return value;
}

std::span<const std::uint8_t> go_part(std::span<const std::uint8_t> bytes, std::uint64_t from) {
    return from <= bytes.size() ? bytes.subspan(from) : std::span<const std::uint8_t>{};
}

std::size_t field_bytes(GoTable::Layout layout) {
    return GoTable::needs_text(layout) ? sizeof(std::uint32_t) : kPointer;
}

}  // namespace

GoTable::Layout GoTable::layout_of(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < kFirstField + kPointer || bytes[4] != 0 || bytes[5] != 0 || bytes[7] != kPointer ||
        (bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4)) {
        return Layout::kNone;
    }
    switch (go_field<std::uint32_t>(bytes, 0)) {
        case kMagic12:
            return Layout::k12;
        case kMagic116:
            return Layout::k116;
        case kMagic118:
            return Layout::k118;
        case kMagic120:
            return Layout::k120;
        default:
            return Layout::kNone;
    }
}

std::uint64_t GoTable::find(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t kAlignment = 8;
    for (std::size_t at = 0; at < bytes.size(); at += kAlignment) {
        const auto rest = bytes.subspan(at);
        if (layout_of(rest) < Layout::k116) {
            continue;
        }
        // The linker writes the parts in this order, the first right behind the header but for alignment.
        const Parts parts = parts_of(rest);
        constexpr std::uint64_t kHeader = kFirstField + 7 * kPointer;
        constexpr std::uint64_t kMostPadding = 128;
        if (parts.names < kHeader || parts.names > kHeader + kMostPadding || parts.units < parts.names ||
            parts.files < parts.units || parts.tables < parts.files || parts.functions < parts.tables ||
            parts.functions > rest.size() || parts.count == 0 || parts.count > (rest.size() - parts.functions) / 8) {
            continue;
        }
        return at;
    }
    return kNowhere;
}

GoTable::Parts GoTable::parts_of(std::span<const std::uint8_t> bytes) {
    Parts parts;
    const Layout layout = layout_of(bytes);
    const auto field = [&](std::size_t index) {
        return go_field<std::uint64_t>(bytes, kFirstField + index * kPointer);
    };
    parts.count = layout == Layout::kNone ? 0 : field(0);
    if (layout >= Layout::k116) {
        const std::size_t first = needs_text(layout) ? 3 : 2;
        parts.names = field(first);
        parts.units = field(first + 1);
        parts.files = field(first + 2);
        parts.tables = field(first + 3);
        parts.functions = field(first + 4);
    }
    return parts;
}

bool GoTable::read(std::span<const std::uint8_t> bytes, std::uint64_t relocated_by, std::uint64_t text,
                   GoTable* table) {
    *table = GoTable{};
    GoTable made;
    made.layout_ = layout_of(bytes);
    if (made.layout_ == Layout::kNone) {
        return false;
    }
    made.quantum_ = bytes[6];
    made.all_ = bytes;
    const Parts parts = parts_of(bytes);
    std::uint64_t index_at = kFirstField + kPointer;
    if (made.layout_ == Layout::k12) {
        made.records_ = made.names_ = made.tables_ = bytes;
    } else {
        index_at = parts.functions;
        made.records_ = go_part(bytes, parts.functions);
        made.names_ = go_part(bytes, parts.names);
        made.units_ = go_part(bytes, parts.units);
        made.files_ = go_part(bytes, parts.files);
        made.tables_ = go_part(bytes, parts.tables);
    }
    const std::size_t field = field_bytes(made.layout_);
    const auto index = go_part(bytes, index_at);
    if (index.size() < field || parts.count == 0 || parts.count > (index.size() - field) / (2 * field)) {
        return false;
    }
    made.count_ = static_cast<std::size_t>(parts.count);
    made.index_ = index.first(made.count_ * 2 * field + field);
    if (made.layout_ == Layout::k12) {
        // Behind the index lies the place of the files' table, which begins with its own number of entries.
        made.files_ = go_part(bytes, go_field<std::uint32_t>(bytes, index_at + made.index_.size()));
    }
    if (needs_text(made.layout_)) {
        // Since Go 1.26 the table does not have it; in position-independent programs it is 0 until it is relocated.
        const auto own = go_field<std::uint64_t>(bytes, kFirstField + 2 * kPointer);
        made.origin_ = text != 0 ? text : own - (own == 0 ? 0 : relocated_by);
        if (made.origin_ == 0) {
            return false;
        }
    } else {
        made.origin_ = 0 - relocated_by;
    }
    // In position-independent programs of old layouts addresses are 0 until they are relocated.
    if (made.address_at(0) >= made.address_at(made.count_)) {
        return false;
    }
    *table = made;
    return true;
}

std::uint64_t GoTable::address_at(std::size_t index) const {
    return needs_text(layout_) ? origin_ + go_field<std::uint32_t>(index_, index * 8)
                               : origin_ + go_field<std::uint64_t>(index_, index * 16);
}

bool GoTable::function(std::size_t index, GoFunction* function) const {
    *function = GoFunction{};
    if (index >= count_) {
        return false;
    }
    function->begin = address_at(index);
    function->end = address_at(index + 1);
    const std::uint64_t place = needs_text(layout_) ? go_field<std::uint32_t>(index_, index * 8 + 4)
                                                    : go_field<std::uint64_t>(index_, index * 16 + 8);
    return function->begin < function->end && read_record(place, function);
}

// The record: where the function begins again, then fields of four bytes. Which ones has changed over time:
//
//   name, arguments, a deferred call's place, depths, files, lines, number of numbered tables   always
//   its compilation unit                                                                          since 1.16
//   its declaration's line                                                                        since 1.20
//   four bytes: which run-time function it is, flags, nothing, number of numbered data             since 1.16 thus
bool GoTable::read_record(std::uint64_t place, GoFunction* function) const {
    constexpr std::size_t kMostData = 64;  // numbers that Go has used so far are below 16
    const std::size_t entry = field_bytes(layout_);
    const bool has_unit = layout_ >= Layout::k116;
    const bool has_line = layout_ >= Layout::k120;
    const std::size_t fields = 8U + (has_unit ? 1U : 0U) + (has_line ? 1U : 0U);
    const std::size_t size = entry + fields * sizeof(std::uint32_t);
    if (place > records_.size() || records_.size() - place < size) {
        return false;
    }
    const auto record = records_.subspan(place, size);
    const auto field = [&](std::size_t number) { return go_field<std::uint32_t>(record, entry + number * 4); };
    function->name = field(0);
    function->depths = field(3);
    function->files = field(4);
    function->lines = field(5);
    function->table_count = field(6);
    function->tables = place + size;
    if (has_unit) {
        function->unit = field(7);
        function->line = has_line ? field(8) : 0;
        const std::uint8_t flags = record[size - 3];
        function->data_count = record[size - 1];
        function->is_outermost = (flags & kOutermost) != 0;
        function->writes_stack_pointer = (flags & kWritesStackPointer) != 0;
    }
    return function->table_count <= records_.size() / 4 && function->data_count <= kMostData;
}

bool GoTable::function_at(std::uint64_t offset, GoFunction* function) const {
    if (count_ == 0 || offset < address_at(0)) {
        return false;
    }
    std::size_t low = 0;
    std::size_t high = count_;  // address_at(low) <= offset
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (address_at(middle) <= offset ? low : high) = middle;
    }
    return this->function(low, function) && offset >= function->begin && offset < function->end;
}

std::string_view GoTable::text_at(std::span<const std::uint8_t> texts, std::uint64_t place) {
    const auto rest = go_part(texts, place);
    const std::size_t most = rest.size() < kMostName ? rest.size() : kMostName;
    const void* end = most == 0 ? nullptr : std::memchr(rest.data(), 0, most);
    if (end == nullptr) {
        return {};
    }
    return {reinterpret_cast<const char*>(rest.data()),
            static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - rest.data())};
}

bool GoTable::has_prefix(std::uint32_t name, std::string_view prefix) const {
    const auto rest = go_part(names_, name);
    return rest.size() > prefix.size() && std::memcmp(rest.data(), prefix.data(), prefix.size()) == 0;
}

GoValues GoTable::values(const GoFunction& function, std::uint32_t place) const {
    return {place == 0 ? std::span<const std::uint8_t>{} : go_part(tables_, place), function.begin, quantum_};
}

std::int32_t GoTable::value_at(const GoFunction& function, std::uint32_t place, std::uint64_t offset) const {
    GoValues values = this->values(function, place);
    while (values.next()) {
        if (offset < values.end()) {
            return offset >= values.begin() ? values.value() : -1;
        }
        if (values.begin() >= function.end) {
            break;  // the bytes are wrong
        }
    }
    return -1;
}

std::string_view GoTable::file_at(const GoFunction& function, std::uint64_t offset) const {
    const std::int32_t number = value_at(function, function.files, offset);
    if (number < 0 || (layout_ == Layout::k12 && number == 0)) {
        return {};
    }
    const auto index = static_cast<std::uint64_t>(number);
    if (layout_ == Layout::k12) {
        return index < go_field<std::uint32_t>(files_, 0) ? text_at(all_, go_field<std::uint32_t>(files_, index * 4))
                                                          : std::string_view{};
    }
    constexpr std::uint32_t kNoFile = ~std::uint32_t{0};
    const std::uint64_t at = (function.unit + index) * 4;
    const std::uint32_t place =
        units_.size() < 4 || at > units_.size() - 4 ? kNoFile : go_field<std::uint32_t>(units_, at);
    return place == kNoFile ? std::string_view{} : text_at(files_, place);
}

std::uint32_t GoTable::line_at(const GoFunction& function, std::uint64_t offset) const {
    const std::int32_t line = value_at(function, function.lines, offset);
    return line > 0 ? static_cast<std::uint32_t>(line) : 0;
}

std::uint32_t GoTable::numbered_table(const GoFunction& function, unsigned number) const {
    return number < function.table_count
               ? go_field<std::uint32_t>(records_, function.tables + std::uint64_t{number} * 4)
               : 0;
}

std::uint32_t GoTable::numbered_data(const GoFunction& function, unsigned number) const {
    const std::uint64_t at = function.tables + (std::uint64_t{function.table_count} + number) * 4;
    if (layout_ < Layout::k118 || number >= function.data_count || at > records_.size() || records_.size() - at < 4) {
        return ~std::uint32_t{0};
    }
    return go_field<std::uint32_t>(records_, at);
}

}  // namespace kymo::image
