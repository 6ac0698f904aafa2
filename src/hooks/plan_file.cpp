#include "hooks/plan_file.h"

#include <cstring>

namespace kymo::hooks {

namespace {

// Takes arrays from the front of the file.
class Cutter {
  public:
    explicit Cutter(std::span<const std::uint8_t> bytes) : left_(bytes) {}

    template <typename T>
    bool take(std::uint64_t count, std::span<const T>* out) {
        if (count > left_.size() / sizeof(T)) {
            return false;
        }
        *out = {reinterpret_cast<const T*>(left_.data()), count};
        left_ = left_.subspan(count * sizeof(T));
        return true;
    }
    std::size_t left() const { return left_.size(); }

  private:
    std::span<const std::uint8_t> left_;
};

bool fits(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
    return begin <= size && count <= size - begin;
}

bool is_good(const Plan& plan, PlanText piece) {
    return fits(piece.begin, piece.bytes, plan.text.size());
}

bool is_good(const Plan& plan, const PlanImage& image) {
    if (!is_good(plan, image.path) || image.build_id_bytes > sizeof image.build_id ||
        !fits(image.first_entry, image.entries, plan.entries.size())) {
        return false;
    }
    std::uint64_t behind = 0;  // hooks of one image lie apart, by address
    for (const PlanEntry& entry : plan.entries_of(image)) {
        if (entry.offset < behind || entry.offset > UINT64_MAX - kMaxOriginal) {
            return false;
        }
        behind = entry.offset + entry.original_bytes;
    }
    return true;
}

bool is_good(const Plan& plan, const PlanEntry& entry) {
    if (entry.point >= plan.points.size() || entry.original_bytes < kJumpBytes ||
        entry.original_bytes > kMaxOriginal || entry.moved_bytes > kMaxMoved ||
        entry.instructions > kMaxInstructions || entry.fixups > kMaxInstructions ||
        (entry.moved_bytes == 0) != (entry.instructions == 0) || entry.is_place > 1 ||
        (entry.is_place != 0 && (plan.points[entry.point].exit_steps != 0 || plan.points[entry.point].calls != 0))) {
        return false;
    }
    for (unsigned i = 0; i < entry.instructions; ++i) {
        const bool first = i == 0;
        if (entry.original_at[i] >= entry.original_bytes || entry.moved_at[i] >= entry.moved_bytes ||
            (first
                 ? entry.original_at[0] != 0 || entry.moved_at[0] != 0
                 : entry.original_at[i] <= entry.original_at[i - 1] || entry.moved_at[i] <= entry.moved_at[i - 1])) {
            return false;
        }
    }
    for (unsigned i = 0; i < entry.fixups; ++i) {
        const PlanFixup& fixup = entry.fixup[i];
        if (fixup.at + 4 > fixup.end || fixup.end > entry.moved_bytes || fixup.kind > FixupKind::kHigh) {
            return false;
        }
    }
    return true;
}

bool is_good(const Plan& plan, const PlanPoint& point) {
    const auto good = [&plan](std::uint32_t first, std::uint32_t count) {
        return fits(first, count, plan.steps.size()) &&
               cells::valid(plan.steps.data() + first, count, plan.loads.size());
    };
    return point.calls <= kMaxCounted && good(point.first_entry, point.entry_steps) &&
           good(point.first_exit, point.exit_steps);
}

bool is_good(const Plan& plan, const cells::Load& load) {
    return cells::valid(load, plan.images.size());
}

template <typename T>
bool all_good(const Plan& plan, std::span<const T> items) {
    for (const T& item : items) {
        if (!is_good(plan, item)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool find_plan(std::span<const std::uint8_t> bytes, Plan* plan) {
    Cutter cutter(bytes);
    std::span<const PlanHeader> head;
    std::span<const char> text;
    if (bytes.size() > kMaxPlanBytes || !cutter.take(1, &head)) {
        return false;
    }
    const PlanHeader& header = head.front();
    if (std::memcmp(header.magic, kPlanMagic, sizeof kPlanMagic) != 0 || header.version != kPlanVersion ||
        header.entries > kMaxHooks || header.imports > kMaxHooks || !cutter.take(header.images, &plan->images) ||
        !cutter.take(header.entries, &plan->entries) || !cutter.take(header.imports, &plan->imports) ||
        !cutter.take(header.points, &plan->points) || !cutter.take(header.steps, &plan->steps) ||
        !cutter.take(header.loads, &plan->loads) || !cutter.take(header.text_bytes, &text) || cutter.left() != 0) {
        return false;
    }
    plan->text = {text.data(), text.size()};
    if (!all_good(*plan, plan->loads) || !all_good(*plan, plan->entries) || !all_good(*plan, plan->points) ||
        !all_good(*plan, plan->images)) {
        return false;
    }
    for (const PlanImport& import : plan->imports) {
        if (!is_good(*plan, import.symbol) || import.symbol.bytes == 0 || import.point >= plan->points.size()) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::hooks
