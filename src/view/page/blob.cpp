#include "view/page/blob.h"

#include <cstring>
#include <stdexcept>
#include <zlib.h>

namespace kymo::view {
namespace {

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

void put_u32(std::string& out, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out += static_cast<char>(value >> shift & 0xffU);
    }
}

std::string deflate_all(std::string_view raw) {
    uLongf size = ::compressBound(raw.size());
    std::string out(size, '\0');
    const int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                   reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 6);
    if (status != Z_OK) {
        throw std::runtime_error("zlib cannot compress the page's data");  // only if out of memory
    }
    out.resize(size);
    return out;
}

}  // namespace

void put_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(value | 0x80U);
        value >>= 7U;
    }
    out += static_cast<char>(value);
}

void Blob::add(std::string_view name, std::string_view kind, std::size_t count, std::string_view raw) {
    data_.resize((data_.size() + 7) & ~std::size_t{7});  // so that floats can be read in place
    columns_.push_back({std::string(name), std::string(kind), count, data_.size(), raw.size()});
    data_ += raw;
}

void Blob::bytes(std::string_view name, std::string_view raw) {
    add(name, "bytes", raw.size(), raw);
}

void Blob::varints(std::string_view name, std::span<const std::uint64_t> values) {
    std::string raw;
    for (const std::uint64_t value : values) {
        put_varint(raw, value);
    }
    add(name, "varint", values.size(), raw);
}

void Blob::varints(std::string_view name, std::span<const std::uint32_t> values) {
    std::string raw;
    for (const std::uint32_t value : values) {
        put_varint(raw, value);
    }
    add(name, "varint", values.size(), raw);
}

void Blob::deltas(std::string_view name, std::span<const std::uint64_t> values) {
    std::string raw;
    std::uint64_t last = 0;
    for (const std::uint64_t value : values) {
        put_varint(raw, zigzag(static_cast<std::int64_t>(value - last)));
        last = value;
    }
    add(name, "delta", values.size(), raw);
}

void Blob::signed_varints(std::string_view name, std::span<const std::int64_t> values) {
    std::string raw;
    for (const std::int64_t value : values) {
        put_varint(raw, zigzag(value));
    }
    add(name, "signed", values.size(), raw);
}

void Blob::numbered_varints(std::string_view name, std::span<const std::vector<std::uint64_t>> columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        varints(std::string(name) + "." + std::to_string(i), columns[i]);
    }
}

void Blob::numbered_signed(std::string_view name, std::span<const std::vector<std::int64_t>> columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        signed_varints(std::string(name) + "." + std::to_string(i), columns[i]);
    }
}

void Blob::floats(std::string_view name, std::span<const float> values) {
    std::string raw(values.size_bytes(), '\0');
    if (!raw.empty()) {
        std::memcpy(raw.data(), values.data(), raw.size());
    }
    add(name, "f32", values.size(), raw);
}

std::string Blob::deflated() const {
    nlohmann::ordered_json head = json;
    nlohmann::ordered_json& columns = head["columns"] = nlohmann::ordered_json::object();
    for (const Column& column : columns_) {
        columns[column.name] = {column.kind, column.count, column.offset, column.size};
    }
    std::string text = head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize((text.size() + 7) & ~std::size_t{7}, ' ');
    std::string raw = "KYMOPAGE";
    put_u32(raw, 1);  // version of the layout
    put_u32(raw, static_cast<std::uint32_t>(text.size()));
    raw += text;
    raw += data_;
    return deflate_all(raw);
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    const auto at = [&](std::size_t i) {
        return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0U;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t bits = at(i) << 16U | at(i + 1) << 8U | at(i + 2);
        out += kLetters[bits >> 18U & 63U];
        out += kLetters[bits >> 12U & 63U];
        out += i + 1 < bytes.size() ? kLetters[bits >> 6U & 63U] : '=';
        out += i + 2 < bytes.size() ? kLetters[bits & 63U] : '=';
    }
    return out;
}

}  // namespace kymo::view
