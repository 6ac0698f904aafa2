// The image set by itself: made-up images at made-up addresses.
#include "unwind/image_set.h"

#include "frame_bytes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::unwind::test {
namespace {

struct Log {
    std::vector<std::uint32_t> added;
    std::vector<std::uint32_t> removed;
    std::uint64_t next_begin = 0;
    ImageSet* set = nullptr;
    ImageId from_inside{99};
};

image::LoadedImage image_at(std::uint64_t begin, std::uint64_t pages, std::span<const std::uint8_t> debug_frame) {
    image::LoadedImage image;
    image.range = {begin, begin + pages * 4096};
    image.bias = begin;
    image.path = "/made/up";
    image.segments[0] = {image.range, 1};
    image.segment_count = 1;
    image.debug_frame = debug_frame;
    return image;
}

class ImageSetTest : public testing::Test {
  protected:
    ImageSetTest() {
        FrameBytes::Common common;
        common.augmentation = "";
        frames.cie(common);
        frames.fde(0x100, 0x10, {});
        ImageHooks hooks;
        hooks.context = &log;
        hooks.describe = [](void* context, std::uint64_t address, image::Arena&, image::LoadedImage* image) {
            auto* log = static_cast<Log*>(context);
            if (log->next_begin == 0 || address - log->next_begin >= 4096) {
                return false;
            }
            // As a handler would that interrupts the registration on this very thread.
            log->from_inside = log->set->add(image_at(0x900000, 1, {}));
            *image = image_at(log->next_begin, 1, {});
            return true;
        };
        hooks.added = [](void* context, ImageId id, const image::LoadedImage&) {
            static_cast<Log*>(context)->added.push_back(raw(id));
        };
        hooks.removed = [](void* context, ImageId id) { static_cast<Log*>(context)->removed.push_back(raw(id)); };
        log.set = &set;
        EXPECT_TRUE(set.create(hooks));
    }

