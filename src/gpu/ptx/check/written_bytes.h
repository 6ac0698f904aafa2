// Which bytes of a piece of memory have been written: a bit a byte.
//
// Contract: one thread. Places beyond the end count as written. Cost: memory for an eighth of the bytes, taken as it
// is touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace kymo::gpu::ptx {

class WrittenBytes {
  public:
    WrittenBytes() = default;
    explicit WrittenBytes(std::uint64_t bytes)
        : bits_(static_cast<std::uint64_t*>(std::calloc(bytes / 64 + 1, sizeof(std::uint64_t)))),
          bytes_(bits_ ? bytes : 0) {}

    void set(std::uint64_t first, std::uint64_t count, bool written = true) {
        each_word(first, count, [&](std::uint64_t& word, std::uint64_t mask) {
            word = written ? word | mask : word & ~mask;
            return true;
        });
    }
    bool all(std::uint64_t first, std::uint64_t count) const {
        bool is = true;
        each_word(first, count, [&](const std::uint64_t& word, std::uint64_t mask) {
            is = (word & mask) == mask;
            return is;
        });
        return is;
    }

  private:
    template <typename F>
    void each_word(std::uint64_t first, std::uint64_t count, F f) const {
        first = std::min(first, bytes_);
        const std::uint64_t end = first + std::min(count, bytes_ - first);
        while (first < end) {
            const std::uint64_t bit = first % 64;
            const std::uint64_t here = std::min(64 - bit, end - first);
            const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << bit;
            if (!f(bits_.get()[first / 64], mask)) {
                return;
            }
            first += here;
        }
    }

    struct Free {
        void operator()(std::uint64_t* bits) const { std::free(bits); }
    };
    std::unique_ptr<std::uint64_t, Free> bits_;
    std::uint64_t bytes_ = 0;
};

}  // namespace kymo::gpu::ptx
