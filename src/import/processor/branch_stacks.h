// The branch stacks of a process's samples, added up: what each branch did, and which code ran straight between two.
//
// Not thread-safe. Cost: some look-ups in hash tables a branch.
#pragma once

#include "import/address_space.h"
#include "import/perf/attribute.h"
#include "import/perf/records.h"
#include "recording/tables/processor.h"
#include "recording/writer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace kymo::import {

// Which branches the stacks of an event have.
enum class StackKind : std::uint8_t {
    kEvery,     // all that were taken: code between two of them ran straight
    kSelected,  // those of some kinds
    kCallers,   // calls that have not returned: a call path, and nothing of what was taken last
};
StackKind stack_kind(const perf::Attribute& event);

class BranchSums {
  public:
    // Branches and ranges of all processes together, about 100 bytes each.
    static constexpr std::size_t kMost = std::size_t{1} << 21U;

    // Of one sample, newest first. `room`: for so many more branches and ranges; what is taken of it is subtracted.
    void add(const AddressSpace& space, std::span<const perf::Branch> stack, StackKind kind, std::size_t* room);

    bool empty() const { return account_.stacks == 0; }
    // What `room` gets back.
    std::size_t size() const { return branches_.size() + ranges_.size(); }
    // With the descriptions of their tables.
    void write(recording::StreamWriter& to) const;

  private:
    struct Key {  // of a branch; of a range both ends are in one image
        std::uint64_t image = 0;
        std::uint64_t offset = 0;
        std::uint64_t to_image = 0;
        std::uint64_t to_offset = 0;
        auto operator<=>(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t mixed = (key.offset + (key.image << 48U)) * 0x9E3779B97F4A7C15ULL;
            mixed = (mixed ^ (mixed >> 29U) ^ (key.to_offset + (key.to_image << 48U))) * 0xBF58476D1CE4E5B9ULL;
            return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
        }
    };
    template <typename Row>
    using Table = std::unordered_map<Key, Row, Hash>;
    // nullptr: there is no room for another one.
    template <typename Row>
    Row* row_of(Table<Row>& table, const Key& key, std::size_t* room);

    Table<recording::TakenBranch> branches_;
    Table<recording::ExecutedRange> ranges_;
    recording::BranchStacks account_;
};

}  // namespace kymo::import
