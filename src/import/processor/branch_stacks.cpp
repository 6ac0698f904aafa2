#include "import/processor/branch_stacks.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <optional>
#include <vector>

namespace kymo::import {
namespace {

namespace rec = recording;

// A longer straight run is a stack with a hole, or of code that changed.
constexpr std::uint64_t kLongestRun = 64U << 10U;

struct BranchPlace {
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

std::optional<BranchPlace> place_in(const AddressSpace& space, std::uint64_t address) {
    const MappedImage mapped = space.at(address);
    return mapped.image == 0 ? std::nullopt : std::optional(BranchPlace{mapped.image, address - mapped.bias});
}

// In the order of their places, so that equal stacks give equal files.
template <typename Table>
auto sorted_rows(const Table& table) {
    std::vector<typename Table::const_pointer> rows;
    rows.reserve(table.size());
    for (const auto& row : table) {
        rows.push_back(&row);
    }
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    return rows;
}

}  // namespace

StackKind stack_kind(const perf::Attribute& event) {
    return (event.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) != 0 ? StackKind::kCallers
           : (event.branch_sample_type & PERF_SAMPLE_BRANCH_ANY) != 0      ? StackKind::kEvery
                                                                           : StackKind::kSelected;
}

template <typename Row>
Row* BranchSums::row_of(Table<Row>& table, const Key& key, std::size_t* room) {
    if (const auto known = table.find(key); known != table.end()) {
        return &known->second;
    }
    if (*room == 0) {
        ++account_.without_room;
        return nullptr;
    }
    --*room;
    return &table[key];
}

void BranchSums::add(const AddressSpace& space, std::span<const perf::Branch> stack, StackKind kind,
                     std::size_t* room) {
    ++account_.stacks;
    account_.branches += stack.size();
    account_.unrelated += kind == StackKind::kEvery ? 0 : 1;
    if (kind == StackKind::kCallers) {
        return;
    }
    std::optional<BranchPlace> behind;  // where the code that this branch ended began: the older one's target
    const perf::Branch* older = nullptr;
    for (std::size_t i = stack.size(); i > 0; --i) {
        const perf::Branch& branch = stack[i - 1];
        const auto from = place_in(space, branch.from);
        const auto to = place_in(space, branch.to);
        const bool is_judged = mispredicted(branch) || predicted(branch);
        if (!from || !to) {
            ++account_.elsewhere;
        } else if (auto* const row = row_of(branches_, {from->image, from->offset, to->image, to->offset}, room)) {
            ++row->taken;
            row->judged += is_judged ? 1 : 0;
            row->mispredicted += mispredicted(branch) ? 1 : 0;
        }
        if (kind == StackKind::kEvery && older != nullptr && behind && from) {
            const bool is_straight = behind->image == from->image && behind->offset <= from->offset &&
                                     from->offset - behind->offset <= kLongestRun && !aborted(branch);
            if (!is_straight) {
                ++account_.broken;
            } else if (auto* const row =
                           row_of(ranges_, {behind->image, behind->offset, from->image, from->offset}, room)) {
                ++row->count;
                if (const std::uint32_t taken = cycles(branch); taken != 0) {
                    const bool is_late = mispredicted(*older);
                    ++(is_late ? row->late : row->timed);
                    (is_late ? row->late_cycles : row->cycles) += taken;
                }
            }
        }
        behind = to;
        older = &branch;
    }
}

void BranchSums::write(rec::StreamWriter& to) const {
    rec::write_schema<rec::TakenBranch>(to);
    rec::write_schema<rec::ExecutedRange>(to);
    rec::write_schema<rec::BranchStacks>(to);
    for (const auto* const row : sorted_rows(branches_)) {
        rec::TakenBranch made = row->second;
        made.image = row->first.image;
        made.offset = row->first.offset;
        made.to_image = row->first.to_image;
        made.to_offset = row->first.to_offset;
        to.append(made);
    }
    for (const auto* const row : sorted_rows(ranges_)) {
        rec::ExecutedRange made = row->second;
        made.image = row->first.image;
        made.first = row->first.offset;
        made.last = row->first.to_offset;
        to.append(made);
    }
    to.append(account_);
}

}  // namespace kymo::import
