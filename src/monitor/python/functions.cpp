#include "monitor/python/functions.h"

#include "monitor/clock.h"
#include "monitor/process/log.h"
#include "recording/tables/interpreted.h"

namespace kymo::monitor::python {
namespace {

constexpr std::uint64_t kStep = recording::kInterpretedStep;
// In the half of addresses that is the kernel's, below its functions (import/kernel_code.h).
constexpr std::uint64_t kBegin = 0xffff'0000'0000'0000;

// A name of its own for the image of this process's functions: it is a file in the recording.
struct ImageId {
    std::uint64_t clock;
    std::uint64_t place;
    std::uint32_t pid;
};

recording::Image image_row(char (&id)[20]) {
    const ImageId parts{clock_now(), reinterpret_cast<std::uint64_t>(&id), static_cast<std::uint32_t>(process.pid())};
    std::memcpy(id, &parts.clock, 8);
    std::memcpy(id + 8, &parts.place, 8);
    std::memcpy(id + 16, &parts.pid, 4);
    recording::Image row;
    row.time = clock_now();
    row.image = recording::kPythonImage;
    row.begin = kBegin;
    row.end = kBegin + (Functions::kMostFunctions + 1) * kStep;
    row.bias = kBegin;
    row.path = recording::kPythonPath;
    row.build_id = {id, sizeof id};
    return row;
}

std::size_t hash(std::uint64_t code) {
    return static_cast<std::size_t>((code * 0x9E3779B97F4A7C15U) >> 40U);
}

}  // namespace

Functions::Facts Functions::facts_of(const Layout& layout, std::uint64_t code) {
    return {code, Objects::word(code, layout.code_name), Objects::word(code, layout.code_file),
            Objects::word(code, layout.code_lines), Objects::at<std::int32_t>(code, layout.code_first_line)};
}

// Nullptr: it is not known.
const Functions::Slot* Functions::find_slot(const Facts& facts) const {
    const Slot* const slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) {
        return nullptr;
    }
    for (std::size_t i = 0, at = hash(facts.code) % kSlots; i < kSlots; ++i, at = (at + 1) % kSlots) {
        if (slots[at].number.load(std::memory_order_acquire) == 0) {
            return nullptr;
        }
        if (slots[at].facts == facts) {
            return &slots[at];
        }
    }
    return nullptr;
}

std::uint64_t Functions::find(const Layout& layout, Objects& objects, std::uint64_t code, std::uint64_t instruction) {
    const Facts facts = facts_of(layout, code);
    const Slot* const known = find_slot(facts);
    const std::uint32_t number =
        known != nullptr ? known->number.load(std::memory_order_relaxed) : add(layout, objects, facts);
    if (number == 0) {
        return 0;
    }
    const LineTable table(layout.lines, objects.bytes(facts.lines), facts.first_line);
    return number * kStep + line_offset(table, facts.first_line, number, instruction);
}

template <typename Write>
void Functions::write_row(const Slot& slot, const Write& write) {
    recording::InterpretedFunction row;
    row.image = recording::kPythonImage;
    row.offset = slot.number.load(std::memory_order_relaxed) * kStep;
    row.line = static_cast<std::uint64_t>(slot.facts.first_line);
    row.lines = slot.line_count;
    row.name = slot.name;
    row.file = slot.file;
    write(row);
}

// Its number; 0: there is no room.
std::uint32_t Functions::add(const Layout& layout, Objects& objects, const Facts& facts) {
    // First the file: what makes one writes all that is known, under a lock that comes before this one.
    if (facts.first_line < 0 || !process_log.open()) {
        return 0;
    }
    const Locked locked(lock_);
    if (const Slot* known = find_slot(facts)) {
        return known->number;
    }
    if (slots_.load(std::memory_order_relaxed) == nullptr) {
        auto* const lines = static_cast<std::atomic<std::uint64_t>*>(image::map_pages(kLines * sizeof *line_of_));
        auto* const slots = static_cast<Slot*>(image::map_pages(kSlots * sizeof(Slot)));
        if (lines == nullptr || slots == nullptr) {
            return 0;
        }
        line_of_ = lines;
        slots_.store(slots, std::memory_order_release);
    }
    const std::uint32_t number = count_.load(std::memory_order_relaxed) + 1;
    if (number > kMostFunctions) {
        return 0;
    }
    static char name[256];  // under the lock
    static char file[1024];
    const std::string_view its_name = texts_.copy(objects.text(facts.name, name));
    const std::string_view its_file = texts_.copy(objects.text(facts.file, file));
    if (its_name.empty()) {
        return 0;
    }
    Slot* const slots = slots_.load(std::memory_order_relaxed);
    std::size_t at = hash(facts.code) % kSlots;
    while (slots[at].number.load(std::memory_order_relaxed) != 0) {
        at = (at + 1) % kSlots;
    }
    Slot& slot = slots[at];
    const LineTable table(layout.lines, objects.bytes(facts.lines), facts.first_line);
    const std::int64_t lines = lines_of(table, facts.first_line);
    slot.line_count = static_cast<std::uint32_t>(lines < static_cast<std::int64_t>(kStep) ? lines : kStep);
    slot.facts = facts;
    slot.name = its_name;
    slot.file = its_file;
    if (image_told_by_.load(std::memory_order_relaxed) != process.pid()) {
        image_told_by_.store(process.pid(), std::memory_order_relaxed);
        char id[20];
        process_log.write(image_row(id));
    }
    slot.number.store(number, std::memory_order_release);
    count_.store(number, std::memory_order_release);
    write_row(slot, [](const recording::InterpretedFunction& row) { process_log.write(row); });
    return number;
}

// Of a line, in the function's offsets. What was found is kept in one word each: the function's number (16 bits), the
// instruction (32), the line (16); number 0 is free.
std::uint64_t Functions::line_offset(const LineTable& table, std::int32_t first, std::uint32_t number,
                                     std::uint64_t instruction) {
    constexpr unsigned kLineBits = 16;
    const std::uint64_t key =
        (static_cast<std::uint64_t>(number) << 48U) | ((instruction & 0xffff'ffffU) << kLineBits);
    std::atomic<std::uint64_t>& kept = line_of_[hash(key) % kLines];
    const std::uint64_t seen = kept.load(std::memory_order_relaxed);
    if (seen >> kLineBits == key >> kLineBits) {
        return seen & 0xffffU;
    }
    const std::int64_t line = line_at(table, first, instruction) - first;
    const std::uint64_t found = line < 0 ? 0 : static_cast<std::uint64_t>(line);
    const std::uint64_t offset = found < kStep ? found : kStep - 1;
    kept.store(key | offset, std::memory_order_relaxed);
    return offset;
}

void Functions::write_all(recording::StreamWriter& rows) {
    const Slot* const slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || count_.load(std::memory_order_acquire) == 0) {
        return;
    }
    image_told_by_.store(process.pid(), std::memory_order_relaxed);
    char id[20];
    rows.append(image_row(id));
    for (std::size_t i = 0; i < kSlots; ++i) {
        if (slots[i].number.load(std::memory_order_acquire) != 0) {
            write_row(slots[i], [&](const recording::InterpretedFunction& row) { rows.append(row); });
        }
    }
}

}  // namespace kymo::monitor::python
