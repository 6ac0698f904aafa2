// Buffers for streams, each in use by one of them at a time. Usable by several threads at once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace kymo::settings {

template <std::size_t kBytes, std::size_t kSlots>
class BufferSlots {
  public:
    // That of `stream`, which it may have already; null: all are in use.
    char* take(const void* stream) {
        for (const void* const wanted : {stream, static_cast<const void*>(nullptr)}) {
            for (std::size_t i = 0; i < kSlots; ++i) {
                const void* expected = wanted;
                if (users_[i].compare_exchange_strong(expected, stream)) {
                    return bytes_[i].data();
                }
            }
        }
        return nullptr;
    }

    void give_back(const void* stream) {
        for (std::atomic<const void*>& user : users_) {
            const void* expected = stream;
            user.compare_exchange_strong(expected, nullptr);
        }
    }

  private:
    std::array<std::atomic<const void*>, kSlots> users_{};
    std::array<std::array<char, kBytes>, kSlots> bytes_;  // not touched before it is used: no memory until then
};

}  // namespace kymo::settings
