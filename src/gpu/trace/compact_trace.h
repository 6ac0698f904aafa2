// Kymo's own compact form of a trace (`.kgt`): the same content as the text in less than an eighth of its bytes, read
// at the speed of memory. docs/gpu-traces.md has it byte by byte.
//
// Contract: a file holds one kernel. Input is not trusted: whatever the bytes are, the outcome is CTAs or an Error.
#pragma once

#include "gpu/trace/byte_input.h"
#include "gpu/trace/kernel.h"

#include <filesystem>

namespace kymo::gpu {

inline constexpr char kCompactMagic[9] = "KYMOGPU\n";

class CompactTrace : public KernelSource {
  public:
    static Result<std::unique_ptr<CompactTrace>> open(std::unique_ptr<ByteInput> bytes, std::string name);

    const KernelHeader& header() const override { return header_; }
    const Program& program() const override { return program_; }
    const std::vector<TracedOperand>& operands() const override { return operands_; }
    Result<std::optional<Cta>> next_cta() override;
    Result<void> rewind() override;

  private:
    CompactTrace(std::unique_ptr<ByteInput> bytes, std::string name)
        : bytes_(std::move(bytes)), name_(std::move(name)) {}
    Result<void> read_start();
    // The next record's kind and body; false at the regular end.
    Result<bool> record(std::uint8_t& kind);
    Result<bool> fill(std::size_t count, std::vector<std::uint8_t>& into);
    Result<bool> byte(std::uint8_t& value);
    Error malformed(const std::string& what) const;
    Result<void> read_instruction();
    Result<void> read_operand();
    Result<void> read_values();
    Result<Cta> read_cta();

    std::unique_ptr<ByteInput> bytes_;
    std::string name_;
    std::span<const std::uint8_t> piece_;
    std::size_t at_ = 0;
    std::uint64_t offset_ = 0;
    std::vector<std::uint8_t> body_;
    KernelHeader header_;
    Program program_;
    std::size_t declared_ = 0;  // static instructions read since the start or the last rewind
    std::vector<TracedOperand> operands_;
    std::size_t declared_operands_ = 0;
    std::vector<std::shared_ptr<const std::vector<std::uint8_t>>> values_;  // of the next CTA's warps
    bool ended_ = false;
};

struct CompactSize {
    std::uint64_t ctas = 0;
    std::uint64_t warps = 0;
    std::uint64_t instructions = 0;
    std::uint64_t bytes = 0;
};

// Writes all of a source's CTAs. Errors: kOutputExists (nothing is overwritten), the source's, the system's.
Result<CompactSize> write_compact(KernelSource& source, const std::filesystem::path& path);
// The same into memory, for tests and small kernels.
Result<CompactSize> write_compact(KernelSource& source, std::vector<std::uint8_t>& bytes);

}  // namespace kymo::gpu