    FrameBytes frames{FrameSectionKind::kDebugFrame};
    Log log;
    ImageSet set;
};

TEST_F(ImageSetTest, FindsByAddress) {
    const ImageId one = set.add(image_at(0x7F0000000000, 3, frames.section().bytes));
    const ImageId two = set.add(image_at(0x7F0000003000, 2, frames.section().bytes));
    EXPECT_EQ(raw(one), 1U);
    EXPECT_EQ(raw(two), 2U);
    EXPECT_EQ(set.find(0x7F0000002FFF), &set.entry(one));
    EXPECT_EQ(set.find(0x7F0000003000), &set.entry(two));
    EXPECT_EQ(set.find(0x7F0000005000), nullptr);
    EXPECT_EQ(set.find(0x7EFFFFFFFFFF), nullptr);
    EXPECT_EQ(set.find(~std::uint64_t{0}), nullptr);
    EXPECT_EQ(log.added, (std::vector<std::uint32_t>{1, 2}));
    for (int again = 0; again < 2; ++again) {  // looked up, then from the cache
        EXPECT_EQ(set.rule_at(0x7F0000003105).id, two);
        EXPECT_EQ(kind_of(set.rule_at(0x7F0000003105).rule), RuleKind::kPlain);
        EXPECT_EQ(kind_of(set.rule_at(0x7F0000003120).rule), RuleKind::kNone);
        EXPECT_EQ(set.rule_at(0x7F0000006000).image, nullptr);
    }
}

TEST_F(ImageSetTest, SetsShareATable) {
    Table table;
    ASSERT_TRUE(compile_image(image_at(0x50000, 1, frames.section().bytes), &table));
    {
        ImageSet other;
        ASSERT_TRUE(other.create({}));
        ASSERT_NE(other.add(image_at(0x10000, 1, {}), table), ImageId{0});
        EXPECT_EQ(kind_of(other.rule_at(0x10100).rule), RuleKind::kPlain) << "of the table, not of the image";
        other.release();
    }
    const ImageId id = set.add(image_at(0x20000, 1, {}), table);
    EXPECT_EQ(set.rule_at(0x20100).id, id);
    EXPECT_EQ(kind_of(set.rule_at(0x20100).rule), RuleKind::kPlain) << "which the other set has not released";
    EXPECT_EQ(set.entry(id).kept_table, &table);
    set.release();
    release(&table);
}

TEST_F(ImageSetTest, AcrossGigabytes) {
    const ImageId id = set.add(image_at(0x3FFFF000, 3, {}));
    EXPECT_EQ(set.find(0x3FFFFFFF), &set.entry(id));
    EXPECT_EQ(set.find(0x40001FFF), &set.entry(id));
}

TEST_F(ImageSetTest, RetiredImagesAreNotFoundButStayReadable) {
    const ImageId id = set.add(image_at(0x10000, 1, frames.section().bytes));
    EXPECT_EQ(set.rule_at(0x10100).id, id);
    EXPECT_EQ(set.remove(0, 0x10FFF), 0U) << "not wholly inside";
    EXPECT_EQ(set.remove(0, 0x11000), 1U);
    EXPECT_EQ(set.remove(0, 0x11000), 0U);
    EXPECT_EQ(set.find(0x10100), nullptr);
    EXPECT_EQ(set.rule_at(0x10100).image, nullptr) << "the cache knew it";
    EXPECT_EQ(kind_of(set.entry(id).kept_table->find(0x100)), RuleKind::kPlain);
    EXPECT_EQ(log.removed, (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(raw(set.add(image_at(0x10000, 1, frames.section().bytes))), 2U);
}

TEST_F(ImageSetTest, UnknownAddressesAskOnceAndRegister) {
    log.next_begin = 0x50000;
    EXPECT_EQ(raw(set.rule_at(0x50010).id), 1U);
    EXPECT_EQ(raw(set.rule_at(0x50020).id), 1U);
    EXPECT_EQ(log.added.size(), 1U);
    EXPECT_EQ(set.rule_at(0x60010).image, nullptr);
}

TEST_F(ImageSetTest, TheLocksHolderDoesNotWaitForItself) {
    log.next_begin = 0x50000;
    EXPECT_EQ(raw(set.add_at(0x50010)), 1U);
    EXPECT_EQ(raw(log.from_inside), 0U);
    EXPECT_EQ(set.count(), 1U);
}

TEST_F(ImageSetTest, AForkedChildCanRegisterThoughTheHolderIsGone) {
    // The child is made while the lock is held: by the describe hook.
    static pid_t child;
    child = -1;
    ImageSet forking;
    ImageHooks hooks;
    hooks.describe = [](void*, std::uint64_t address, image::Arena&, image::LoadedImage* image) {
        if (child == -1) {
            child = fork();
        }
        *image = image_at(address & ~std::uint64_t{4095}, 1, {});
        return true;
    };
    ASSERT_TRUE(forking.create(hooks));
    std::thread([&forking] {
        if (forking.rule_at(0x50010).image == nullptr) {
            _exit(3);
        }
        if (child == 0) {
            _exit(0);
        }
    }).join();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);

    // And with a holder that does not exist in the child at all.
    child = -2;
    std::thread holder;
    static std::atomic<int> stage;
    stage = 0;
    static ImageSet held;
    ImageHooks slow;
    slow.describe = [](void*, std::uint64_t address, image::Arena&, image::LoadedImage* image) {
        if (stage == 0) {
            stage = 1;
            while (stage == 1) {
            }
        }
        *image = image_at(address & ~std::uint64_t{4095}, 1, {});
        return true;
    };
    ASSERT_TRUE(held.create(slow));
    holder = std::thread([] { held.rule_at(0x50010); });
    while (stage != 1) {
    }
    const pid_t orphan = fork();
    if (orphan == 0) {
        const bool refused = held.add_at(0x70010) == ImageId{0};
        held.after_fork_in_child();
        stage = 2;
        _exit(refused && held.add_at(0x70010) != ImageId{0} ? 0 : 1);
    }
    stage = 2;
    holder.join();
    ASSERT_EQ(waitpid(orphan, &status, 0), orphan);
    EXPECT_EQ(status, 0);
}

TEST(RuleCache, EntriesOfTwoWritingsDoNotComeOut) {
    RuleCache cache;
    ASSERT_TRUE(cache.create());
    RuleWord rule = 0;
    EXPECT_EQ(cache.find(0, &rule), 0U);
    EXPECT_EQ(cache.find(0x1234, &rule), 0U);
    cache.insert(0x7F0000001234, 7, 0x1802);
    EXPECT_EQ(cache.find(0x7F0000001234, &rule), 7U);
    EXPECT_EQ(rule, 0x1802U);
    EXPECT_EQ(cache.find(0x7F0000002234, &rule), 0U) << "same place, another address";
    cache.insert(0x7F0000002234, 65535, 0x2802);
    EXPECT_EQ(cache.find(0x7F0000001234, &rule), 0U);
    EXPECT_EQ(cache.find(0x7F0000002234, &rule), 65535U);
}

TEST(RuleCache, WritersAndReadersRace) {
    // Every address has one right rule and slot; whatever comes out must be it.
    RuleCache cache;
    ASSERT_TRUE(cache.create());
    const auto address_of = [](std::uint64_t i) { return 0x7F0000000010 + i * RuleCache::kEntries; };
    const auto rule_of = [](std::uint64_t i) { return (i + 1) << 40U | 0x3A; };
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (std::uint64_t w = 0; w < 2; ++w) {
        writers.emplace_back([&, w] {
            for (std::uint64_t i = w; !stop; ++i) {
                cache.insert(address_of(i % 16), static_cast<std::uint32_t>(i % 16 + 1), rule_of(i % 16));
            }
        });
    }
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < 2000000 || (hits < 100 && i < 200000000); ++i) {
        RuleWord rule = 0;
        if (const std::uint32_t slot = cache.find(address_of(i % 16), &rule); slot != 0) {
            ++hits;
            ASSERT_EQ(slot, i % 16 + 1);
            ASSERT_EQ(rule, rule_of(i % 16));
        }
    }
    EXPECT_GT(hits, 0U);
    stop = true;
    for (std::thread& writer : writers) {
        writer.join();
    }
}

}  // namespace
}  // namespace kymo::unwind::test
