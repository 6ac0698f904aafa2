// The whole report of a recording made by hand, byte for byte. When the report is changed on purpose, look at
// what it prints and put it into golden/.
#include "view/terminal.h"

#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/profile/make_profile.h"
#include "view/summary.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::view {
namespace {

using namespace spacetime;

std::string golden(const std::string& name) {
    std::ifstream file(std::string(KYMO_TEST_FOLDER "/golden/") + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

class Terminal : public ::testing::Test {
  protected:
    Terminal() { testing::write_two_threads(folder_.path()); }

    std::string report(const Style& style, std::string_view sort = "", std::size_t top = 10) {
        const auto recording = recording::Recording::open(folder_.path());
        const auto profile = load_profile(*recording);
        const CallTree tree = make_call_tree(*profile);
        const ReportOptions options{.style = style, .metric = *find_metric(*profile, sort), .top = top};
        return terminal_overview(*profile, tree, options) + terminal_tables(*profile, tree, options);
    }

    testing::TemporaryFolder folder_;
};

TEST_F(Terminal, PlainReportIsTheGoldenOne) {
    EXPECT_EQ(report({.width = 100, .colour = false, .unicode = true}), golden("two_threads.txt"));
}

TEST_F(Terminal, AsciiReportIsTheGoldenOne) {
    EXPECT_EQ(report({.width = 80, .colour = false, .unicode = false}, "page-faults", 2),
              golden("two_threads_ascii_by_faults.txt"));
}

TEST_F(Terminal, LinesKeepToTheWidth) {
    for (const std::size_t width : {72U, 80U, 160U}) {
        std::istringstream lines(report({.width = width, .colour = false, .unicode = true}));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns(line), width) << line;
        }
    }
}

TEST_F(Terminal, ColourChangesNothingElse) {
    std::string coloured = report({.width = 100, .colour = true, .unicode = true});
    EXPECT_THAT(coloured, ::testing::HasSubstr("\033["));
    for (std::size_t at = 0; (at = coloured.find("\033[")) != std::string::npos;) {
        coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    EXPECT_EQ(coloured, report({.width = 100, .colour = false, .unicode = true}));
}

TEST(CommandLine, IsAsOneWouldTypeIt) {
    EXPECT_EQ(command_line({"./app", "a b", "it's", "", "x\ny"}), "./app 'a b' 'it'\\''s' '' 'x\\ny'");
}

}  // namespace
}  // namespace kymo::view
