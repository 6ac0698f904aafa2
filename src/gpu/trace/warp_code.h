// A warp's executed instructions in few bytes, and the cursor that walks them. See docs/gpu-traces.md.
//
// Tokens: a run ("the next n static instructions, one after another"), a jump to a static instruction, a new
// execution mask. A memory instruction inside a run is followed by its addresses: base and stride, or base and
// differences. The encoder merges what it can; the decoder does not allocate.
//
// Contract: encode with one WarpEncoder per warp; decode with one WarpCursor per warp. Bytes are not trusted:
// whatever they are, the cursor ends or is `broken()`; it never reads past the end and never names an instruction
// outside the program.
//
// Cost: decoding 2–4 ns per instruction without addresses, about 20 ns with.
#pragma once

#include "gpu/trace/kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace kymo::gpu {

// The addresses of one executed memory instruction, by lane; lanes outside the mask have no meaningful value.
struct LaneAddresses {
    std::array<std::uint64_t, kWarpLanes> of;  // not set to anything: clearing it would cost as much as filling it
    bool strided = false;                      // of[k-th active lane] = base + k × stride
    std::uint64_t base = 0;
    std::int64_t stride = 0;
};

// How the lanes of an access lie to its first one, as the warp's code holds it: equal bytes, equal places.
struct AccessShape {
    static constexpr std::uint8_t kLongest = 48;  // bytes; longer ones are not kept
    std::uint32_t mask = 0;
    std::uint8_t form = 0;
    std::uint8_t size = kLongest + 1;
    std::array<std::uint8_t, kLongest> bytes;
};

class WarpEncoder {
  public:
    explicit WarpEncoder(const Program& program) : program_(program) {}
    // `addresses`: of the active lanes in lane order, empty for an instruction without. Their number must be
    // popcount(mask) for an instruction that has addresses.
    void add(std::uint32_t index, std::uint32_t mask, std::span<const std::uint64_t> addresses);
    // `count` instructions from `index` on that have no addresses; at least one.
    void add_plain(std::uint32_t index, std::uint32_t count, std::uint32_t mask);
    // The finished bytes; the encoder is then empty and ready for the next warp.
    std::vector<std::uint8_t> take();
    std::uint64_t instructions() const { return instructions_; }

  private:
    void flush_run();
    void varint(std::uint64_t value);
    void zigzag(std::int64_t value);
    void write_addresses(std::span<const std::uint64_t> addresses);

    const Program& program_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint8_t> payload_;  // addresses of the run in the making
    std::uint64_t run_ = 0;
    std::uint64_t instructions_ = 0;
    std::uint32_t next_ = 0;  // the static instruction a run continues with
    std::uint32_t mask_ = 0xFFFF'FFFFU;
    std::uint64_t base_ = 0;
};

class WarpCursor {
  public:
    WarpCursor() = default;
    WarpCursor(const Program& program, const WarpTrace& warp)
        : program_(&program),
          at_(warp.code ? warp.code->data() : nullptr),
          end_(warp.code ? warp.code->data() + warp.code->size() : nullptr),
          offset_(warp.address_offset) {}

    // Steps to the next instruction. False: at the end, or broken.
    bool next() {
        if (access_ != Access::kNone || run_ == 0 || next_ >= program_->size()) {
            return next_token();
        }
        step();
        return true;
    }
    bool broken() const { return broken_; }

    std::uint32_t index() const { return index_; }
    std::uint32_t mask() const { return mask_; }
    // Whether addresses() may be called: the instruction has addresses and lanes that execute it.
    bool has_addresses() const { return access_ == Access::kAhead; }
    // At most once an instruction, and it may be left out.
    bool addresses(LaneAddresses& out) {
        std::uint64_t first = 0;
        return first_address(first) && lanes(out, nullptr);
    }
    // The same in two steps: the first active lane's address, and then either all of them, or nothing where they lie
    // as in `shape`. lanes() fills `shape` in where it is given; one that is too long has a size above kLongest.
    bool first_address(std::uint64_t& first);
    bool lanes(LaneAddresses& out, AccessShape* shape);
    // Has the host prefetch the bytes of the next instructions.
    void prefetch() const { __builtin_prefetch(at_ + std::min<std::ptrdiff_t>(end_ - at_, kPrefetch)); }
    bool step_over(const AccessShape& shape) {
        if (shape.form != form_ || shape.mask != mask_ || static_cast<std::size_t>(end_ - at_) < shape.size ||
            !same_bytes(shape)) {
            return false;
        }
        at_ += shape.size;
        access_ = Access::kNone;
        return true;
    }

  private:
    static constexpr std::ptrdiff_t kPrefetch = 64;
    // Most are one byte.
    bool varint(std::uint64_t& value) {
        if (at_ != end_ && *at_ < 0x80U) {
            value = *at_++;
            return true;
        }
        return long_varint(value);
    }
    bool long_varint(std::uint64_t& value);
    // Precondition: there are as many bytes. Most shapes are a stride's few bytes.
    bool same_bytes(const AccessShape& shape) const {
        std::uint64_t here = 0;
        if (shape.size == 0 || shape.size > sizeof here || static_cast<std::size_t>(end_ - at_) < sizeof here) {
            return std::memcmp(at_, shape.bytes.data(), shape.size) == 0;
        }
        std::uint64_t there = 0;
        std::memcpy(&here, at_, sizeof here);
        std::memcpy(&there, shape.bytes.data(), sizeof there);
        return (here ^ there) << (64 - 8 * shape.size) == 0;
    }
    bool read_lanes(std::uint8_t form, std::span<std::uint64_t> lanes);
    bool token();
    bool skip_access();
    bool next_token();  // next(), whatever lies before it
    void step() {
        --run_;
        index_ = next_++;
        access_ = mask_ != 0 && (*program_)[index_].has_addresses() ? Access::kAhead : Access::kNone;
    }
    void fail() {
        broken_ = true;
        at_ = end_;
        run_ = 0;
    }

    const Program* program_ = nullptr;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::uint64_t offset_ = 0;
    std::uint64_t run_ = 0;
    std::uint64_t base_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t index_ = 0;
    std::uint32_t mask_ = 0xFFFF'FFFFU;
    enum class Access : std::uint8_t { kNone, kAhead, kBegun } access_ = Access::kNone;
    std::uint8_t form_ = 0;
    bool broken_ = false;
};

}  // namespace kymo::gpu
