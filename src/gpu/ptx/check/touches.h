// The last threads that touched each piece of memory; races are detected from these.
//
// A cell keeps, for four bytes (for one if bytes are touched individually), the last write and two reads by
// different threads since: a write that races with any read races with one of these two.
//
// Contract: one thread. Cells are made when they are first touched, 4 KiB of memory at a time, up to kMostPages;
// memory beyond is not checked (is_full()). Cost: about 13 bytes for each byte touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace kymo::gpu::ptx {

struct Touch {
    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
    std::uint32_t cta = kNobody;
    std::uint32_t when = 0;  // on its CTA's clock
    std::uint32_t site = 0;  // which instruction
    std::uint16_t thread = 0;
    bool strong = false;
    bool is_one() const { return cta != kNobody; }
    bool same_thread(const Touch& other) const { return cta == other.cta && thread == other.thread; }
};

struct Cell {
    Touch writer;
    Touch reader;
    Touch other;
    std::uint32_t value = 0;  // that was written
};

class Touches {
  public:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::size_t kMostPages = 32'768;

    // The cells of these bytes, with the place and size of each in them: f(cell, first, bytes).
    template <typename F>
    void each(std::uint64_t address, std::uint64_t bytes, F f) {
        const bool narrow = (address | bytes) % 4 != 0;
        for (std::uint64_t at = 0; at < bytes;) {
            Page* const page = page_of((address + at) / kPage, narrow);
            const std::uint64_t unit = page == nullptr || page->by_words ? 4 : 1;
            if (page != nullptr) {
                f(page->cells[(address + at) % kPage / unit], at, unit);
            }
            at += unit;
        }
    }
    bool is_full() const { return is_full_; }

  private:
    struct Page {
        bool by_words = true;
        std::vector<Cell> cells = std::vector<Cell>(kPage / 4);
    };

    Page* page_of(std::uint64_t number, bool narrow) {
        if (number != last_number_ || last_ == nullptr) {
            auto found = pages_.find(number);
            if (found == pages_.end()) {
                if (pages_.size() >= kMostPages) {
                    is_full_ = true;
                    return nullptr;
                }
                found = pages_.emplace(number, std::make_unique<Page>()).first;
            }
            last_number_ = number;
            last_ = found->second.get();
        }
        if (narrow && last_->by_words) {
            std::vector<Cell> cells;
            cells.reserve(kPage);
            for (const Cell& cell : last_->cells) {
                for (unsigned i = 0; i < 4; ++i) {
                    cells.push_back(cell);
                    cells.back().value = cell.value >> 8U * i & 0xFFU;
                }
            }
            last_->cells = std::move(cells);
            last_->by_words = false;
        }
        return last_;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    std::uint64_t last_number_ = 0;
    Page* last_ = nullptr;
    bool is_full_ = false;
};

}  // namespace kymo::gpu::ptx
