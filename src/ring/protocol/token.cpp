#include "ring/protocol/token.h"

#include "base/resource.h"

#include <cassert>
#include <cstring>

namespace kymo::ring {
namespace {

template <typename T>
T load(const Bytes& frame, std::size_t at) {
    T value;
    std::memcpy(&value, frame.data() + at, sizeof value);
    return value;
}

template <typename T>
void store(Bytes& frame, std::size_t at, const T& value) {
    std::memcpy(frame.data() + at, &value, sizeof value);
}

// Size in either mode; computed in 64 bits, where the bounds of the format cannot overflow.
std::uint64_t bytes_of(Mode mode, std::uint64_t entries, std::uint64_t parts) {
    const std::uint64_t records = entries * sizeof(Record);
    return kTokenHeadBytes + entries * sizeof(Entry) +
           (mode == Mode::kReduce ? records : parts * (sizeof(Part) + records));
}

}  // namespace

bool Token::is_valid(const Entry& entry) {
    const bool known_kind = entry.kind >= 1 && entry.kind <= 3;
    const bool known_level = entry.level <= 3;
    return known_kind && known_level &&
           has_level(static_cast<Resource>(entry.kind), static_cast<ResourceLevel>(entry.level));
}

std::size_t Token::bytes_at_home(Mode mode, std::size_t entries, std::size_t slots) {
    const std::uint64_t bytes = bytes_of(mode, entries, slots);
    return bytes > kMaxFrameBytes ? 0 : static_cast<std::size_t>(bytes);
}

Refusal Token::open(Bytes frame, Token& token) {
    if (const Refusal refusal = open_prefix(frame, token.prefix_); refusal != Refusal::kNone) {
        return refusal;
    }
    if (token.prefix_.kind != FrameKind::kToken) {
        return Refusal::kMalformed;
    }
    if (frame.size() < kTokenHeadBytes) {
        return Refusal::kTruncated;
    }
    token.header_ = load<TokenHeader>(frame, sizeof(Prefix));
    token.frame_ = std::move(frame);
    return token.check();
}

Refusal Token::check() const {
    const TokenHeader& h = header_;
    const bool span_is_good = h.first < h.end && h.end <= prefix_.slots && h.first <= h.next && h.next <= h.end;
    const bool counts_are_good = span_is_good && h.contributed <= h.hops && h.hops <= h.next - h.first &&
                                 h.off_time <= h.contributed && h.earliest <= h.latest;
    const bool sequences_are_good =
        h.oldest >= 1 && h.oldest <= h.sequence && h.sequence - h.oldest < kWindow && h.returned < h.sequence &&
        (h.announced == 0 || (h.announced > h.sequence && h.announced - h.sequence <= kWindow));
    const bool mode_is_known = h.mode == Mode::kAppend || h.mode == Mode::kReduce;
    if (!counts_are_good || !sequences_are_good || !mode_is_known || h.entries > kMaxEntries || !holes_add_up()) {
        return Refusal::kMalformed;
    }
    const std::uint64_t due = bytes_of(h.mode, h.entries, h.next - h.first);
    if (frame_.size() != due) {
        return frame_.size() < due ? Refusal::kTruncated : Refusal::kOversized;
    }
    for (std::size_t i = 0; i < h.entries; ++i) {
        if (!is_valid(load<Entry>(frame_, kTokenHeadBytes + i * sizeof(Entry)))) {
            return Refusal::kMalformed;
        }
        if (h.mode == Mode::kReduce && !record(i).is_possible(h.contributed)) {
            return Refusal::kMalformed;
        }
    }
    std::uint32_t present = 0;
    for (std::size_t k = 0; h.mode == Mode::kAppend && k < h.next - h.first; ++k) {
        const Part head = part(k);
        if (head.slot != h.first + k || head.state > PartState::kOffTime) {
            return Refusal::kMalformed;
        }
        present += head.state != PartState::kHole ? 1 : 0;
        for (std::size_t i = 0; i < h.entries; ++i) {
            const Record figures = record(k, i);
            if (!figures.is_possible(head.state == PartState::kHole ? 0 : 1)) {
                return Refusal::kMalformed;
            }
        }
    }
    return h.mode == Mode::kAppend && present != h.contributed ? Refusal::kMalformed : Refusal::kNone;
}

// Ranges ascend, do not touch, and lie within the passed slots.
bool Token::holes_add_up() const {
    const TokenHeader& h = header_;
    if (h.hole_ranges > kHoleRanges) {
        return false;
    }
    std::uint64_t told = 0;
    std::uint64_t from = h.first;
    for (std::size_t i = 0; i < h.hole_ranges; ++i) {
        const HoleRange& range = h.holes[i];
        const std::uint64_t end = std::uint64_t{range.first} + range.count;
        if (range.count == 0 || range.first < from || end > h.next) {
            return false;
        }
        told += range.count;
        from = end + 1;
    }
    return (h.hole_flags & kHolesUntold) != 0 ? told < holes() && h.hole_ranges == kHoleRanges : told == holes();
}

Token Token::make(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, TokenHeader header,
                  std::span<const Entry> entries) {
    assert(header.first < header.end && header.end <= slots && entries.size() <= kMaxEntries);
    Token token;
    token.prefix_ = make_prefix(FrameKind::kToken, 0, slots, job, epoch);
    header.next = header.first;
    header.hops = header.contributed = header.off_time = 0;
    header.moved = header.work = header.earliest = header.latest = header.clock_error = 0;
    header.reserved = 0;
    header.entries = static_cast<std::uint16_t>(entries.size());
    header.hole_ranges = header.hole_flags = 0;
    std::memset(header.holes, 0, sizeof header.holes);
    token.header_ = header;
    token.frame_.resize(bytes_of(header.mode, entries.size(), 0));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        store(token.frame_, kTokenHeadBytes + i * sizeof(Entry), entries[i]);
    }
    return token;
}

