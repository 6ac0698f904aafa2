// Nothing is wrong: one thread reads blocks, another works on them, as fast as each other; a queue of a few blocks
// evens out what differs. C++ threads.
#include "planted.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

constexpr int kBlocks = 300;
constexpr std::size_t kQueue = 8;

class Queue {
  public:
    void put(int block) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return blocks_.size() < kQueue; });
        blocks_.push_back(block);
        changed_.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !blocks_.empty(); });
        const int block = blocks_.front();
        blocks_.pop_front();
        changed_.notify_one();
        return block;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<int> blocks_;
};

[[gnu::noinline]] void parse(int block) {
    const std::uint64_t sum = planted::work(5'000 + block % 7 * 100);
    planted::keep(&sum);
}

[[gnu::noinline]] void compress(int block) {
    const std::uint64_t sum = planted::work(5'000 + block % 5 * 150);
    planted::keep(&sum);
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    Queue queue;
    std::thread reader([&queue] {
        planted::name_thread("reader", 0);
        for (int block = 0; block < kBlocks; ++block) {
            parse(block);
            queue.put(block);
        }
    });
    for (int block = 0; block < kBlocks; ++block) {
        compress(queue.take());
    }
    reader.join();
    return program.end();
}
