// Makes profiles of pprof with known contents, field by field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace kymo::import::named {

struct MadeLine {
    std::uint64_t function = 0;
    std::int64_t line = 0;
};

struct MadeLabel {
    std::string key;
    std::string text;
    std::int64_t number = 0;
};

class MadeProfile {
  public:
    MadeProfile() { text(""); }

    MadeProfile& type(const std::string& name, const std::string& unit) { return type_at(1, name, unit); }
    MadeProfile& period(std::int64_t period, const std::string& name, const std::string& unit) {
        type_at(11, name, unit);
        to_.add_int64(12, period);
        return *this;
    }
    MadeProfile& times(std::int64_t wall_ns, std::int64_t duration_ns) {
        to_.add_int64(9, wall_ns);
        to_.add_int64(10, duration_ns);
        return *this;
    }
    MadeProfile& default_type(const std::string& name) {
        to_.add_int64(14, text(name));
        return *this;
    }
    MadeProfile& mapping(std::uint64_t id, const std::string& file) {
        const std::int64_t number = text(file);
        protozero::pbf_writer inner(to_, 3);
        inner.add_uint64(1, id);
        inner.add_uint64(2, 0x400000);
        inner.add_int64(5, number);
        return *this;
    }
    MadeProfile& function(std::uint64_t id, const std::string& name, const std::string& file = "",
                          const std::string& system_name = "") {
        const std::int64_t name_number = text(name);
        const std::int64_t system_number = text(system_name);
        const std::int64_t file_number = text(file);
        protozero::pbf_writer inner(to_, 5);
        inner.add_uint64(1, id);
        inner.add_int64(2, name_number);
        inner.add_int64(3, system_number);
        inner.add_int64(4, file_number);
        return *this;
    }
    MadeProfile& location(std::uint64_t id, std::uint64_t mapping, std::uint64_t address,
                          std::vector<MadeLine> lines) {
        protozero::pbf_writer inner(to_, 4);
        inner.add_uint64(1, id);
        inner.add_uint64(2, mapping);
        inner.add_uint64(3, address);
        for (const MadeLine& line : lines) {
            protozero::pbf_writer of(inner, 4);
            of.add_uint64(1, line.function);
            of.add_int64(2, line.line);
        }
        return *this;
    }
    MadeProfile& sample(const std::vector<std::uint64_t>& path, const std::vector<std::int64_t>& values,
                        const std::vector<MadeLabel>& labels = {}, bool is_packed = true) {
        std::vector<std::int64_t> keys;
        std::vector<std::int64_t> texts;
        for (const MadeLabel& label : labels) {
            keys.push_back(text(label.key));
            texts.push_back(text(label.text));
        }
        protozero::pbf_writer inner(to_, 2);
        if (is_packed) {
            inner.add_packed_uint64(1, path.begin(), path.end());
            inner.add_packed_int64(2, values.begin(), values.end());
        } else {
            for (const std::uint64_t id : path) {
                inner.add_uint64(1, id);
            }
            for (const std::int64_t value : values) {
                inner.add_int64(2, value);
            }
        }
        for (std::size_t i = 0; i < labels.size(); ++i) {
            protozero::pbf_writer of(inner, 3);
            of.add_int64(1, keys[i]);
            of.add_int64(2, texts[i]);
            of.add_int64(3, labels[i].number);
        }
        return *this;
    }
    // Any further field.
    MadeProfile& raw(std::uint32_t field, std::string_view bytes) {
        to_.add_bytes(field, bytes.data(), bytes.size());
        return *this;
    }

    // The texts come last, as Go writes them.
    [[nodiscard]] std::string bytes() const {
        std::string all = bytes_;
        protozero::pbf_writer to(all);
        for (const std::string& text : texts_) {
            to.add_string(6, text);
        }
        return all;
    }

  private:
    MadeProfile& type_at(std::uint32_t field, const std::string& name, const std::string& unit) {
        const std::int64_t name_number = text(name);
        const std::int64_t unit_number = text(unit);
        protozero::pbf_writer inner(to_, field);
        inner.add_int64(1, name_number);
        inner.add_int64(2, unit_number);
        return *this;
    }
    std::int64_t text(const std::string& of) {
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            if (texts_[i] == of) {
                return static_cast<std::int64_t>(i);
            }
        }
        texts_.push_back(of);
        return static_cast<std::int64_t>(texts_.size() - 1);
    }

    std::string bytes_;
    protozero::pbf_writer to_{bytes_};
    std::vector<std::string> texts_;
};

inline std::string compressed(std::string_view bytes) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    std::string to(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(to.size());
    deflate(&stream, Z_FINISH);
    to.resize(stream.total_out);
    deflateEnd(&stream);
    return to;
}

}  // namespace kymo::import::named
