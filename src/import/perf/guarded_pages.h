// Pages for parts of files that others may cut off while they are mapped.
//
// A read behind a file's end raises SIGBUS. While such pages are there, this process has a handler for it: where the
// read was of these pages, they become zeros from there on, and is_missing() says so from then on. Any other SIGBUS
// is handled as it was before.
//
// make() and the destructor may run in any thread, but not in two that also change the handler of SIGBUS.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kymo::import::perf {

class GuardedPages {
  public:
    // So many bytes of addresses, a multiple of the page's size, that cannot be read yet; null: there is no room, or
    // kMost are there.
    static std::unique_ptr<GuardedPages> make(std::size_t bytes);
    static constexpr std::size_t kMost = 16;
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;
    ~GuardedPages();

    // Maps so much of a file to `at` among these pages; both places are multiples of the page's size. False: it
    // cannot be mapped, and what was there is gone.
    bool map(std::size_t at, std::size_t bytes, int file, std::uint64_t offset);

    [[nodiscard]] const std::uint8_t* data() const { return pages_; }
    [[nodiscard]] bool is_missing() const { return missing_.load(std::memory_order_relaxed); }

  private:
    GuardedPages() = default;

    std::uint8_t* pages_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t slot_ = 0;
    std::atomic<bool> missing_ = false;
};

}  // namespace kymo::import::perf
