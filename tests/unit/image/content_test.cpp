// An image in memory and its file have one content; another file has another one.
#include "image/content.h"

#include "image/describe.h"

#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace kymo::image {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Content, IsTheSameInMemoryAndInTheFile) {
    void* library = dlopen(KYMO_SUBJECT, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(reinterpret_cast<std::uint64_t>(dlsym(library, "subject")), arena, &image));
    const std::vector<std::uint8_t> file = bytes_of(KYMO_SUBJECT);
    EXPECT_NE(content_of(image), 0U);
    EXPECT_EQ(content_of(image), content_of(file));
    arena.release();
    dlclose(library);
}

TEST(Content, ChangesWithASymbolsName) {
    std::vector<std::uint8_t> file = bytes_of(KYMO_SUBJECT);
    const std::uint64_t before = content_of(file);
    const std::string name = "subject";
    const auto at = std::search(file.begin(), file.end(), name.begin(), name.end());  // of the dynamic symbols
    ASSERT_NE(at, file.end());
    *at = 'S';
    EXPECT_NE(content_of(file), 0U);
    EXPECT_NE(content_of(file), before);
}

TEST(Content, OfWhatIsNoElfFileIsNotKnown) {
    EXPECT_EQ(content_of(std::span<const std::uint8_t>{}), 0U);
    const std::vector<std::uint8_t> text(10'000, 'x');
    EXPECT_EQ(content_of(text), 0U);
    std::vector<std::uint8_t> file = bytes_of(KYMO_SUBJECT);
    for (const std::size_t size : {1U, 16U, 64U, 100U, 400U, 4096U}) {
        EXPECT_NE(content_of(std::span(file).first(size)), content_of(file)) << size;
    }
}

}  // namespace
}  // namespace kymo::image
