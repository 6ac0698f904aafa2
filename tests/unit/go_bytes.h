// Go's function table made by hand, in each of its layouts, and what Go's run time knows of the program.
#pragma once

#include "image/go_table.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kymo::go_test {

using Bytes = std::vector<std::uint8_t>;

template <typename T>
void append(Bytes& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(&bytes[at], &value, sizeof(T));
}

inline void append_text(Bytes& bytes, const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
}

inline void append_leb128(Bytes& bytes, std::uint32_t value) {
    for (; value >= 0x80; value >>= 7U) {
        bytes.push_back(static_cast<std::uint8_t>(value | 0x80U));
    }
    bytes.push_back(static_cast<std::uint8_t>(value));
}

// A value that holds up to an offset of the function.
struct GoValue {
    std::uint32_t until = 0;
    std::int32_t value = 0;
};

inline Bytes encode_go_values(const std::vector<GoValue>& values, unsigned quantum = 1) {
    Bytes bytes;
    std::int32_t last = -1;
    std::uint32_t begin = 0;
    for (const GoValue& one : values) {
        const auto change = static_cast<std::uint32_t>(one.value) - static_cast<std::uint32_t>(last);
        append_leb128(bytes, change << 1U ^ (change >> 31U != 0 ? ~0U : 0U));
        append_leb128(bytes, (one.until - begin) / quantum);
        last = one.value;
        begin = one.until;
    }
    bytes.push_back(0);
    return bytes;
}

struct GoCode {
    std::string name;
    std::uint64_t begin = 0;  // image offset
    std::vector<GoValue> depths;
    std::vector<GoValue> lines = {};
    std::vector<GoValue> files = {};    // by number in GoBytes::files
    std::vector<GoValue> inlined = {};  // by number of the inlined call
    std::uint32_t inlined_at = ~0U;     // where those calls are, behind the functions' data
    std::uint32_t line = 0;
    std::uint8_t flags = 0;  // 1: outermost; 2: writes the stack pointer
};

struct GoBytes {
    image::GoTable::Layout layout = image::GoTable::Layout::k120;
    std::uint64_t text = 0x1000;
    std::uint64_t end = 0x2000;  // of the last function
    std::vector<GoCode> functions;
    std::vector<std::string> files;
    std::uint8_t quantum = 1;
    bool has_text = true;  // in the table itself

    Bytes names = {0};
    Bytes tables = {0};

    std::uint32_t add_name(const std::string& name) {
        const auto at = static_cast<std::uint32_t>(names.size());
        append_text(names, name);
        return at;
    }

    Bytes made() {
        using Layout = image::GoTable::Layout;
        const auto put_table = [this](const std::vector<GoValue>& values) {
            if (values.empty()) {
                return 0U;
            }
            const auto at = static_cast<std::uint32_t>(tables.size());
            const Bytes bytes = encode_go_values(values, quantum);
            tables.insert(tables.end(), bytes.begin(), bytes.end());
            return at;
        };

        Bytes texts;
        Bytes units;
        for (const std::string& file : files) {
            append(units, static_cast<std::uint32_t>(texts.size()));
            append_text(texts, file);
        }
        std::vector<Bytes> records;
        const bool is_new = layout >= Layout::k118;
        for (const GoCode& code : functions) {
            Bytes record;
            is_new ? append(record, static_cast<std::uint32_t>(code.begin - text)) : append(record, code.begin);
            append(record, add_name(code.name));
            append(record, std::uint32_t{0});  // arguments
            append(record, std::uint32_t{0});  // a deferred call's place
            append(record, put_table(code.depths));
            append(record, put_table(code.files));
            append(record, put_table(code.lines));
            const std::uint32_t inlined = put_table(code.inlined);
            append(record, std::uint32_t{3});  // numbered tables
            if (layout >= Layout::k116) {
                append(record, std::uint32_t{0});  // compilation unit
            }
            if (layout >= Layout::k120) {
                append(record, code.line);
            }
            record.insert(record.end(), {0, code.flags, 0, static_cast<std::uint8_t>(is_new ? 4 : 0)});
            append(record, std::uint32_t{0});
            append(record, std::uint32_t{0});
            append(record, inlined);
            for (int number = 0; is_new && number < 4; ++number) {
                append(record, number == 3 ? code.inlined_at : ~0U);
            }
            records.push_back(record);
        }
        if (layout == Layout::k12) {
            return made_in_one_piece(records);
        }
        const std::size_t header = is_new ? 72 : 64;
        const std::size_t field = is_new ? 4 : 8;
        std::uint64_t place = (2 * functions.size() + 1) * field;
        Bytes index;
        const auto put = [&](std::uint64_t value) {
            is_new ? append(index, static_cast<std::uint32_t>(value)) : append(index, value);
        };
        for (std::size_t i = 0; i < functions.size(); ++i) {
            put(functions[i].begin - (is_new ? text : 0));
            put(place);
            place += records[i].size();
        }
        put(end - (is_new ? text : 0));
        const auto align = [](Bytes& bytes) {
            while (bytes.size() % 8 != 0) {
                bytes.push_back(0);
            }
        };
        for (Bytes* part : {&names, &units, &texts, &tables}) {
            align(*part);
        }
        Bytes bytes;
        append(bytes, layout == Layout::k116 ? 0xFFFFFFFAU : layout == Layout::k118 ? 0xFFFFFFF0U : 0xFFFFFFF1U);
        bytes.insert(bytes.end(), {0, 0, quantum, 8});
        append(bytes, std::uint64_t{functions.size()});
        append(bytes, std::uint64_t{files.size()});
        if (is_new) {
            append(bytes, has_text ? text : 0);
        }
        std::uint64_t at = header;
        for (const Bytes* part : {&names, &units, &texts, &tables}) {
            append(bytes, at);
            at += part->size();
        }
        append(bytes, at);
        for (const Bytes* part : {&names, &units, &texts, &tables, &index}) {
            bytes.insert(bytes.end(), part->begin(), part->end());
        }
        for (const Bytes& record : records) {
            bytes.insert(bytes.end(), record.begin(), record.end());
        }
        return bytes;
    }

