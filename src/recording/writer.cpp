#include "recording/writer.h"

#include <atomic>

namespace kymo::recording {

void StreamWriter::open(FileWriter& file, StreamId stream) {
    file_ = &file;
    chunk_ = nullptr;
    at_ = nullptr;
    end_ = nullptr;
    generation_ = file.generation();
    stream_ = stream;
    first_ = true;
    small_taken_ = false;
    marker_due_ = false;
    unwritten_ = 0;
    bases_.clear();
}

void StreamWriter::release() {
    if (file_ != nullptr && file_->generation() == generation_) {
        leave();
    }
    file_ = nullptr;
    chunk_ = nullptr;
    at_ = nullptr;
    end_ = nullptr;
}

std::uint8_t* StreamWriter::write_marker(std::uint8_t* at) const {
    *at++ = kStreamTable;
    *at++ = static_cast<std::uint8_t>(varint_bytes(raw(stream_)));
    return encode_varint(at, raw(stream_));
}

void StreamWriter::commit(std::uint8_t* end) {
    at_ = end;
    const auto* const payload = reinterpret_cast<std::uint8_t*>(chunk_ + 1);
    std::atomic_ref<std::uint32_t>(chunk_->committed)
        .store(static_cast<std::uint32_t>(end - payload), std::memory_order_release);
}

void StreamWriter::enter(ChunkHeader* chunk, bool fresh) {
    chunk_ = chunk;
    at_ = reinterpret_cast<std::uint8_t*>(chunk + 1) +
          std::atomic_ref<std::uint32_t>(chunk->committed).load(std::memory_order_acquire);
    end_ = reinterpret_cast<std::uint8_t*>(chunk) + chunk->capacity;
    first_ = false;
    marker_due_ = !fresh;
    bases_.clear();
}

void StreamWriter::leave() {
    if (chunk_ == nullptr) {
        return;
    }
    if (room() >= kWorthKeeping) {
        file_->give_back(chunk_);
    } else {
        file_->let_go(chunk_);
    }
}

bool StreamWriter::make_room(std::size_t kept, std::size_t fresh) {
    if (first_) {
        if (ChunkHeader* const chunk = file_->take_released()) {
            const std::size_t left = chunk->capacity - sizeof(ChunkHeader) -
                                     std::atomic_ref<std::uint32_t>(chunk->committed).load(std::memory_order_acquire);
            if (left >= kept) {
                enter(chunk, false);
                return true;
            }
            file_->give_back(chunk);
        }
    }
    // Most streams of a program with thousands of threads are short: a small chunk first.
    const std::size_t needed = sizeof(ChunkHeader) + fresh;
    const std::size_t usual = small_taken_ ? kChunkBytes : kGridBytes;
    ChunkHeader* const chunk = file_->take(needed < usual ? usual : needed, raw(stream_));
    if (chunk == nullptr) {
        return false;
    }
    small_taken_ = true;
    leave();
    enter(chunk, true);
    return true;
}

}  // namespace kymo::recording
