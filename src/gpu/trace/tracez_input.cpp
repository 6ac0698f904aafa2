#include "gpu/trace/tracez_input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>
#include <zstd.h>

namespace kymo::gpu {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{64} * 1024;
constexpr std::uint32_t kLargestDictionary = 16U << 20U;
constexpr std::uint64_t kLargestChunk = 64U << 20U;  // compressed or not
constexpr std::size_t kBlockNumbers = 11;            // of a CTA in the index
constexpr std::uint32_t kMostWarps = 64;

struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

class TracezInput : public ByteInput {
  public:
    TracezInput(std::unique_ptr<std::istream> file, std::string name)
        : file_(std::move(file)), name_(std::move(name)), context_(ZSTD_createDCtx()) {}

    Result<void> open();
    Result<std::span<const std::uint8_t>> read() override;
    Result<void> rewind() override {
        blocks_left_ = blocks_;
        index_at_ = index_;
        warps_left_ = chunks_left_ = 0;
        in_block_ = false;
        out_ = header_;
        return {};
    }

  private:
    Error malformed(const std::string& expected) const {
        return {ErrorKind::kMalformed, name_ + ": byte " + std::to_string(at_) + ": expected " + expected,
                "the file is damaged or not a trace; docs/gpu-traces.md describes the format"};
    }
    void seek(std::uint64_t to) {
        at_ = to;
        file_->clear();
        file_->seekg(static_cast<std::streamoff>(to));
    }
    bool bytes(void* to, std::size_t count);
    template <typename Number>
    bool number(Number& value);
    Result<void> next_block();
    Result<void> next_warp();
    Result<void> next_chunk();

    std::unique_ptr<std::istream> file_;
    std::string name_;
    std::unique_ptr<ZSTD_DCtx, Free> context_;
    std::unique_ptr<ZSTD_DDict, Free> dictionary_;
    std::uint64_t size_ = 0;
    std::uint64_t at_ = 0;
    std::string header_;
    std::uint64_t index_ = 0;     // of the first CTA's entry
    std::uint64_t index_at_ = 0;  // of the next warp's, or CTA's
    std::uint64_t data_at_ = 0;   // of the next chunk
    std::uint32_t blocks_ = 0;
    std::uint32_t blocks_left_ = 0;
    std::uint32_t warps_ = 0;  // of the CTA
    std::uint32_t warps_left_ = 0;
    std::uint32_t chunks_left_ = 0;
    bool in_block_ = false;
    std::vector<char> packed_;
    std::string out_;    // text to be given next
    std::string given_;  // text the caller holds
};

bool TracezInput::bytes(void* to, std::size_t count) {
    file_->read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    at_ += static_cast<std::uint64_t>(file_->gcount());
    return static_cast<std::size_t>(file_->gcount()) == count;
}

template <typename Number>
bool TracezInput::number(Number& value) {  // least significant byte first
    std::array<std::uint8_t, sizeof(Number)> raw{};
    if (!bytes(raw.data(), raw.size())) {
        return false;
    }
    value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        value |= static_cast<Number>(static_cast<Number>(raw[i]) << (8U * i));
    }
    return true;
}

Result<void> TracezInput::open() {
    file_->seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(std::max<std::streamoff>(0, file_->tellg()));
    seek(0);
    std::getline(*file_, header_, '\0');
    at_ = header_.size() + 1;
    if (header_.size() > kLongestHeader || at_ >= size_) {
        return malformed("a text header of at most 64 KiB that ends with a zero byte");
    }
    header_ += '\n';
    std::uint32_t dictionary = 0;
    std::uint32_t chunk_instructions = 0;
    if (!number(dictionary) || !number(chunk_instructions) || dictionary > kLargestDictionary) {
        return malformed("a dictionary of at most 16 MiB");
    }
    if (dictionary != 0) {
        std::vector<char> content(std::min<std::uint64_t>(dictionary, size_));
        if (!bytes(content.data(), content.size()) || content.size() != dictionary) {
            return malformed("a dictionary of " + std::to_string(dictionary) + " bytes");
        }
        dictionary_.reset(ZSTD_createDDict(content.data(), content.size()));
        if (dictionary_ == nullptr) {
            return malformed("a zstd dictionary");
        }
    }
    seek(size_ - std::min<std::uint64_t>(size_, 8));
    if (!number(index_) || index_ >= size_) {
        return malformed("the index's place in the last eight bytes");
    }
    seek(index_);
    if (!number(blocks_)) {
        return malformed("the number of CTAs");
    }
    index_ = at_;
    return rewind();
}

