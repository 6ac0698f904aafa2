// The address space over time: load images, by their build ids. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// A load image became visible. [begin, end) is its span of process addresses; image offset = process
// address − bias.
struct Image {
    std::uint64_t time = 0;
    std::uint64_t image = 0;  // ImageId
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    RawText path = {};               // absolute; "[vdso]" for the kernel's
    std::string_view build_id = {};  // raw bytes; empty if the image has none
    std::uint64_t content = 0;       // for images without one, of their bytes (image/content.h); 0: not known

    static constexpr const char* kTable = "image";
    static constexpr std::uint32_t kTableId = 16;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Image::time);
        visit("image", ColumnType::kUint, "", &Image::image);
        visit("begin", ColumnType::kUint, "address", &Image::begin);
        visit("end", ColumnType::kUint, "address", &Image::end);
        visit("bias", ColumnType::kUint, "address", &Image::bias);
        visit("path", ColumnType::kText, "", &Image::path);
        visit("build_id", ColumnType::kBytes, "", &Image::build_id);
        visit("content", ColumnType::kUint, "", &Image::content);
    }
};

struct ImageEnd {
    std::uint64_t time = 0;
    std::uint64_t image = 0;

    static constexpr const char* kTable = "image-end";
    static constexpr std::uint32_t kTableId = 17;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ImageEnd::time);
        visit("image", ColumnType::kUint, "", &ImageEnd::image);
    }
};

}  // namespace kymo::recording
