// Whose code a function is, by its name and its source.
#include "spacetime/profile/own_code.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

TEST(OwnCodeOf, GoIsAllButItsRunTime) {
    for (const char* file : {"/usr/lib/go-1.19/src/runtime/malloc.go", "/usr/local/go/src/runtime/malloc.go",
                             "/home/me/sdk/go1.22/src/runtime/malloc.go", "runtime/malloc.go"}) {
        EXPECT_TRUE(is_runtime("server", "runtime.mallocgc", file)) << file;
        EXPECT_TRUE(is_runtime("server", "runtime.(*mcache).refill", file)) << file;
    }
    EXPECT_TRUE(is_runtime("server", "runtime.memmove", "runtime/memmove_amd64.s"));
    EXPECT_TRUE(is_runtime("server", "internal/runtime/atomic.Load", "internal/runtime/atomic/atomic.go"));
    EXPECT_TRUE(is_runtime("server", "sync.(*Mutex).Lock", "/opt/go/src/sync/mutex.go"));
    EXPECT_FALSE(is_runtime("server", "main.(*rounds).work", "/home/me/main.go"));
    EXPECT_FALSE(is_runtime("server", "example.org/sync.Work", "/home/me/go/pkg/mod/example.org/sync/work.go"));
    EXPECT_FALSE(is_runtime("gofmt", "main.processFile", "/usr/lib/go-1.19/src/cmd/gofmt/gofmt.go"));
    EXPECT_FALSE(is_runtime("app", "runtime.step", "/home/me/runtime.cpp"));
}

}  // namespace
}  // namespace kymo::spacetime
