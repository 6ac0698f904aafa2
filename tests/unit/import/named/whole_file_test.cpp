#include "import/named/whole_file.h"

#include "collector.h"
#include "import/named/unpacked.h"
#include "pprof_bytes.h"

#include <gmock/gmock.h>

namespace kymo::import::named {
namespace {

Result<WholeFile> whole(std::string_view bytes) {
    const TestFile file(bytes);
    auto input = Input::open(file.path());
    EXPECT_TRUE(input.ok());
    return read_whole(*input);
}

std::string text_of(const WholeFile& file) {
    return {file.bytes.begin(), file.bytes.end()};
}

// Bytes that hardly compress.
std::string noise(std::size_t bytes) {
    std::string to(bytes, '\0');
    std::uint32_t state = 1;
    for (char& c : to) {
        state = state * 1'664'525U + 1'013'904'223U;
        c = static_cast<char>(state >> 24U);
    }
    return to;
}

TEST(WholeFile, ReadsWithAndWithoutCompression) {
    for (const std::size_t bytes : {0U, 1U, 100U, 65'536U, 3'000'000U}) {
        const std::string text = noise(bytes);
        for (const std::string& form : {text, compressed(text)}) {
            const auto file = whole(form);
            ASSERT_TRUE(file.ok());
            EXPECT_EQ(text_of(*file), text);
            EXPECT_FALSE(file->is_cut);
        }
    }
}

TEST(WholeFile, ReadsConcatenatedParts) {
    const auto file = whole(compressed("first ") + compressed("") + compressed("second"));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(text_of(*file), "first second");
    EXPECT_FALSE(file->is_cut);
}

TEST(WholeFile, KeepsWhatIsThereOfDamagedData) {
    const std::string text = noise(1'000'000);
    const std::string packed = compressed(text);
    auto file = whole(std::string_view(packed).substr(0, packed.size() / 2));
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->is_cut);
    EXPECT_GT(file->bytes.size(), 400'000U);
    EXPECT_EQ(text_of(*file), text.substr(0, file->bytes.size()));
    file = whole(packed + "padding");
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(text_of(*file), text);
    file = whole("\x1f\x8b");
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->is_cut);
    EXPECT_TRUE(file->bytes.empty());
    file = whole("\x1f\x8b not of gzip");
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->is_cut);
}

TEST(WholeFile, RefusesWhatLittleBecomesTooMuch) {
    const std::string zeros(std::size_t{60} << 20, '\0');
    const auto file = whole(compressed(zeros));
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().kind, ErrorKind::kMalformed);
    EXPECT_THAT(file.error().what, testing::HasSubstr("256 times larger"));
    EXPECT_TRUE(whole(compressed(std::string_view(zeros).substr(0, std::size_t{10} << 20))).ok()) << "little in all";
}

TEST(WholeFile, GivesTheBeginning) {
    const std::string packed = compressed("0123456789");
    const auto of = [](std::string_view bytes, std::size_t most) {
        const auto part =
            decompressed_beginning({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, most);
        return std::string(part.begin(), part.end());
    };
    EXPECT_EQ(of(packed, 4), "0123");
    EXPECT_EQ(of(packed, 40), "0123456789");
    EXPECT_EQ(of("0123456789", 4), "0123");
    EXPECT_EQ(of(std::string_view(packed).substr(0, 5), 40), "");
}

}  // namespace
}  // namespace kymo::import::named
