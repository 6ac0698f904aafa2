#include "view/page/editor_link.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::view {
namespace {

TEST(EditorLinks, AddressesOfEditors) {
    for (const std::string& link :
         {std::string(kDefaultEditorLink), std::string("idea://open?file={file}&line={line}"), std::string("none"),
          std::string("x-emacs+client:{file}"), std::string("https://forge.example/blob{file}#L{line}")}) {
        EXPECT_TRUE(check_editor_link(link)) << link;
    }
}

TEST(EditorLinks, NothingThatABrowserRuns) {
    for (const std::string link : {"", "vscode", "vscode://file", "{file}:{line}", "javascript:alert('{file}')",
                                   "JavaScript:{file}", "data:text/html,{file}", "vbscript:{file}", "file://{file}",
                                   "1a:{file}", " javascript:{file}", "java\tscript:{file}", "a b:{file}"}) {
        const auto checked = check_editor_link(link);
        ASSERT_FALSE(checked) << link;
        EXPECT_EQ(checked.error().kind, ErrorKind::kUsage) << link;
    }
}

}  // namespace
}  // namespace kymo::view
