// Code of machines that this build does not run on, listed from images made by hand.
#include "made_image.h"
#include "made_recording.h"
#include "program/listing.h"
#include "program/listing/around.h"

#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

// 1000: ldi $0, 0($31)   1004: subl $17, 1, $17   1008: bne $17, 1004   100c: bsr $26, 1000   1010: call $26, ($27)
// 1014: ret
const std::vector<std::uint8_t> kSunway = {0x00, 0x00, 0x1f, 0xf8, 0x31, 0x21, 0x20, 0x4a, 0xfe, 0xff, 0x3f, 0xc6,
                                           0xfc, 0xff, 0x5f, 0x17, 0x00, 0x00, 0xfb, 0x06, 0x01, 0x00, 0xfa, 0x0b};

class OtherMachines : public ::testing::Test {
  protected:
    ImageName image(std::uint16_t machine, const std::vector<std::uint8_t>& code) {
        const std::string path = (folder_.path() / "app").string();
        const auto bytes = kymo::testing::make_image(machine, {{"f", 0x1000, code}});
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return {path, {}, machine};
    }
    static std::vector<std::string> texts(const std::vector<ListedInstruction>& lines) {
        std::vector<std::string> all;
        for (const ListedInstruction& line : lines) {
            all.push_back(line.text);
        }
        return all;
    }

  private:
    kymo::testing::TemporaryFolder folder_;
};

TEST_F(OtherMachines, AreListedAsBitsAndBranches) {
    const std::vector<ImageOffset> wanted = {ImageOffset{0x1004}};
    const auto listings = list_instructions(image(0x9916, kSunway), wanted);
    ASSERT_EQ(listings.size(), 1U);
    EXPECT_EQ(listings[0].end, 0x1018U);
    EXPECT_EQ(texts(listings[0].instructions),
              (std::vector<std::string>{"f81f0000", "4a202131", "c63ffffe  conditional jump to 0x1004",
                                        "175ffffc  call of 0x1000", "06fb0000  indirect call", "0bfa0001  return"}));
}

TEST_F(OtherMachines, AreListedAroundAPlaceInsideAnInstruction) {
    const auto lines = list_around(image(0x9916, kSunway), 0x100f, 2, 1, false);  // a return address minus one
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].offset, 0x1004U);
    EXPECT_EQ(texts(lines)[2], "175ffffc  call of 0x1000");
    EXPECT_EQ(lines[3].offset, 0x1010U);
}

TEST_F(OtherMachines, WithoutADecoderHaveNoListing) {
    const std::vector<ImageOffset> wanted = {ImageOffset{0x1004}};
    EXPECT_TRUE(list_instructions(image(EM_PPC64, kSunway), wanted).empty());
    EXPECT_TRUE(list_around(image(EM_PPC64, kSunway), 0x1004, 2, 2).empty());
}

TEST_F(OtherMachines, OfAnotherNumberThanTheRecordingAreNotRead) {
    ImageName file = image(0x9916, kSunway);
    file.machine = EM_AARCH64;
    const std::vector<ImageOffset> wanted = {ImageOffset{0x1004}};
    EXPECT_TRUE(list_instructions(file, wanted).empty());
}

}  // namespace
}  // namespace kymo::program
