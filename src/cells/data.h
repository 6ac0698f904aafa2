// The program's own data as operands: variables, members and parameters that a description names.
//
// A Load locates a value, as plain data that the launcher writes: in an image, in the calling thread's own
// storage, or behind an argument; and then behind a number of pointers. Contract: load_data() is called by the
// task itself, also in a handler. It never faults: data in an image that is never unloaded, or in the thread's own
// storage, is read directly; the kernel reads the target of a pointer (`read`), and refuses invalid ones. Cost:
// 1–2 ns; through a pointer a system call.
#pragma once

#include <cstdint>

namespace kymo::cells {

enum class LoadBase : std::uint8_t {
    kImage = 0,     // offsets[0] is an image offset
    kThread = 1,    // in the image's part of the thread's storage
    kArgument = 2,  // of the call: its value; with links, offsets[0] is from where it points to
};

inline constexpr unsigned kMostLinks = 5;  // pointers that are followed

struct Load {
    LoadBase base = LoadBase::kImage;
    std::uint8_t bytes = 8;  // to be read: 1, 2, 4 or 8
    std::uint8_t shift = 0;  // of them `bits` count, from the bit `shift` on
    std::uint8_t bits = 64;
    std::uint8_t is_signed = 0;
    std::uint8_t links = 0;  // pointers to follow: offsets[i + 1] is from where the i-th points to
    std::uint8_t argument = 0;
    std::uint8_t reserved = 0;
    std::uint32_t image = 0;  // of the plan
    std::uint32_t reserved1 = 0;
    std::int64_t offsets[kMostLinks + 1] = {};
};
static_assert(sizeof(Load) == 64);

// A loaded image.
struct DataImage {
    std::uint64_t bias = 0;
    std::int64_t thread_offset = 0;  // of its thread-local storage, from the thread pointer
    bool is_loaded = false;
    bool is_permanent = false;  // loaded with the program, so never unloaded
    bool has_thread_offset = false;
};

struct DataSources {
    const Load* loads = nullptr;
    const DataImage* images = nullptr;
    // Copies a value that may be unmapped; false: it is.
    bool (*read)(std::uint64_t address, std::uint64_t bytes, void* to) = nullptr;
};

inline bool valid(const Load& load, std::uint64_t images) {
    const bool is_size = load.bytes == 1 || load.bytes == 2 || load.bytes == 4 || load.bytes == 8;
    return load.base <= LoadBase::kArgument && is_size && load.bits >= 1 &&
           load.shift + load.bits <= load.bytes * 8 && load.is_signed <= 1 && load.links <= kMostLinks &&
           load.argument < 6 && (load.base == LoadBase::kArgument || load.image < images);
}

inline std::uint64_t bits_of(const Load& load, std::uint64_t value) {
    const unsigned above = 64U - load.bits;
    value = value >> load.shift << above;
    return load.is_signed != 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> above)
                               : value >> above;
}

// Memory that is mapped for certain.
inline std::uint64_t read_directly(std::uint64_t address, unsigned bytes) {
    switch (bytes) {
        case 1:
            return *reinterpret_cast<const volatile std::uint8_t*>(address);
        case 2: {
            std::uint16_t value = 0;
            __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
            return value;
        }
        case 4: {
            std::uint32_t value = 0;
            __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
            return value;
        }
        default: {
            std::uint64_t value = 0;
            __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
            return value;
        }
    }
}

// Where a load begins.
struct LoadBegin {
    std::uint64_t address = 0;
    bool is_there = false;  // mapped for certain: read directly
    bool is_known = false;  // the image is loaded, its thread-local storage found
};

inline LoadBegin begin_of(const DataSources& sources, const Load& load) {
    const DataImage& image = sources.images[load.image];
    if (load.base == LoadBase::kThread) {
        const auto pointer = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
        return {pointer + static_cast<std::uint64_t>(image.thread_offset + load.offsets[0]), true,
                image.has_thread_offset};
    }
    return {image.bias + static_cast<std::uint64_t>(load.offsets[0]), image.is_permanent, image.is_loaded};
}

// Continues with pointer number `next`. False: one of them is invalid.
inline bool follow_pointers(const DataSources& sources, const Load& load, LoadBegin from, unsigned next,
                            std::uint64_t* value) {
    for (; next < load.links; ++next) {
        std::uint64_t pointer = 0;
        if (from.is_there) {
            pointer = read_directly(from.address, sizeof pointer);
        } else if (!sources.read(from.address, sizeof pointer, &pointer)) {
            return false;
        }
        from.is_there = false;
        from.address = pointer + static_cast<std::uint64_t>(load.offsets[next + 1]);
    }
    std::uint64_t read = 0;
    if (!sources.read(from.address, load.bytes, &read)) {
        return false;
    }
    *value = bits_of(load, read);
    return true;
}

// False: it cannot be read now (an invalid pointer, or the image is not loaded). `arguments`: null if there are
// none.
[[gnu::always_inline]] inline bool load_data(const DataSources& sources, std::uint64_t number,
                                             const std::uint64_t* arguments, std::uint64_t* value) {
    const Load& load = sources.loads[number];
    if (load.base == LoadBase::kArgument) {
        if (arguments == nullptr) {
            return false;
        }
        const std::uint64_t argument = arguments[load.argument];
        if (load.links != 0) {
            return follow_pointers(sources, load, {argument + static_cast<std::uint64_t>(load.offsets[1])}, 1, value);
        }
        *value = bits_of(load, argument);
        return true;
    }
    const LoadBegin begin = begin_of(sources, load);
    if (!begin.is_known) {
        return false;
    }
    if (load.links != 0 || !begin.is_there) {
        return follow_pointers(sources, load, begin, 0, value);
    }
    *value = bits_of(load, read_directly(begin.address, load.bytes));
    return true;
}

}  // namespace kymo::cells