std::size_t Token::parts_at() const {
    return kTokenHeadBytes + header_.entries * sizeof(Entry);
}

std::size_t Token::part_bytes() const {
    return sizeof(Part) + header_.entries * sizeof(Record);
}

std::vector<Entry> Token::entries() const {
    std::vector<Entry> entries(header_.entries);
    if (!entries.empty()) {
        std::memcpy(entries.data(), frame_.data() + kTokenHeadBytes, entries.size() * sizeof(Entry));
    }
    return entries;
}

bool Token::asks(std::span<const Entry> entries) const {
    return entries.size() == header_.entries &&
           (entries.empty() ||
            std::memcmp(entries.data(), frame_.data() + kTokenHeadBytes, entries.size_bytes()) == 0);
}

Record Token::record(std::size_t entry) const {
    return load<Record>(frame_, parts_at() + entry * sizeof(Record));
}

Part Token::part(std::size_t index) const {
    return load<Part>(frame_, parts_at() + index * part_bytes());
}

Record Token::record(std::size_t index, std::size_t entry) const {
    return load<Record>(frame_, parts_at() + index * part_bytes() + sizeof(Part) + entry * sizeof(Record));
}

void Token::note_holes(Slot first, std::uint32_t count) {
    HoleRange* const last = header_.hole_ranges == 0 ? nullptr : &header_.holes[header_.hole_ranges - 1];
    const bool untold = (header_.hole_flags & kHolesUntold) != 0;
    if (!untold && last != nullptr && last->first + last->count == first) {
        last->count += count;
    } else if (header_.hole_ranges < kHoleRanges) {
        header_.holes[header_.hole_ranges++] = {first, count};
    } else {
        header_.hole_flags |= kHolesUntold;
    }
}

void Token::skip_to(Slot slot) {
    assert(slot >= header_.next && slot <= header_.end);
    if (slot == header_.next) {
        return;
    }
    note_holes(header_.next, slot - header_.next);
    while (header_.next < slot) {
        if (header_.mode == Mode::kAppend) {
            const std::size_t at = frame_.size();
            frame_.resize(at + part_bytes());
            Part hole{};
            hole.slot = header_.next;
            store(frame_, at, hole);
        }
        ++header_.next;
    }
}

void Token::contribute(const Part& part, std::uint64_t latched, std::span<const Record> records) {
    assert(part.slot == header_.next && records.size() == header_.entries && part.state != PartState::kHole);
    if (header_.mode == Mode::kReduce) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            Record sum = record(i);
            sum.join(records[i]);
            store(frame_, parts_at() + i * sizeof(Record), sum);
        }
    } else {
        const std::size_t at = frame_.size();
        frame_.resize(at + part_bytes());
        store(frame_, at, part);
        for (std::size_t i = 0; i < records.size(); ++i) {
            store(frame_, at + sizeof(Part) + i * sizeof(Record), records[i]);
        }
    }
    header_.earliest = header_.contributed == 0 ? latched : std::min(header_.earliest, latched);
    header_.latest = std::max(header_.latest, latched);
    header_.clock_error = std::max(header_.clock_error, part.clock_error);
    header_.off_time += part.state == PartState::kOffTime ? 1 : 0;
    ++header_.contributed;
    ++header_.next;
    ++header_.hops;
}

void Token::note_work(std::uint64_t work) {
    header_.work = std::max(header_.work, work);
}

Bytes Token::send() {
    prefix_.bytes = static_cast<std::uint32_t>(frame_.size());
    header_.moved += frame_.size();
    store(frame_, 0, prefix_);
    store(frame_, sizeof(Prefix), header_);
    return frame_;
}

}  // namespace kymo::ring
