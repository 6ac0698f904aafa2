// Images that lie elsewhere than where they were when they were recorded.
#include "program/image_search.h"

#include "compiled_sample.h"
#include "program/copy_images.h"
#include "program/module_file.h"

#include <gmock/gmock.h>

namespace kymo::program::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImageElsewhere : public Symbolize {
  protected:
    void TearDown() override {
        set_image_search({});
        Symbolize::TearDown();
    }
    // One that was recorded where nothing is any more.
    ImageName image_of(const fs::path& file) const {
        return {"/gone/" + file.filename().string(), build_id_of(file), EM_X86_64};
    }
    fs::path place(const std::string& name) const { return folder_ / name; }
    static bool has_line(const ImageName& image) {
        const Request request{image, offsets_of(ModuleFile::open(image).path())};
        const Symbols symbols = symbolize({&request, 1});
        for (std::size_t i = 0; i < request.offsets.size(); ++i) {
            for (const Frame& frame : symbols.images.at(0).at(i)) {
                if (frame.line != 0) {
                    return true;
                }
            }
        }
        return false;
    }
};

TEST_F(ImageElsewhere, IsFoundByItsBuildId) {
    const fs::path file = compile("-O1 -g");
    const ImageName image = image_of(file);
    EXPECT_THAT(ModuleFile::open(image).problem(), HasSubstr("the file is gone"));
    const fs::path to = by_build_id(place("images").string(), image.build_id);
    fs::create_directories(to.parent_path());
    fs::rename(file, to);
    set_image_search({.directories = {place("nothing").string(), place("images").string()}});
    const ModuleFile found = ModuleFile::open(image);
    EXPECT_EQ(found.path(), to);
    EXPECT_NE(found.module(), nullptr);
    EXPECT_EQ(found.problem(), "");
}

TEST_F(ImageElsewhere, IsFoundAtItsPathBelowARoot) {
    const fs::path file = compile("-O1 -g");
    const ImageName image = image_of(file);
    fs::create_directories(place("root/gone"));
    fs::rename(file, place("root/gone/sample"));
    set_image_search({.directories = {place("root").string()}});
    EXPECT_EQ(ModuleFile::open(image).path(), place("root/gone/sample"));
}

TEST_F(ImageElsewhere, IsNotAnotherBuildOfTheSameName) {
    const ImageName image = image_of(compile("-O1 -g"));
    fs::create_directories(place("root/gone"));
    fs::rename(compile("-O2 -g"), place("root/gone/sample"));
    set_image_search({.directories = {place("root").string()}});
    EXPECT_EQ(ModuleFile::open(image).module(), nullptr);
}

TEST_F(ImageElsewhere, IsLookedForThereAlone) {
    const fs::path file = compile("-O1 -g");
    const ImageName image{file.string(), build_id_of(file), EM_X86_64};
    set_image_search({.directories = {place("images").string()}});
    EXPECT_NE(ModuleFile::open(image).module(), nullptr);
    set_image_search({.directories = {place("images").string()}, .only = true});
    const ModuleFile none = ModuleFile::open(image);
    EXPECT_EQ(none.module(), nullptr);
    EXPECT_THAT(none.problem(), HasSubstr("in none of the directories of --images"));
}

TEST_F(ImageElsewhere, IsCopiedWithItsDebugInformation) {
    const fs::path file = compile("-O1 -g");
    const ImageName image{file.string(), build_id_of(file), EM_X86_64};
    const fs::path debug = by_build_id(place("debug").string(), image.build_id) + ".debug";
    fs::create_directories(debug.parent_path());
    ASSERT_EQ(run("objcopy --only-keep-debug '" + file.string() + "' '" + debug.string() + "'").status, 0);
    ASSERT_EQ(run("strip '" + file.string() + "'").status, 0);
    set_image_search({.directories = {place("debug").string()}});
    const std::vector<ImageName> images = {image, {"/gone/too", std::string(20, 'x'), EM_X86_64}, {"[vdso]", "", 0}};
    const auto copied = copy_images(images, place("images").string());
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->images, 1U);
    EXPECT_EQ(copied->debug_files, 1U);
    EXPECT_THAT(copied->problems, ElementsAre(HasSubstr("/gone/too")));
    const auto again = copy_images(images, place("images").string());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->images + again->debug_files, 0U) << "they are there";
    fs::remove(file);
    set_image_search({.directories = {place("images").string()}, .only = true});
    EXPECT_TRUE(has_line(image));
}

TEST_F(ImageElsewhere, WithoutABuildIdIsCopiedToItsPath) {
    const fs::path file = compile("-O1 -g -Wl,--build-id=none");
    const std::vector<ImageName> images = {{file.string(), "", EM_X86_64}};
    ASSERT_TRUE(copy_images(images, place("images").string()));
    fs::remove(file);
    set_image_search({.directories = {place("images").string()}, .only = true});
    EXPECT_EQ(ModuleFile::open(images[0]).path(), place("images").string() + file.string());
}

TEST_F(ImageElsewhere, IsCopiedNowhereElse) {
    const fs::path file = compile("-O1 -g -Wl,--build-id=none");
    const std::string up = "/../../.." + file.string();
    const std::vector<ImageName> images = {{up, "", EM_X86_64}};
    fs::create_directories(place("a/b"));
    const auto copied = copy_images(images, place("a/b").string());
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->images, 1U);
    EXPECT_TRUE(fs::exists(place("a/b").string() + file.string()));
}

TEST_F(ImageElsewhere, CannotBeCopiedToAFile) {
    const fs::path file = compile("-O1 -g");
    const std::vector<ImageName> images = {{file.string(), build_id_of(file), EM_X86_64}};
    const auto copied = copy_images(images, file.string());
    ASSERT_FALSE(copied);
    EXPECT_THAT(copied.error().what, HasSubstr(file.string()));
}

}  // namespace
}  // namespace kymo::program::test
