#include "gpu/trace/text_writer.h"

#include "gpu/trace/new_file.h"
#include "gpu/trace/operand_values.h"
#include "gpu/trace/warp_code.h"

#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace kymo::gpu {
namespace {

constexpr unsigned kTracerVersion = 5;

void add(std::string& out, const char* format, ...) __attribute__((format(printf, 2, 3)));
void add(std::string& out, const char* format, ...) {
    std::array<char, 256> text{};
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    out.append(text.data(), std::min<std::size_t>(static_cast<std::size_t>(std::max(length, 0)), text.size() - 1));
}

std::string header_text(const KernelHeader& header, bool has_values) {
    std::string out = "-kernel name = " + header.name + "\n";
    add(out, "-kernel id = %llu\n", static_cast<unsigned long long>(header.id));
    add(out, "-grid dim = (%u,%u,%u)\n", header.grid.x, header.grid.y, header.grid.z);
    add(out, "-block dim = (%u,%u,%u)\n", header.block.x, header.block.y, header.block.z);
    add(out, "-shmem = %u\n-nregs = %u\n-binary version = %u\n", header.shared_bytes, header.registers,
        header.binary_version);
    add(out, "-cuda stream id = %llu\n", static_cast<unsigned long long>(header.stream));
    add(out, "-shmem base_addr = 0x%016llx\n", static_cast<unsigned long long>(header.shared_base));
    add(out, "-local mem base_addr = 0x%016llx\n", static_cast<unsigned long long>(header.local_base));
    out += "-nvbit version = " + (header.nvbit_version.empty() ? "none" : header.nvbit_version) + "\n";
    add(out, "-accelsim tracer version = %u\n-enable lineinfo = %d\n\n", kTracerVersion, header.has_lines ? 1 : 0);
    out +=
        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses] immediate";
    out += has_values ? " [operand_values]\n\n" : "\n\n";
    return out;
}

void register_names(std::string& out, const Registers& list) {
    add(out, "%u ", list.count);
    for (unsigned i = 0; i < list.count; ++i) {
        add(out, "R%u ", list.number[i]);
    }
}

// Base and stride where the lanes lie so; otherwise base and differences (2), or one by one (0).
void addresses(std::string& out, const LaneAddresses& lanes, std::uint32_t mask, unsigned otherwise) {
    std::array<std::uint64_t, kWarpLanes> of{};
    std::size_t count = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            of[count++] = lanes.of[lane];
        }
    }
    const auto step = [&](std::size_t i) { return static_cast<long long>(of[i] - of[i - 1]); };
    bool strided = true;
    for (std::size_t i = 2; i < count; ++i) {
        strided = strided && step(i) == step(1);
    }
    add(out, "%u 0x%llx ", strided ? 1 : otherwise, static_cast<unsigned long long>(of[0]));
    if (strided) {
        add(out, "%lld ", count > 1 ? step(1) : 0);
        return;
    }
    for (std::size_t i = 1; i < count; ++i) {
        otherwise == 2 ? add(out, "%lld ", step(i)) : add(out, "0x%llx ", static_cast<unsigned long long>(of[i]));
    }
}

// Behind the immediate: "Val", how many, and of each its name, after a ">" where it is a result, and the lanes'
// values.
void values(std::string& out, const std::vector<OperandValues>& all, std::uint32_t mask) {
    add(out, " Val %zu", all.size());
    for (const OperandValues& one : all) {
        out += (one.operand->is_result ? " >" : " ") + one.operand->name + " ";
        addresses(out, one.lanes, mask, 0);
        out.pop_back();
    }
}

Result<void> warp_text(std::string& out, const KernelSource& source, const Program& operands, const WarpTrace& warp) {
    add(out, "\nwarp = %u\ninsts = %llu\n", warp.id, static_cast<unsigned long long>(warp.instructions));
    WarpCursor cursor(source.program(), warp);
    OperandCursor operand_cursor(source.operands(), operands, warp);
    std::vector<OperandValues> of_operands;
    bool good = true;
    while (good && cursor.next()) {
        const StaticInstruction& instruction = source.program()[cursor.index()];
        if (source.header().has_lines) {
            add(out, "%u ", instruction.line);
        }
        add(out, "%04llx %08x ", static_cast<unsigned long long>(instruction.pc), cursor.mask());
        register_names(out, instruction.destinations);
        out += instruction.opcode + " ";
        register_names(out, instruction.sources);
        LaneAddresses lanes;
        // Without an active lane there are no addresses, and readers then expect a width of 0.
        if (cursor.has_addresses() && cursor.addresses(lanes)) {
            add(out, "%u ", instruction.width);
            addresses(out, lanes, cursor.mask(), 2);
        } else if (instruction.has_addresses()) {
            add(out, "%u 1 0x0 0 ", instruction.width);
        } else {
            out += "0 ";
        }
        out += "0";
        good = operand_cursor.next(cursor.index(), cursor.mask(), of_operands);
        if (!of_operands.empty()) {
            values(out, of_operands, cursor.mask());
        }
        out += "\n";
    }
    if (cursor.broken() || !good) {
        return Error{ErrorKind::kMalformed, source.header().name + ": a warp's trace is damaged",
                     "trace the kernel again"};
    }
    return {};
}

Result<TextSize> write_text_to(KernelSource& source, std::FILE* file) {
    TextSize size;
    bool written = true;
    const auto put = [&](std::string& text) {
        written = written && std::fwrite(text.data(), 1, text.size(), file) == text.size();
        text.clear();
    };
    std::string text;
    bool is_begun = false;
    Program operands;
    for (;;) {
        const auto cta = source.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!is_begun) {
            is_begun = true;
            text = header_text(source.header(), !source.operands().empty());
        }
        if (operands.size() != source.operands().size()) {
            operands = operand_program(source.operands());
        }
        put(text);
        if (!*cta) {
            break;
        }
        const Dim3& index = (*cta)->index;
        add(text, "#BEGIN_TB\n\nthread block = %u,%u,%u\n", index.x, index.y, index.z);
        for (const WarpTrace& warp : (*cta)->warps) {
            if (auto good = warp_text(text, source, operands, warp); !good) {
                return good.error();
            }
            ++size.warps;
            size.instructions += warp.instructions;
        }
        text += "\n#END_TB\n\n";
        ++size.ctas;
    }
    if (!written) {
        return Error{ErrorKind::kNoSpace, std::string("the trace cannot be written: ") + std::strerror(errno),
                     "check the space left on the disk"};
    }
    return size;
}

}  // namespace

Result<TextSize> write_text(KernelSource& source, const std::filesystem::path& path) {
    return write_new_file(path, [&](std::FILE* file) { return write_text_to(source, file); });
}

}  // namespace kymo::gpu
