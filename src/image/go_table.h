// Go's own function table (section .gopclntab): which code is which function, its lines, its files, its stack frame.
// Every Go program has it, stripped or not, because Go's run time walks stacks by it.
//
// Read are the layouts of Go 1.2, 1.16, 1.18 and 1.20 (which later ones have kept), of little-endian machines with
// 64-bit pointers. Another one is refused as a whole.
//
// Contract: a view; the bytes must outlive it, and may be anything: nothing outside them is read, nothing is
// allocated, no loop is longer than the bytes. Usable in signal handlers. Offsets are image offsets. Sources:
// golang.org/s/go12symtab; the declarations of _func, pcHeader and funcFlag in Go's runtime (Go 1.2 to 1.26).
#pragma once

#include "image/go_values.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::image {

struct GoFunction {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // where the next one begins: the space between them counts as this one's
    std::uint32_t name = 0;
    std::uint32_t depths = 0;  // places of tables (GoTable::values); 0: none, as for code that is not Go's
    std::uint32_t files = 0;
    std::uint32_t lines = 0;
    std::uint32_t unit = 0;  // of its compilation unit: what its files' numbers count from
    std::uint32_t line = 0;  // of its declaration; 0: not known (before Go 1.20)
    // What its own numbered tables are found by.
    std::uint64_t tables = 0;
    std::uint32_t table_count = 0;
    std::uint32_t data_count = 0;
    bool is_outermost = false;          // of a stack: nothing has called it (Go 1.17 and later)
    bool writes_stack_pointer = false;  // in ways that its table of depths does not describe (Go 1.17 and later)
};

class GoTable {
  public:
    enum class Layout : std::uint8_t { kNone, k12, k116, k118, k120 };

    GoTable() = default;

    // The section's bytes. `relocated_by` is what the dynamic linker has added to absolute addresses in them. `text`:
    // what functions are counted from, where that is known better than by the table itself (go_module.h); 0: it is
    // not. False: not understood, or this cannot be known; *table is then empty.
    static bool read(std::span<const std::uint8_t> bytes, std::uint64_t relocated_by, std::uint64_t text,
                     GoTable* table);
    // Where in the bytes a table begins, for sections that have more than it; ~0: none does. Linkers put a
    // position-independent program's table among other data (.data.rel.ro). Cost: one pass.
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
    static std::uint64_t find(std::span<const std::uint8_t> bytes);

    // By its first bytes alone.
    static Layout layout_of(std::span<const std::uint8_t> bytes);
    // Addresses of functions are counted from a beginning that is not in the layout's table itself.
    static bool needs_text(Layout layout) { return layout >= Layout::k118; }

    Layout layout() const { return layout_; }
    std::size_t size() const { return count_; }
    std::uint64_t bytes() const { return all_.size(); }
    unsigned quantum() const { return quantum_; }

    // False: index >= size(), or its record is damaged.
    bool function(std::size_t index, GoFunction* function) const;
    // Where it begins; cheaper. Precondition: index < size().
    std::uint64_t begin(std::size_t index) const { return address_at(index); }
    // The function around an offset; false: none. Cost: a binary search. Where the table does not ascend, any answer
    // is one of its functions around that offset.
    bool function_at(std::uint64_t offset, GoFunction* function) const;

    // Empty: none, or damaged. At most kMostName bytes.
    static constexpr std::size_t kMostName = 65536;
    std::string_view name(std::uint32_t place) const { return text_at(names_, place); }
    // Whether the name begins so; cheaper than name().
    bool has_prefix(std::uint32_t name, std::string_view prefix) const;

    // A function's values, by the place of their table; 0: none.
    GoValues values(const GoFunction& function, std::uint32_t place) const;
    // The value at an offset in the function; −1: none, as in Go itself. Cost: linear in the table up to there.
    std::int32_t value_at(const GoFunction& function, std::uint32_t place, std::uint64_t offset) const;
    // Its source at an offset.
    std::string_view file_at(const GoFunction& function, std::uint64_t offset) const;
    std::uint32_t line_at(const GoFunction& function, std::uint64_t offset) const;

    // The place of one of its numbered tables (PCDATA); 0: it has none of this number.
    std::uint32_t numbered_table(const GoFunction& function, unsigned number) const;
    // Where one of its numbered data (FUNCDATA) lies behind GoModule::function_data; ~0: it has none. Known for
    // layouts of Go 1.18 and later.
    std::uint32_t numbered_data(const GoFunction& function, unsigned number) const;

    // The header's fields by their names in Go's runtime, for finding the module's description: as offsets in the
    // table; 0 for layouts that lack them.
    struct Parts {
        std::uint64_t names = 0;
        std::uint64_t units = 0;
        std::uint64_t files = 0;
        std::uint64_t tables = 0;
        std::uint64_t functions = 0;
        std::uint64_t count = 0;
    };
    static Parts parts_of(std::span<const std::uint8_t> bytes);

  private:
    std::uint64_t address_at(std::size_t index) const;
    bool read_record(std::uint64_t place, GoFunction* function) const;
    static std::string_view text_at(std::span<const std::uint8_t> texts, std::uint64_t place);

    Layout layout_ = Layout::kNone;
    std::uint8_t quantum_ = 1;
    std::size_t count_ = 0;
    std::uint64_t origin_ = 0;  // what is added to addresses in the table
    std::span<const std::uint8_t> all_;
    std::span<const std::uint8_t> index_;  // pairs: where a function begins, where its record is; then where all end
    std::span<const std::uint8_t> records_;
    std::span<const std::uint8_t> names_;
    std::span<const std::uint8_t> units_;
    std::span<const std::uint8_t> files_;
    std::span<const std::uint8_t> tables_;
};

}  // namespace kymo::image
