#include "launch/run/resident_rows.h"

#include <algorithm>
#include <charconv>

namespace kymo::launch {
namespace {

constexpr std::uint64_t kOnePercent = 100;

std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return number;
}

}  // namespace

std::optional<Resident> parse_statm(std::string_view text, std::uint64_t page_bytes) {
    const auto size = take_number(text);
    const auto resident = size ? take_number(text) : std::nullopt;
    const auto shared = resident ? take_number(text) : std::nullopt;
    if (!shared || *resident == 0) {
        return std::nullopt;
    }
    return Resident{*resident * page_bytes, std::min(*shared, *resident) * page_bytes};
}

std::vector<recording::Memory> ResidentRows::take(std::uint64_t time, const Resident& reading) {
    std::vector<recording::Memory> rows;
    if (!written_) {
        write({time, reading}, rows);
        return rows;
    }
    if (newest_ || is_change(reading)) {
        keep_back({time, reading});
        if (time - written_->time >= gap_ns_) {
            write_kept_back(rows);
        }
    }
    return rows;
}

std::vector<recording::Memory> ResidentRows::end(std::uint64_t time, bool has_ended) {
    std::vector<recording::Memory> rows;
    write_kept_back(rows);
    if (has_ended && written_) {
        write({time, {}}, rows);
    }
    return rows;
}

bool ResidentRows::is_change(const Resident& reading) const {
    const std::uint64_t before = written_->resident.bytes;
    const std::uint64_t change = std::max(before, reading.bytes) - std::min(before, reading.bytes);
    return change >= std::max(kLeastChange, before / kOnePercent);
}

void ResidentRows::keep_back(const Reading& reading) {
    newest_ = reading;
    if (!highest_ || reading.resident.bytes > highest_->resident.bytes) {
        highest_ = reading;
    }
}

void ResidentRows::write_kept_back(std::vector<recording::Memory>& rows) {
    if (!newest_) {
        return;
    }
    for (const Reading& kept : {*highest_, *newest_}) {
        if (is_change(kept.resident)) {
            write(kept, rows);
        }
    }
    highest_.reset();
    newest_.reset();
}

void ResidentRows::write(const Reading& reading, std::vector<recording::Memory>& rows) {
    rows.push_back({reading.time, pid_, reading.resident.bytes, reading.resident.shared_bytes});
    written_ = reading;
    if (++rows_ == kRowsBefore) {
        rows_ = 0;
        gap_ns_ = gap_ns_ == 0 ? kFirstGap : gap_ns_ * 2;
    }
}

}  // namespace kymo::launch
