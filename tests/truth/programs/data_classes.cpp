// Names with scopes, members of bases, references, this.
#include <atomic>

namespace solver {
int level = 0;
struct Base {
    long pad = 0;
    int depth = 0;
};
struct Grid : Base {
    static int count;
    int n = 0;
    bool is_open = false;
    [[gnu::noinline]] void step(int turn, const Base& other) {
        asm volatile(".rept 8\n nop\n.endr" ::"r"(turn), "r"(&other), "r"(this) : "memory");
    }
};
int Grid::count = 0;
namespace {
volatile int hidden = 0;
}
}  // namespace solver

std::atomic<int> ready{0};
int n = 5;  // hidden by members
int depth = 6;
solver::Grid grid;
solver::Grid& same = grid;

int main() {
    solver::Base other;
    for (int i = 0; i < 100; ++i) {
        solver::level = i % 4;
        solver::Grid::count = i;
        solver::hidden = i % 5;
        grid.depth = i % 3;
        grid.n = -i;
        grid.is_open = i % 2 == 0;
        other.depth = i;
        ready = i % 10;
        grid.step(i, other);
    }
    return 0;
}
