// Three stages in a row, each a thread, with semaphores between: the middle one has four times the work of the
// others, which wait for it on both sides. Fixed: two threads do the middle one. POSIX semaphores.
#include "planted.h"

#include <array>
#include <mutex>
#include <semaphore.h>
#include <thread>

namespace {

constexpr int kTiles = 240;
constexpr int kSlots = 4;
constexpr int kEnd = -1;

// A ring of tiles; whoever puts or takes waits for a place or a tile.
class Ring {
  public:
    Ring() {
        sem_init(&places_, 0, kSlots);
        sem_init(&tiles_, 0, 0);
    }
    void put(int tile) {
        wait(&places_);
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            slots_[put_++ % kSlots] = tile;
        }
        sem_post(&tiles_);
    }
    int take() {
        wait(&tiles_);
        int tile = 0;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            tile = slots_[taken_++ % kSlots];
        }
        sem_post(&places_);
        return tile;
    }

  private:
    static void wait(sem_t* semaphore) {
        while (sem_wait(semaphore) != 0) {
        }
    }

    sem_t places_{};
    sem_t tiles_{};
    std::mutex mutex_;
    std::array<int, kSlots> slots_{};
    unsigned put_ = 0;
    unsigned taken_ = 0;
};

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void decode(int tile) {
    const std::uint64_t sum = planted::work(1'200, static_cast<std::uint64_t>(tile));
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kFilterBegin = __LINE__;
[[gnu::noinline]] void filter(int tile) {
    const std::uint64_t sum = planted::work(4'800, static_cast<std::uint64_t>(tile));
    planted::keep(&sum);
}
constexpr int kFilterEnd = __LINE__;

[[gnu::noinline]] void store(int tile) {
    const std::uint64_t sum = planted::work(1'200, static_cast<std::uint64_t>(tile));
    planted::keep(&sum);
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "pipeline-stage", __FILE__);
    const int filters = program.is_bad() ? 1 : 2;
    Ring decoded;
    Ring filtered;
    std::thread reader([&] {
        planted::name_thread("reader", 0);
        for (int tile = 0; tile < kTiles; ++tile) {
            decode(tile);
            decoded.put(tile);
        }
        for (int i = 0; i < filters; ++i) {
            decoded.put(kEnd);
        }
    });
    std::vector<std::thread> middle;
    for (int i = 0; i < filters; ++i) {
        middle.emplace_back([&, i] {
            planted::name_thread("filter", i);
            for (int tile = decoded.take(); tile != kEnd; tile = decoded.take()) {
                filter(tile);
                filtered.put(tile);
            }
        });
    }
    std::thread writer([&] {
        planted::name_thread("writer", 0);
        for (int i = 0; i < kTiles; ++i) {
            store(filtered.take());
        }
    });
    reader.join();
    for (std::thread& thread : middle) {
        thread.join();
    }
    writer.join();
    return program.end({{"filter", kFilterBegin, kFilterEnd}}, {"filter-0"}, {"decode", kDecoyBegin, kDecoyEnd});
}
