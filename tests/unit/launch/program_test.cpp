#include "launch/program.h"

#include "base/native.h"
#include "image/program_facts.h"
#include "temporary_folder.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

using testing::HasSubstr;

class FindProgram : public testing::Test {
  protected:
    Error refusal(const std::string& name, const std::string& path = "/usr/bin:/bin") {
        const auto found = find_program(name, path);
        EXPECT_FALSE(found) << name;
        const Error error = found ? Error{} : found.error();
        EXPECT_FALSE(error.next.empty()) << error.what;
        EXPECT_EQ(error.what.find('\n'), std::string::npos);
        return error;
    }

    // A copy of a real program with some bytes changed.
    std::filesystem::path changed_copy(const std::string& name, std::size_t at, std::string bytes) {
        std::ifstream in("/bin/true", std::ios::binary);
        std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        text.replace(at, bytes.size(), bytes);
        return folder_.program(name, text);
    }

    TemporaryFolder folder_;
};

TEST_F(FindProgram, ByNameAndByPath) {
    EXPECT_EQ(find_program("sh", "/nonexistent:/bin")->path, "/bin/sh");
    EXPECT_EQ(find_program("/bin/sh", "")->path, "/bin/sh");
    folder_.program("hello", "#!/bin/sh\n");
    EXPECT_TRUE(find_program("./hello", ""));
    EXPECT_TRUE(find_program("hello", "::"));  // an empty entry is the current folder
    EXPECT_FALSE(find_program("/bin/sh", "")->go_runtime);
}

// Go's mark in place of another section's name; and a beginning that is not the C library's.
TEST_F(FindProgram, GoProgramsThatDoNotBeginInTheCLibraryAreRefused) {
    std::ifstream in("/bin/true", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string other(".note.gnu.property");
    const std::size_t section = text.rfind(other + '\0');
    const std::size_t start = text.find(std::string("__libc_start_main") + '\0');
    if (section == std::string::npos || start == std::string::npos) {
        GTEST_SKIP() << "/bin/true has other sections, or another beginning";
    }
    text.replace(section, 14, std::string(".go.buildinfo") + '\0');
    folder_.program("go_by_system", text);
    EXPECT_TRUE(find_program("./go_by_system", "")->go_runtime);
    text[start] = 'x';
    folder_.program("go_alone", text);
    EXPECT_EQ(refusal("./go_alone").kind, ErrorKind::kNotRunnable);
    EXPECT_THAT(refusal("./go_alone").what, HasSubstr("linked by Go alone"));
}

TEST_F(FindProgram, MissingOnesGetAHint) {
    EXPECT_EQ(refusal("no-such-program-anywhere").kind, ErrorKind::kNotFound);
    EXPECT_EQ(refusal("/no/such/program").kind, ErrorKind::kNotFound);
    folder_.program("my_tool", "#!/bin/sh\n");
    EXPECT_EQ(refusal("my_tool").next, "it is in this directory: use ./my_tool");
    EXPECT_THAT(refusal("my_tolo", folder_.path()).next, HasSubstr("did you mean my_tool"));
    EXPECT_EQ(refusal("").kind, ErrorKind::kUsage);
}

TEST_F(FindProgram, WhatCannotBeRun) {
    std::ofstream("plain") << "text";
    EXPECT_EQ(refusal("./plain").kind, ErrorKind::kNotRunnable);
    EXPECT_EQ(refusal("./plain").next, "chmod +x ./plain");
    EXPECT_THAT(refusal("/tmp").what, HasSubstr("is a directory"));
    EXPECT_THAT(refusal("/dev/null").what, HasSubstr("not a regular file"));
    folder_.program("text", "hello\n");
    EXPECT_THAT(refusal("./text").what, HasSubstr("neither a program nor a script"));
    folder_.program("nothing", "");
    EXPECT_THAT(refusal("./nothing").what, HasSubstr("neither a program nor a script"));
    EXPECT_EQ(refusal("./nothing").kind, ErrorKind::kNotRunnable);
    std::filesystem::create_symlink("loop", "loop");
    EXPECT_EQ(refusal("./loop").kind, ErrorKind::kNotFound);
}

TEST_F(FindProgram, StaticProgramsAreRefusedWithTheRemedy) {
    const Error error = refusal(STATIC_PROGRAM);
    EXPECT_EQ(error.kind, ErrorKind::kNotRunnable);
    EXPECT_THAT(error.what, HasSubstr("statically linked"));
    EXPECT_THAT(error.next, HasSubstr("-static"));
}

TEST_F(FindProgram, OtherArchitectures) {
    const bool on_x86 = processor::kMachine == EM_X86_64;
    const char other = static_cast<char>(on_x86 ? EM_AARCH64 : EM_X86_64);
    changed_copy("foreign", offsetof(Elf64_Ehdr, e_machine), std::string(1, other));
    EXPECT_EQ(refusal("./foreign").kind, ErrorKind::kNotRunnable);
    EXPECT_THAT(refusal("./foreign").what,
                HasSubstr(on_x86 ? "is a program for aarch64" : "is a program for x86-64"));
    changed_copy("narrow", EI_CLASS, std::string(1, ELFCLASS32));
    EXPECT_EQ(refusal("./narrow").kind, ErrorKind::kNotRunnable);
}

TEST_F(FindProgram, AnotherCLibrary) {
    std::ifstream in("/bin/true", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::size_t at = text.find("/ld-linux");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 9, "/ld-musl-");
    folder_.program("musl", text);
    EXPECT_THAT(refusal("./musl").what, HasSubstr("another C library"));
}

TEST_F(FindProgram, SetuidIsRefusedWhenItChangesTheUser) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    const auto file = changed_copy("suid", 0, "");
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(file.c_str(), 04755), 0);
    EXPECT_EQ(refusal("./suid").kind, ErrorKind::kNotRunnable);
    EXPECT_THAT(refusal("./suid").what, HasSubstr("is setuid"));
    ASSERT_EQ(chmod(file.c_str(), 02755), 0);
    EXPECT_THAT(refusal("./suid").what, HasSubstr("is setgid"));
    // Of our own it changes nothing.
    ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(chmod(file.c_str(), 06755), 0);
    EXPECT_TRUE(find_program("./suid", ""));
}

TEST_F(FindProgram, ScriptsAreJudgedByTheirInterpreter) {
    folder_.program("good", "#!/bin/sh -e\n");
    EXPECT_TRUE(find_program("./good", ""));
    folder_.program("missing", "#!/no/such/interpreter\n");
    EXPECT_EQ(refusal("./missing").kind, ErrorKind::kNotRunnable);
    EXPECT_THAT(refusal("./missing").what, HasSubstr("/no/such/interpreter"));
    folder_.program("static", "#!" STATIC_PROGRAM "\n");
    EXPECT_THAT(refusal("./static").what, HasSubstr("statically linked"));
    folder_.program("empty", "#!\n");
    EXPECT_EQ(refusal("./empty").kind, ErrorKind::kNotRunnable);
    const auto self = folder_.path() / "self";
    folder_.program("self", "#!" + self.string() + "\n");
    EXPECT_EQ(refusal("./self").kind, ErrorKind::kNotRunnable);
}

}  // namespace
}  // namespace kymo::launch
