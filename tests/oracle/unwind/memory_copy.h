// What the unwinders read of the stopped process: its mappings, and a copy of its stack taken once a stop.
//
// One copy for all unwinders, so that they judge the same bytes and none of them costs a system call a word. The copy
// spans from the red zone under the stack pointer to the end of the mapping the stack pointer lies in (at most
// kMaxStack); every other address is copied by page when first asked for and forgotten at the next stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

namespace kymo::oracle {

struct Mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t file_offset = 0;
    bool readable = false;
    bool executable = false;
    std::string path;  // a file, "[vdso]", "[stack]", … or empty
};

std::vector<Mapping> read_mappings(pid_t process);

class MemoryCopy {
  public:
    static constexpr std::size_t kMaxStack = std::size_t{1} << 20;

    explicit MemoryCopy(pid_t process) : process_(process) { refresh_mappings(); }

    void refresh_mappings() { mappings_ = read_mappings(process_); }
    std::span<const Mapping> mappings() const { return mappings_; }
    const Mapping* mapping_of(std::uint64_t address) const;

    // Takes a new copy of the stack around `sp`.
    void stop_at(std::uint64_t sp);

    // The copied stack and where it begins in the process. Empty when sp points nowhere.
    std::uint64_t stack_begin() const { return stack_begin_; }
    std::span<const std::byte> stack() const { return stack_; }

    // Of another stack: from the red zone under `sp` to the end of its mapping; empty if `sp` points nowhere.
    std::vector<std::byte> copy_stack(std::uint64_t sp, std::uint64_t& begin);
    // Copies what can be copied.
    std::size_t copy_out(std::uint64_t address, std::span<std::byte> into) const;

    // Copies from the process; false if part of it is not readable.
    bool read(std::uint64_t address, std::span<std::byte> into);
    bool read_word(std::uint64_t address, std::uint64_t& word);

  private:
    const std::vector<std::byte>* page(std::uint64_t base);

    pid_t process_;
    std::vector<Mapping> mappings_;
    std::uint64_t stack_begin_ = 0;
    std::vector<std::byte> stack_;
    std::unordered_map<std::uint64_t, std::vector<std::byte>> pages_;  // empty: not readable
};

}  // namespace kymo::oracle