Result<void> TracezInput::next_block() {
    seek(index_at_);
    std::array<std::uint32_t, kBlockNumbers> numbers{};
    for (std::uint32_t& one : numbers) {
        if (!number(one)) {
            return malformed("a CTA's entry in the index");
        }
    }
    index_at_ = at_;
    warps_ = warps_left_ = numbers[kBlockNumbers - 1];
    if (warps_ > kMostWarps) {
        return malformed("at most 64 warps in a CTA");
    }
    --blocks_left_;
    in_block_ = true;
    out_ = "#BEGIN_TB\nthread block = " + std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," +
           std::to_string(numbers[2]) + "\n";
    return {};
}

Result<void> TracezInput::next_warp() {
    seek(index_at_);
    std::uint32_t instructions = 0;
    std::uint64_t place = 0;
    if (!number(instructions) || !number(chunks_left_) || !number(place)) {
        return malformed("a warp's entry in the index");
    }
    index_at_ = at_ + std::uint64_t{4} * chunks_left_;  // then each chunk's instructions
    // At its place the first two numbers again, and the chunks.
    data_at_ = place + 8;
    if (index_at_ > size_ || place >= size_) {
        return malformed("a warp whose chunks lie in the file");
    }
    out_ = "warp = " + std::to_string(warps_ - warps_left_) + "\ninsts = " + std::to_string(instructions) + "\n";
    --warps_left_;
    return {};
}

Result<void> TracezInput::next_chunk() {
    seek(data_at_);
    std::uint32_t size = 0;
    if (!number(size) || size > kLargestChunk || size > size_) {
        return malformed("a chunk of at most 64 MiB");
    }
    packed_.resize(size);
    if (!bytes(packed_.data(), size)) {
        return malformed("a chunk of " + std::to_string(size) + " bytes");
    }
    const auto whole = ZSTD_getFrameContentSize(packed_.data(), size);
    if (whole == ZSTD_CONTENTSIZE_UNKNOWN || whole == ZSTD_CONTENTSIZE_ERROR || whole > kLargestChunk) {
        return malformed("a zstd frame that says its length, at most 64 MiB, before here");
    }
    out_.resize(whole);
    const std::size_t got = dictionary_ != nullptr
                                ? ZSTD_decompress_usingDDict(context_.get(), out_.data(), out_.size(), packed_.data(),
                                                             size, dictionary_.get())
                                : ZSTD_decompressDCtx(context_.get(), out_.data(), out_.size(), packed_.data(), size);
    if (ZSTD_isError(got) != 0) {
        return malformed(std::string("an undamaged zstd frame before here (") + ZSTD_getErrorName(got) + ")");
    }
    out_.resize(got);
    out_ += '\n';
    data_at_ = at_;
    --chunks_left_;
    return {};
}

Result<std::span<const std::uint8_t>> TracezInput::read() {
    Result<void> good;
    if (out_.empty()) {
        if (chunks_left_ != 0) {
            good = next_chunk();
        } else if (warps_left_ != 0) {
            good = next_warp();
        } else if (in_block_) {
            in_block_ = false;
            out_ = "#END_TB\n";
        } else if (blocks_left_ != 0) {
            good = next_block();
        } else if (index_at_ != size_ - 8) {
            at_ = index_at_;
            return malformed("the index's end, and its place in the eight bytes after it");
        }
    }
    if (!good) {
        return good.error();
    }
    given_ = std::move(out_);
    out_.clear();
    return std::span(reinterpret_cast<const std::uint8_t*>(given_.data()), given_.size());
}

}  // namespace

bool is_tracez(std::span<const std::uint8_t> begin) {
    const auto header = begin.first(std::min(begin.size(), kLongestHeader));
    return !header.empty() && header.front() == '-' && std::memchr(header.data(), 0, header.size()) != nullptr;
}

Result<std::unique_ptr<ByteInput>> open_tracez(std::unique_ptr<std::istream> file, std::string name) {
    auto input = std::make_unique<TracezInput>(std::move(file), std::move(name));
    if (auto good = input->open(); !good) {
        return good.error();
    }
    return std::unique_ptr<ByteInput>(std::move(input));
}

}  // namespace kymo::gpu
