// Writing the compact form.
#include "gpu/trace/compact_records.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/new_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>

namespace kymo::gpu {
namespace {

class Builder {
  public:
    void number(std::uint64_t value) {
        while (value >= 0x80U) {
            bytes.push_back(static_cast<std::uint8_t>(value | 0x80U));
            value >>= 7U;
        }
        bytes.push_back(static_cast<std::uint8_t>(value));
    }
    void block(std::span<const std::uint8_t> part) {
        number(part.size());
        bytes.insert(bytes.end(), part.begin(), part.end());
    }
    void text(const std::string& value) {
        block({reinterpret_cast<const std::uint8_t*>(value.data()),
               std::min<std::size_t>(value.size(), kMostCompactText)});
    }
    void dim(const Dim3& value) {
        number(value.x);
        number(value.y);
        number(value.z);
    }
    std::vector<std::uint8_t> bytes;
};

void register_numbers(Builder& out, const Registers& list) {
    out.number(list.count);
    for (unsigned i = 0; i < list.count; ++i) {
        out.number(list.number[i]);
    }
}

void header_body(Builder& out, const KernelHeader& header) {
    out.text(header.name);
    out.number(header.id);
    out.dim(header.grid);
    out.dim(header.block);
    out.number(header.shared_bytes);
    out.number(header.registers);
    out.number(header.binary_version);
    out.number(header.stream);
    out.number(header.shared_base);
    out.number(header.local_base);
    out.text(header.nvbit_version);
    out.number(header.tracer_version);
    out.number(header.has_lines ? 1 : 0);
}

using Sink = std::function<bool(std::span<const std::uint8_t>)>;

Result<CompactSize> write_compact_to(KernelSource& source, const Sink& sink) {
    CompactSize size;
    bool written = true;
    const auto put = [&](std::span<const std::uint8_t> bytes) {
        written = written && sink(bytes);
        size.bytes += bytes.size();
    };
    const auto record = [&](std::uint8_t kind, const Builder& body) {
        Builder frame;
        frame.bytes.push_back(kind);
        frame.number(body.bytes.size());
        put(frame.bytes);
        put(body.bytes);
    };
    put({reinterpret_cast<const std::uint8_t*>(kCompactMagic), 8});
    put({&kCompactVersion, 1});
    Builder header;
    header_body(header, source.header());
    record(kHeaderRecord, header);
    std::size_t declared = 0;
    std::size_t operands = 0;
    for (;;) {
        auto cta = source.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!*cta) {
            break;
        }
        for (; declared < source.program().size(); ++declared) {
            const StaticInstruction& instruction = source.program()[declared];
            Builder body;
            body.number(instruction.pc);
            body.number(instruction.line);
            body.number(instruction.width);
            register_numbers(body, instruction.destinations);
            register_numbers(body, instruction.sources);
            body.text(instruction.opcode);
            record(kInstructionRecord, body);
        }
        for (; operands < source.operands().size(); ++operands) {
            const TracedOperand& operand = source.operands()[operands];
            Builder body;
            body.number(operand.instruction);
            body.text(operand.name);
            body.number(operand.bits);
            body.number(operand.is_result ? 1 : 0);
            record(kOperandRecord, body);
        }
        if (operands != 0) {
            Builder values;
            values.number((*cta)->warps.size());
            for (const WarpTrace& warp : (*cta)->warps) {
                values.block(warp.values ? std::span<const std::uint8_t>(*warp.values)
                                         : std::span<const std::uint8_t>());
            }
            record(kValuesRecord, values);
        }
        Builder body;
        body.dim((*cta)->index);
        body.number((*cta)->warps.size());
        for (const WarpTrace& warp : (*cta)->warps) {
            body.number(warp.id);
            body.number(warp.instructions);
            body.number(warp.address_offset);
            body.block(*warp.code);
            ++size.warps;
            size.instructions += warp.instructions;
        }
        ++size.ctas;
        record(kCtaRecord, body);
    }
    Builder end;
    end.number(size.ctas);
    record(kEndRecord, end);
    if (!written) {
        return Error{ErrorKind::kNoSpace, std::string("the trace cannot be written: ") + std::strerror(errno),
                     "check the space left on the disk"};
    }
    return size;
}

}  // namespace

Result<CompactSize> write_compact(KernelSource& source, const std::filesystem::path& path) {
    return write_new_file(path, [&](std::FILE* file) {
        return write_compact_to(source, [&](std::span<const std::uint8_t> bytes) {
            return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
        });
    });
}

Result<CompactSize> write_compact(KernelSource& source, std::vector<std::uint8_t>& bytes) {
    return write_compact_to(source, [&](std::span<const std::uint8_t> part) {
        bytes.insert(bytes.end(), part.begin(), part.end());
        return true;
    });
}

}  // namespace kymo::gpu
