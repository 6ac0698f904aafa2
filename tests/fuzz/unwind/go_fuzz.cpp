// Any bytes as Go's function table, with any bytes as the program's data and relocations: what is read lies in the
// bytes, loops end, and a table of rules comes out whose rows ascend.
//
// Input: bytes 0–1 are the length of the table in 8 bytes, byte 2 the number of relocations, byte 3 what the loader
// has added to addresses, in pages; then the table, the relocations, and the data.
#include "image/go_module.h"
#include "unwind/aarch64/arch.h"
#include "unwind/compile.h"
#include "unwind/x86_64/arch.h"

#include <algorithm>
#include <cstdlib>
#include <elf.h>
#include <vector>

namespace {

using namespace kymo;

constexpr std::uint64_t kTableAddress = 0x5000;
constexpr std::uint64_t kDataAddress = 0x9000;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void within(std::string_view part, std::span<const std::uint8_t> whole) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(part.data());
    require(part.empty() || (begin >= whole.data() && begin + part.size() <= whole.data() + whole.size()));
}

void read_all(const image::GoTable& table, std::span<const std::uint8_t> bytes) {
    constexpr std::size_t kMostFunctions = 256;  // each costs a pass over the bytes at worst
    image::GoFunction function;
    for (std::size_t i = 0; i < table.size() && i < kMostFunctions; ++i) {
        if (!table.function(i, &function)) {
            continue;
        }
        require(function.begin < function.end);
        const std::uint64_t middle = function.begin + (function.end - function.begin) / 2;
        within(table.name(function.name), bytes);
        within(table.file_at(function, middle), bytes);
        table.line_at(function, middle);
        table.value_at(function, table.numbered_table(function, 2), middle);
        table.numbered_data(function, 3);
        image::GoFunction found;
        if (table.function_at(middle, &found)) {
            require(found.begin <= middle && middle < found.end);
        }
    }
}

template <class Arch>
void compile_all(const image::GoTable& go) {
    unwind::CompileInput input;
    input.code_end = std::uint64_t{1} << 33U;
    input.go = go;
    unwind::Table table;
    require(unwind::compile_for<typename Arch::RulePacker>(input, &table));
    for (std::uint32_t row = 0; row < table.rows; ++row) {
        require(row == 0 || table.starts[row - 1] < table.starts[row]);
        require(unwind::kind_of(table.rules[row]) != unwind::RuleKind::kExtended);
    }
    unwind::release(&table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) {
        return 0;
    }
    const std::span given(data + 4, size - 4);
    const std::size_t table_size = std::min<std::size_t>((data[0] | std::size_t{data[1]} << 8U) * 8, given.size());
    const std::size_t relocations_size =
        std::min<std::size_t>(data[2] * sizeof(Elf64_Rela), given.size() - table_size);
    // On the heap and of the exact sizes, so that a sanitizer sees any byte read outside.
    const auto copy = [&](std::size_t from, std::size_t bytes) {
        const auto part = given.subspan(from, bytes);
        return std::vector<std::uint8_t>(part.begin(), part.end());
    };
    const auto table = copy(0, table_size);
    const auto relocations = copy(table_size, relocations_size);
    const auto rest = copy(table_size + relocations_size, given.size() - table_size - relocations_size);

    const image::GoPiece pieces[] = {{kDataAddress, rest}};
    image::GoProgram program;
    program.table = {kTableAddress, table};
    program.data = pieces;
    program.relocated_by = data[3] * std::uint64_t{4096};
    program.relocations = relocations;
    image::GoTable::find(rest);
    image::GoTable read;
    if (!image::open_go_table(program, &read)) {
        return 0;
    }
    read_all(read, table);
    compile_all<unwind::x86_64::Arch>(read);
    compile_all<unwind::aarch64::Arch>(read);
    return 0;
}
