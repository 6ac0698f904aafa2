// A small parallel program with a few things to find. It warms a plate from a list of heat sources:
//
//   load     main reads its sources from a slow device: waits, uses no processor
//   arrange  main sorts them: the serial part, the workers do not exist yet
//   diffuse  every worker relaxes its own strip of the plate: the even part (laplacian is inlined into it)
//   collide  every worker moves its own particles, but the first has three times as many as any other: the
//            rest wait for it at the barrier
//   snapshot every worker copies its strip into memory that it takes fresh from the system and gives back: page
//   faults
//   checkpoint  after every twelfth round the first worker writes to a slow disk while all others wait for it: a
//   pause
//            that comes back
//
// The work is fixed, so two runs compute the same sum. `--truth` prints the program's own account of the time
// (ledger.h);
// `--rounds N` makes it longer or shorter (default 60, about five seconds with two workers).
#include "ledger.h"

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace demo {
namespace {

constexpr int kWidth = 1024;
constexpr int kRowsEach = 512;
constexpr int kSweeps = 30;
constexpr int kParticles = 40'000;
constexpr int kSteps = 160;
constexpr int kRoundsToCheckpoint = 12;

// Splitmix64 (Steele, Lea and Flood, 2014): a deterministic stream of numbers.
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

struct Source {
    std::uint64_t key;
    double heat;
};

struct Particle {
    double x, y, dx, dy;
};

std::vector<Source> load() {
    const Entry entry("load");
    std::vector<Source> sources;
    Numbers numbers(1);
    for (int block = 0; block < 40; ++block) {
        usleep(10'000);  // the device
        for (int i = 0; i < 150'000; ++i) {
            const std::uint64_t key = numbers.next();
            sources.push_back({key, numbers.unit()});
        }
    }
    return sources;
}

void arrange(std::vector<Source>& sources) {
    const Entry entry("arrange");
    std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.key < b.key; });
}

double laplacian(const double* cell) {
    return cell[-1] + cell[1] + cell[-kWidth] + cell[kWidth] - 4.0 * *cell;
}

class Strip {
  public:
    Strip(const std::vector<Source>& sources, unsigned worker, unsigned workers, int particles)
        : now_(kWidth * (kRowsEach + 2)), next_(now_.size()), particles_(static_cast<std::size_t>(particles)) {
        for (std::size_t i = worker; i < sources.size(); i += workers) {
            now_[sources[i].key % now_.size()] += sources[i].heat;
        }
        Numbers numbers(worker + 2);
        for (Particle& particle : particles_) {
            particle = {numbers.unit(), numbers.unit(), numbers.unit() - 0.5, numbers.unit() - 0.5};
        }
    }

    [[gnu::noinline]] void diffuse() {
        const Entry entry("diffuse");
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (std::size_t i = kWidth + 1; i < now_.size() - kWidth - 1; ++i) {
                next_[i] = now_[i] + 0.2 * laplacian(&now_[i]);
            }
            now_.swap(next_);
        }
    }

    [[gnu::noinline]] void collide() {
        const Entry entry("collide");
        for (int step = 0; step < kSteps; ++step) {
            for (Particle& particle : particles_) {
                bounce(particle.x, particle.dx);
                bounce(particle.y, particle.dy);
            }
        }
    }

    [[gnu::noinline]] void snapshot() {
        const Entry entry("snapshot");
        const std::size_t bytes = now_.size() * sizeof(double);
        for (int copy = 0; copy < 2; ++copy) {
            void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED) {
                std::perror("demo: no memory for a snapshot");
                std::exit(1);
            }
            std::memcpy(memory, now_.data(), bytes);
            snapshots_ += static_cast<const double*>(memory)[kWidth * 2];
            munmap(memory, bytes);
        }
    }

    double sum() const {
        double total = snapshots_;
        for (const double cell : now_) {
            total += cell;
        }
        for (const Particle& particle : particles_) {
            total += particle.x + particle.y;
        }
        return total;
    }

  private:
    static void bounce(double& position, double& speed) {
        position += speed * 0.01;
        if (position < 0.0 || position > 1.0) {
            speed = -speed;
            position += speed * 0.01;
        }
    }

    std::vector<double> now_;
    std::vector<double> next_;
    std::vector<Particle> particles_;
    double snapshots_ = 0.0;
};

void checkpoint() {
    const Entry entry("checkpoint");
    usleep(70'000);  // the disk
}

void work(Strip& strip, std::barrier<>& meet, unsigned worker, int rounds) {
    name_thread("worker-" + std::to_string(worker));
    for (int round = 0; round < rounds; ++round) {
        strip.diffuse();
        meet.arrive_and_wait();
        strip.collide();
        meet.arrive_and_wait();
        strip.snapshot();
        if (round % kRoundsToCheckpoint == kRoundsToCheckpoint - 1) {
            if (worker == 0) {
                checkpoint();
            }
            meet.arrive_and_wait();
        }
    }
}

double simulate(const std::vector<Source>& sources, unsigned workers, int rounds) {
    std::vector<Strip> strips;
    for (unsigned i = 0; i < workers; ++i) {
        strips.emplace_back(sources, i, workers, i == 0 ? 3 * kParticles : kParticles);
    }
    std::barrier meet(static_cast<std::ptrdiff_t>(workers));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i) {
        threads.emplace_back([&, i] { work(strips[i], meet, i, rounds); });
    }
    double total = 0.0;
    for (unsigned i = 0; i < workers; ++i) {
        threads[i].join();
        total += strips[i].sum();
    }
    return total;
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) {
    bool truth = false;
    int rounds = 60;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--truth") {
            truth = true;
        } else if (argument == "--rounds" && i + 1 < argc) {
            rounds = std::atoi(argv[++i]);
        } else {
            std::fprintf(stderr, "usage: %s [--truth] [--rounds N]\n", argv[0]);
            return 2;
        }
    }
    const unsigned workers = std::clamp(std::thread::hardware_concurrency(), 2U, 8U);
    std::vector<demo::Source> sources = demo::load();
    demo::arrange(sources);
    std::printf("%u workers, sum %.6e\n", workers, demo::simulate(sources, workers, rounds));
    if (truth) {
        demo::print_ledger();
    }
    return 0;
}
