// For every small piece of work the program is started anew, and waited for. Fixed: the piece is worked on where it
// is needed. Processes.
#include "planted.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kPieces = 300;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void render(int piece) {
    const std::uint64_t sum = planted::work(1'500, static_cast<std::uint64_t>(piece));
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

[[gnu::noinline]] void convert(std::uint64_t piece) {
    const std::uint64_t sum = planted::work(60, piece);
    planted::keep(&sum);
}

constexpr int kStartBegin = __LINE__;
[[gnu::noinline]] void convert_by_program(int piece) {
    std::string number = std::to_string(piece);
    std::string name = "process_churn";
    std::string what = "piece";
    char* arguments[] = {name.data(), what.data(), number.data(), nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0) {
        std::perror("process_churn");
        std::exit(1);
    }
}
constexpr int kStartEnd = __LINE__;

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3) {
        convert(std::strtoull(argv[2], nullptr, 10));
        return 0;
    }
    planted::Program program(argc, argv, "process-churn", __FILE__);
    for (int piece = 0; piece < kPieces; ++piece) {
        if (program.is_bad()) {
            convert_by_program(piece);
        } else {
            convert(static_cast<std::uint64_t>(piece));
        }
        render(piece);
    }
    return program.end({{"convert_by_program", kStartBegin, kStartEnd}}, {}, {"render", kDecoyBegin, kDecoyEnd});
}
