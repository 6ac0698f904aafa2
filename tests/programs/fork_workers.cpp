// Nothing is wrong: two child processes have half of the rows each and put their sums into shared memory; the parent
// waits for both. Rows take between a tenth and half a millisecond. Processes.
#include "planted.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kProcesses = 2;
constexpr int kRows = 2'000;

[[gnu::noinline]] std::uint64_t filter_row(int row) {
    return planted::work(100 + row % 5 * 100);
}

void work_on_rows(int process, std::uint64_t* sums) {
    for (int row = process; row < kRows * kProcesses; row += kProcesses) {
        sums[process] += filter_row(row);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    void* shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int process = 0; process < kProcesses; ++process) {
        if (fork() == 0) {
            work_on_rows(process, static_cast<std::uint64_t*>(shared));
            _exit(0);
        }
    }
    while (wait(nullptr) > 0) {
    }
    planted::keep(shared);
    return program.end();
}
