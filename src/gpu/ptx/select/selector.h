// The state of select_all(), shared by the files that select: selector.cpp (control, and what is common),
// select_operands.cpp, select_move.cpp, select_arithmetic.cpp, select_memory.cpp, select_barrier.cpp and
// select_matrix.cpp.
#pragma once

#include "gpu/ptx/select/select.h"

#include <initializer_list>

namespace kymo::gpu::ptx {

class Selector {
  public:
    Selector(const Module& module, const Function& function, const Layout& layout, const ModuleLayout& variables)
        : module_(module), function_(function), layout_(layout), variables_(variables) {}
    Result<Selected> run();

  private:
    using Words = std::initializer_list<std::string_view>;

    // the instruction's words
    bool has(std::string_view word) const;
    bool has_any(Words words) const {
        for (const std::string_view word : words) {
            if (has(word)) {
                return true;
            }
        }
        return false;
    }
    bool only(Words words);  // no modifier but these, types, and what read_words() took
    void read_words();
    Type type(std::size_t which = 0) const { return which < types_.size() ? types_[which] : Type::kNone; }

    // operands
    const Operand& operand(std::size_t which) const;
    std::size_t operands() const { return instruction_->operands.size(); }
    bool into(std::uint8_t place, const Operand& operand, unsigned bits);  // a result
    bool from(std::uint8_t place, const Operand& operand, unsigned bits);  // a source
    bool predicate_into(std::uint8_t place, const Operand& operand);
    bool predicate_from(std::uint8_t place, const Operand& operand, std::uint8_t negated_flag);
    bool address_of(const Operand& operand, unsigned bits, Slot& slot);
    std::uint32_t preset(const Preset& wanted);
    bool special(const Operand& operand, unsigned bits, Slot& slot);
    bool address(const Operand& operand, StateSpace space);
    bool vector_places(const Operand& operand, unsigned bits, bool writes);
    unsigned bits_of(const Operand& operand) const;  // of the register; 0: none

    bool refuse(const std::string& why = {});
    bool finish(Operation operation);

    bool one();
    bool control();
    bool call();
    bool barrier();
    bool arithmetic();
    bool simple(Operation operation, std::size_t sources, Words allowed);
    bool multiply(bool adds);
    bool compare(bool is_set);
    bool move();
    bool convert();
    bool convert_eight_bits();
    bool logic(Operation operation, Operation on_predicates);
    bool bit_field();
    bool carry(Operation operation, std::size_t sources);
    bool memory();
    bool load_or_store(bool is_load);
    bool parameter_access(bool is_load);
    bool atomic(bool wants_old);
    bool convert_address();
    bool copy_async();
    bool copy_bulk();
    bool copies_arrive();
    bool barrier_object();
    bool object_address(const Operand& operand);
    bool object_arrive();
    bool object_wait();
    bool together();
    bool members(const Operand& operand);
    bool matrix();
    bool matrix_product(bool is_wmma);
    bool matrix_share(bool is_load);
    bool matrix_rows(bool is_load);
    bool matrix_words(Words words);
    bool share(const Operand& list, unsigned bits, std::uint32_t count, bool writes, bool repeats);
    bool convert_to_tf32();

    const Module& module_;
    const Function& function_;
    const Layout& layout_;
    const ModuleLayout& variables_;
    Selected out_;
    std::map<std::string, std::uint32_t> presets_;
    const Instruction* instruction_ = nullptr;
    Draft draft_;
    std::string_view name_;
    std::vector<Type> types_;
    std::optional<Error> error_;
};

}  // namespace kymo::gpu::ptx