  private:
    // Go 1.2's: everything is counted from the beginning.
    Bytes made_in_one_piece(std::vector<Bytes>& records) const {
        const std::size_t index = (2 * functions.size() + 1) * 8;
        std::uint64_t place = 16 + index + 8;
        std::uint64_t records_bytes = 0;
        for (const Bytes& record : records) {
            records_bytes += record.size();
        }
        const auto shift_names = static_cast<std::uint32_t>(place + records_bytes);
        const auto shift_tables = static_cast<std::uint32_t>(shift_names + names.size());
        Bytes bytes;
        append(bytes, 0xFFFFFFFBU);
        bytes.insert(bytes.end(), {0, 0, quantum, 8});
        append(bytes, std::uint64_t{functions.size()});
        for (std::size_t i = 0; i < functions.size(); ++i) {
            append(bytes, functions[i].begin);
            append(bytes, place);
            place += records[i].size();
        }
        append(bytes, end);
        append(bytes, std::uint64_t{shift_tables + tables.size()});  // the files' table
        for (Bytes& record : records) {
            const auto shift = [&](std::size_t at, std::uint32_t by) {
                std::uint32_t value = 0;
                std::memcpy(&value, &record[at], 4);
                value += value == 0 ? 0 : by;
                std::memcpy(&record[at], &value, 4);
            };
            shift(8, shift_names);
            for (const std::size_t at : {20U, 24U, 28U}) {
                shift(at, shift_tables);
            }
            bytes.insert(bytes.end(), record.begin(), record.end());
        }
        bytes.insert(bytes.end(), names.begin(), names.end());
        bytes.insert(bytes.end(), tables.begin(), tables.end());
        // Its own number of entries, then where each name is; the number 0 names no file.
        std::uint64_t text_at = bytes.size() + 4 * (files.size() + 1);
        append(bytes, static_cast<std::uint32_t>(files.size() + 1));
        for (const std::string& file : files) {
            append(bytes, static_cast<std::uint32_t>(text_at));
            text_at += file.size() + 1;
        }
        for (const std::string& file : files) {
            append_text(bytes, file);
        }
        return bytes;
    }
};

// The words of Go's moduledata that are read, for a table at an image offset.
inline Bytes go_module_data(const Bytes& table, std::uint64_t address, std::uint64_t text, std::uint64_t data) {
    const auto parts = image::GoTable::parts_of(table);
    std::vector<std::uint64_t> words(41);
    words[0] = address;
    words[1] = address + parts.names;
    words[4] = address + parts.units;
    words[7] = address + parts.files;
    words[10] = address + parts.tables;
    words[13] = address + parts.functions;
    words[17] = parts.count + 1;
    words[22] = text;
    words[image::GoTable::layout_of(table) == image::GoTable::Layout::k118 ? 38 : 40] = data;
    Bytes bytes;
    for (const std::uint64_t word : words) {
        append(bytes, word);
    }
    return bytes;
}

}  // namespace kymo::go_test
