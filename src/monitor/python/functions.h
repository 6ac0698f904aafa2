// The functions of Python that this process has been seen in, with the names and lines of their code objects.
//
// A code object is freed with its function, and another one may have its place: an object counts as known if its
// name, file, line table and first line are the same as well.
//
// Usable in handlers and by several threads at once; rows are written as functions are found. Memory: 1.3 MiB of
// address space, of it what is used: 80 bytes a function and its texts. Cost of find(): a look-up where known.
#pragma once

#include "base/exclusion.h"
#include "image/arena.h"
#include "monitor/python/layout.h"
#include "monitor/python/line_table.h"
#include "monitor/python/objects.h"
#include "recording/writer.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kymo::monitor::python {

class Functions {
  public:
    static constexpr std::size_t kMostFunctions = 8192;  // half of the slots

    // The offset in the image of functions for a code object, at an instruction so many bytes behind its first one.
    // 0: it has no room, or cannot be read. Precondition: the object is readable and is a code object.
    std::uint64_t find(const Layout& layout, Objects& objects, std::uint64_t code, std::uint64_t instruction);

    // All that are known, and their image: into the file of a forked child.
    void write_all(recording::StreamWriter& rows);
    void after_fork() { lock_.reset(); }

  private:
    static constexpr std::size_t kSlots = 16384;
    static constexpr std::size_t kLines = 4096;
    struct Facts {
        std::uint64_t code = 0;
        std::uint64_t name = 0;
        std::uint64_t file = 0;
        std::uint64_t lines = 0;
        std::int32_t first_line = 0;
        bool operator==(const Facts&) const = default;
    };
    struct Slot {
        std::atomic<std::uint32_t> number{0};  // 0: free; written last
        std::uint32_t line_count = 0;
        Facts facts;
        std::string_view name;
        std::string_view file;
    };
    static_assert(sizeof(Slot) == 80);

    static Facts facts_of(const Layout& layout, std::uint64_t code);
    const Slot* find_slot(const Facts& facts) const;
    std::uint32_t add(const Layout& layout, Objects& objects, const Facts& facts);
    std::uint64_t line_offset(const LineTable& table, std::int32_t first, std::uint32_t number,
                              std::uint64_t instruction);
    template <typename Write>
    static void write_row(const Slot& slot, const Write& write);

    Lock lock_;  // for adding
    std::atomic<Slot*> slots_{nullptr};
    std::atomic<std::uint64_t>* line_of_ = nullptr;  // what line_offset() found; see there
    image::Arena texts_;
    std::atomic<std::uint32_t> count_{0};
    std::atomic<int> image_told_by_{0};
};

}  // namespace kymo::monitor::python
