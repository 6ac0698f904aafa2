#include "hooks/plan_file.h"

#include "hooks/plan/plan_writer.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::hooks {
namespace {

// A plan's bytes, aligned, to be damaged.
struct Bytes {
    std::vector<std::uint64_t> words;
    std::size_t size = 0;

    explicit Bytes(const std::string& text) : words(text.size() / 8 + 1), size(text.size()) {
        std::memcpy(words.data(), text.data(), text.size());
    }
    std::span<const std::uint8_t> span() const { return {reinterpret_cast<const std::uint8_t*>(words.data()), size}; }
    template <typename T>
    T& at(std::size_t offset) {
        return *reinterpret_cast<T*>(reinterpret_cast<std::uint8_t*>(words.data()) + offset);
    }
};

std::string good_plan() {
    PlanEntry entry{};
    entry.offset = 0x1000;
    entry.original_bytes = 5;
    entry.moved_bytes = 10;
    entry.instructions = 2;
    entry.original_at[1] = 1;
    entry.moved_at[1] = 1;
    entry.fixups = 1;
    entry.fixup[0] = {0x2000, 6, 10, FixupKind::kDistance, {}};
    cells::Step step;
    PlanWriter writer;
    EXPECT_EQ(writer.add_data("/usr/bin/program", "0123456789"), 0U);
    cells::Load load;
    load.links = 1;
    EXPECT_EQ(writer.add_load(load), 0U);
    EXPECT_EQ(writer.add_load(load), 0U);
    step.operation = cells::Operation::kLoad;
    entry.point = writer.add_point({&step, 1}, {&step, 1});
    writer.add_image("/usr/bin/program", "0123456789", {&entry, 1});
    writer.add_import("write", entry.point);
    return writer.text();
}
constexpr std::size_t kImage = sizeof(PlanHeader);
constexpr std::size_t kEntry = kImage + sizeof(PlanImage);
constexpr std::size_t kImport = kEntry + sizeof(PlanEntry);
constexpr std::size_t kPoint = kImport + sizeof(PlanImport);
constexpr std::size_t kStep = kPoint + sizeof(PlanPoint);
constexpr std::size_t kLoad = kStep + 2 * sizeof(cells::Step);

TEST(PlanFile, ReadsBackWhatWasWritten) {
    const Bytes bytes(good_plan());
    Plan plan;
    ASSERT_TRUE(find_plan(bytes.span(), &plan));
    ASSERT_EQ(plan.images.size(), 1U);
    EXPECT_EQ(plan.text_of(plan.images[0].path), "/usr/bin/program");
    EXPECT_EQ(plan.images[0].build_id_bytes, 10U);
    EXPECT_EQ(plan.entries_of(plan.images[0])[0].offset, 0x1000U);
    EXPECT_EQ(plan.text_of(plan.imports[0].symbol), "write");
    EXPECT_EQ(plan.points[0].exit_steps, 1U);
    ASSERT_EQ(plan.loads.size(), 1U);
    EXPECT_EQ(plan.loads[0].links, 1U);
}

TEST(PlanFile, RefusesEveryTruncation) {
    const Bytes bytes(good_plan());
    for (std::size_t size = 0; size < bytes.size; ++size) {
        Plan plan;
        EXPECT_FALSE(find_plan(bytes.span().first(size), &plan)) << size;
    }
}

TEST(PlanFile, RefusesWhatDoesNotFit) {
    const auto refuses = [](const char* what, const std::function<void(Bytes&)>& damage) {
        Bytes bytes(good_plan());
        damage(bytes);
        Plan plan;
        EXPECT_FALSE(find_plan(bytes.span(), &plan)) << what;
    };
    refuses("magic", [](Bytes& b) { b.at<char>(0) = 'X'; });
    refuses("version", [](Bytes& b) { ++b.at<PlanHeader>(0).version; });
    refuses("more images than there are", [](Bytes& b) { b.at<PlanHeader>(0).images = 1U << 30U; });
    refuses("path outside", [](Bytes& b) { b.at<PlanImage>(kImage).path.begin = 1000; });
    refuses("path that wraps", [](Bytes& b) { b.at<PlanImage>(kImage).path.bytes = UINT32_MAX; });
    refuses("build id too long", [](Bytes& b) { b.at<PlanImage>(kImage).build_id_bytes = 33; });
    refuses("entries outside", [](Bytes& b) { b.at<PlanImage>(kImage).entries = 2; });
    refuses("point outside", [](Bytes& b) { b.at<PlanEntry>(kEntry).point = 1; });
    refuses("no room for the jump", [](Bytes& b) { b.at<PlanEntry>(kEntry).original_bytes = 4; });
    refuses("original too long", [](Bytes& b) { b.at<PlanEntry>(kEntry).original_bytes = 21; });
    refuses("moved too long", [](Bytes& b) { b.at<PlanEntry>(kEntry).moved_bytes = 49; });
    refuses("too many instructions", [](Bytes& b) { b.at<PlanEntry>(kEntry).instructions = 6; });
    refuses("instruction behind the code", [](Bytes& b) { b.at<PlanEntry>(kEntry).moved_at[1] = 10; });
    refuses("instructions out of order", [](Bytes& b) { b.at<PlanEntry>(kEntry).original_at[1] = 0; });
    refuses("fixup behind the code", [](Bytes& b) { b.at<PlanEntry>(kEntry).fixup[0].end = 11; });
    refuses("fixup behind its instruction", [](Bytes& b) { b.at<PlanEntry>(kEntry).fixup[0].at = 7; });
    refuses("kind of fixup", [](Bytes& b) { b.at<PlanEntry>(kEntry).fixup[0].kind = FixupKind{3}; });
    refuses("symbol outside", [](Bytes& b) { b.at<PlanImport>(kImport).symbol.begin = 1000; });
    refuses("steps outside", [](Bytes& b) { b.at<PlanPoint>(kPoint).exit_steps = 2; });
    refuses("a load that is not there", [](Bytes& b) { b.at<cells::Step>(kStep).constant = 1; });
    refuses("data of an image that is not there", [](Bytes& b) { b.at<cells::Load>(kLoad).image = 1; });
    refuses("more pointers than are followed", [](Bytes& b) { b.at<cells::Load>(kLoad).links = 6; });
    refuses("a bad step", [](Bytes& b) { b.at<cells::Step>(kStep).target = 60'000; });
}

}  // namespace
}  // namespace kymo::hooks
