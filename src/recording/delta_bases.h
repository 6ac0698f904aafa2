// The base values of kDelta columns, for one writing stream: a small fixed pool, since the
// monitor has no malloc. When it is used up the caller starts a new stream segment, where every base is 0
// again. Usable in the monitor; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::recording {

class DeltaBases {
  public:
    static constexpr std::size_t kTables = 12;
    static constexpr std::size_t kBases = 16;

    // `count` consecutive bases of `table`, all 0 at the first call for a table. Null if the
    // pool is used up; after clear() there is room for any count up to kBases.
    std::uint64_t* of(std::uint32_t table, std::size_t count) {
        for (std::uint32_t i = 0; i < tables_; ++i) {
            if (entries_[i].table == table) {
                return bases_ + entries_[i].first;
            }
        }
        if (tables_ == kTables || used_ + count > kBases) {
            return nullptr;
        }
        std::uint64_t* const first = bases_ + used_;
        entries_[tables_++] = {table, used_};
        for (std::size_t i = 0; i < count; ++i) {
            first[i] = 0;
        }
        used_ += static_cast<std::uint32_t>(count);
        return first;
    }

    void clear() {
        tables_ = 0;
        used_ = 0;
    }

  private:
    struct Entry {
        std::uint32_t table;
        std::uint32_t first;
    };
    Entry entries_[kTables] = {};
    std::uint64_t bases_[kBases] = {};
    std::uint32_t tables_ = 0;
    std::uint32_t used_ = 0;
};

}  // namespace kymo::recording
