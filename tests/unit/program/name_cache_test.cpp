// Names that were stored are those that are looked up, of any mix of known and new offsets; a cache that is damaged,
// another user's or full is none.
#include "program/name_cache.h"

#include "base/checksum.h"
#include "compiled_sample.h"

#include <gmock/gmock.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kymo::program::test {
namespace {

class NameCacheTest : public Symbolize {
  protected:
    fs::path folder() const { return folder_ / "cache"; }
    NameCache cache() const { return NameCache(folder()); }

    Request request(const fs::path& file, std::vector<ImageOffset> offsets) const {
        return {.image = {.path = file, .build_id = build_id_of(file), .machine = EM_X86_64},
                .offsets = std::move(offsets)};
    }
    // Everything is worth keeping.
    Symbols ask_cache(const Request& request) const { return symbolize({&request, 1}, cache(), 0); }
    static Symbols ask_file(const Request& request) { return symbolize({&request, 1}, NameCache()); }

    static void expect_same(const Symbols& a, const Symbols& b) {
        EXPECT_EQ(a.functions, b.functions);
        EXPECT_EQ(a.files, b.files);
        ASSERT_EQ(a.images.size(), b.images.size());
        for (std::size_t i = 0; i < a.images.size(); ++i) {
            EXPECT_EQ(a.images[i].first, b.images[i].first);
            EXPECT_EQ(a.images[i].frames, b.images[i].frames);
        }
    }
};

TEST_F(NameCacheTest, WhatIsStoredIsWhatIsLookedUp) {
    const fs::path file = compile("-O2 -g");
    const auto offsets = offsets_of(file);
    std::mt19937 random(1);
    for (int round = 0; round < 6; ++round) {
        std::vector<ImageOffset> some;
        std::copy_if(offsets.begin(), offsets.end(), std::back_inserter(some),
                     [&](ImageOffset) { return random() % 3 == 0; });
        const Request asked = request(file, some);
        const Symbols expected = ask_file(asked);
        expect_same(ask_cache(asked), expected);
        expect_same(ask_cache(asked), expected);  // all of it from the cache
        EXPECT_EQ(cache().contents().images, 1U);
    }
}

TEST_F(NameCacheTest, TheFileIsNotNeededForWhatIsKnown) {
    const fs::path file = compile("-O2 -g");
    const Request asked = request(file, offsets_of(file));
    const Symbols expected = ask_cache(asked);
    fs::remove(file);
    const Symbols after = ask_cache(asked);
    EXPECT_EQ(after.warnings, std::vector<std::string>());
    expect_same(after, expected);
    // Under another name it is the same build.
    Request moved = asked;
    moved.image.path = "/elsewhere/renamed";
    const Symbols renamed = ask_cache(moved);
    ASSERT_EQ(renamed.functions.size(), expected.functions.size());
    for (std::size_t i = 1; i < renamed.functions.size(); ++i) {
        const Function& function = renamed.functions[i];
        EXPECT_EQ(function.module, "renamed");
        EXPECT_EQ(function.name.starts_with("renamed+0x"), expected.functions[i].name.starts_with("sample+0x"));
    }
}

TEST_F(NameCacheTest, WithoutDebugInformationNothingIsStored) {
    const fs::path file = compile("-O2");
    ask_cache(request(file, offsets_of(file)));
    EXPECT_EQ(cache().contents().images, 0U);
}

TEST_F(NameCacheTest, OffsetsWithoutANameAreKnownToHaveNone) {
    const fs::path file = compile("-O2 -g");
    auto offsets = offsets_of(file);
    offsets.push_back(ImageOffset{0x7fffffff});
    const Request asked = request(file, offsets);
    const Symbols expected = ask_file(asked);
    expect_same(ask_cache(asked), expected);
    expect_same(ask_cache(asked), expected);
}

TEST_F(NameCacheTest, ADamagedFileCountsAsNone) {
    const fs::path file = compile("-O2 -g");
    const Request asked = request(file, offsets_of(file));
    const std::string id = asked.image.build_id;
    ask_cache(asked);
    const auto known = cache().read(id, "sample");
    ASSERT_TRUE(known);
    const std::string good = NameCache::encode(id, *known);
    ASSERT_TRUE(NameCache::decode(good, id, "sample"));
    EXPECT_FALSE(NameCache::decode(good, "another build", "sample"));
    std::mt19937 random(2);
    for (std::size_t i = 0; i < good.size(); i += 1 + random() % 7) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 + random() % 255));
        EXPECT_FALSE(NameCache::decode(bad, id, "sample")) << i;
        // With its checksum made right: bounded, whatever it says.
        const std::uint32_t crc = crc32c(bad.data() + 16, bad.size() - 16);
        std::memcpy(bad.data() + 12, &crc, sizeof crc);
        if (const auto read = NameCache::decode(bad, id, "sample")) {
            for (const Wanted& wanted : read->known) {
                for (const Frame& frame : wanted.frames) {
                    EXPECT_LT(frame.function, read->names.functions().size());
                    EXPECT_LT(frame.file, read->names.files().size());
                }
            }
        }
        EXPECT_FALSE(NameCache::decode(good.substr(0, i), id, "sample"));
    }
}

TEST_F(NameCacheTest, OthersMayNotWriteToIt) {
    const fs::path home = folder_ / "home";
    fs::create_directories(home / ".cache/kymo");
    ASSERT_EQ(setenv("HOME", home.c_str(), 1), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("KYMO_CACHE");
    EXPECT_EQ(NameCache::of_user().folder(), home / ".cache/kymo");
    ASSERT_EQ(chmod((home / ".cache/kymo").c_str(), 0777), 0);
    EXPECT_EQ(NameCache::of_user().folder(), "");
    fs::remove(home / ".cache/kymo");
    fs::create_directories(folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", home / ".cache/kymo");
    EXPECT_EQ(NameCache::of_user().folder(), "");
    setenv("KYMO_CACHE", "off", 1);
    EXPECT_EQ(NameCache::of_user().folder(), "");
    setenv("KYMO_CACHE", (folder_ / "chosen").c_str(), 1);
    EXPECT_EQ(NameCache::of_user().folder(), folder_ / "chosen");
    unsetenv("KYMO_CACHE");
}

TEST_F(NameCacheTest, SeveralAtOnceStoreWholeFiles) {
    const fs::path file = compile("-O2 -g");
    const auto offsets = offsets_of(file);
    const Symbols expected = ask_file(request(file, offsets));
    std::vector<std::thread> users;
    for (unsigned user = 0; user < 4; ++user) {
        users.emplace_back([&, user] {
            for (std::size_t i = user; i < offsets.size(); i += 4) {
                const Request one = request(file, {offsets[i]});
                EXPECT_EQ(ask_cache(one).images[0].frames.size(), expected.images[0].at(i).size());
            }
        });
    }
    for (std::thread& user : users) {
        user.join();
    }
    expect_same(ask_cache(request(file, offsets)), expected);
    EXPECT_EQ(cache().contents().images, 1U);
    EXPECT_TRUE(cache().clear());
    EXPECT_EQ(cache().contents().images, 0U);
}

}  // namespace
}  // namespace kymo::program::test
