// Whether the rounds of a loop of one block, given instruction by instruction, could be done several at a time by
// vector instructions; and whether each round waits for a sum of the round before.
//
// Whether arrays overlap is not known: compilers test it before the loop.
#pragma once

#include "program/flow/instruction.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace kymo::program {

class ScalarLoop {
  public:
    // Bytes by which each memory operand's address moves in a round; none where that is not known.
    using Steps = std::array<std::optional<std::int64_t>, 2>;

    // `steady`: general registers, by bit, that the loop does not change, or by the same amount each round.
    explicit ScalarLoop(std::uint32_t steady) : steady_(steady) {}

    // `counted`: registers, by bit, whose values before this instruction grow by a known amount each round.
    void take(const Instruction& in, const Steps& steps, std::uint32_t counted);

    // Each update of a floating-point sum or product, or of a polynomial (by turns multiplied and added to, also in
    // whole numbers), waits for the one before: true where the updates of one register are what takes long.
    bool is_serial_sum() const;

    // Nothing needs the round before but sums, and memory is used in order, one number at a time: floating point, or
    // whole numbers of 32 bits and less. The number of rounds is known before the loop.
    bool could_be_vectors() const;

    // Even if its data comes from memory and not from a cache, the instructions take longer than the data.
    bool is_bound_by_work() const;

  private:
    using Parts = std::set<std::pair<std::int64_t, std::uint16_t>>;  // displacement, bytes
    struct Stream {
        std::int64_t step = 0;
        Parts read;
        Parts written;

        bool is_dense() const;
    };
    struct Carried {
        bool is_live = false;  // its value of the round before matters
        bool is_written = false;
        bool is_used = false;
        bool is_sum = true;  // all that is done with it is adding to it, or all multiplying, or all taking the least
        bool is_polynomial = true;  // all that is done with it is adding to it and multiplying it
        bool is_added_to = false;
        bool is_multiplied = false;
        VectorWork work = VectorWork::kOther;
        std::uint32_t latency = 0;  // of its updates, cycles a round

        void note(bool reads, bool writes, bool is_update);
        void note_step(bool adds, bool multiplies, std::uint32_t cycles);
        bool is_serial() const { return is_live && is_written && (is_sum || (is_polynomial && is_added_to)); }
        bool is_chain() const { return is_live && is_written && !is_sum; }
    };
    static constexpr std::size_t kRegisters = 32;

    void note_memory(const Instruction& in, const Steps& steps);
    void note_registers(const Instruction& in, std::uint32_t left_out, bool is_least);
    bool takes_least(const Instruction& in) const;
    std::int64_t moved_by(std::uint8_t reg) const { return reg < kRegisters ? moved_[reg] : 0; }

    std::uint32_t steady_;
    bool is_possible_ = true;
    bool is_float_ = false;      // has arithmetic of single floating-point numbers
    bool has_vectors_ = false;   // uses vector registers
    bool has_only_sums_ = true;  // nothing that takes longer
    bool ends_by_count_ = true;
    std::uint32_t instructions_ = 0;
    std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>, Stream> streams_;  // base, index, scale
    std::array<Carried, kRegisters> general_ = {};
    std::array<Carried, kRegisters> vectors_ = {};
    Instruction compared_ = {};  // the instruction before, if it compares two registers; otherwise it reads none
    std::array<std::int64_t, kRegisters> moved_ = {};  // general registers, since the round's begin
};

}  // namespace kymo::program
