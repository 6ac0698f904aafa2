#include "program/line_table.h"

#include "base/last_at_most.h"
#include "program/module_file.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <filesystem>
#include <tuple>
#include <unordered_map>

namespace kymo::program {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 27U;  // 2 GiB of them

struct Reader {
    std::vector<std::string> files;
    std::vector<LineRow> rows;
    std::unordered_map<std::string, std::uint32_t> known;

    std::uint32_t file(const std::string& path) {
        const std::string normal = std::filesystem::path(path).lexically_normal().string();
        const auto [entry, is_new] = known.emplace(normal, static_cast<std::uint32_t>(files.size()));
        if (is_new) {
            files.push_back(normal);
        }
        return entry->second;
    }

    void read(Dwarf_Die* unit, std::uint64_t bias) {
        Dwarf_Lines* lines = nullptr;
        std::size_t count = 0;
        if (dwarf_getsrclines(unit, &lines, &count) != 0) {
            return;
        }
        std::string folder;
        if (Dwarf_Attribute holder; dwarf_attr(unit, DW_AT_comp_dir, &holder) != nullptr) {
            const char* told = dwarf_formstring(&holder);
            folder = told == nullptr ? "" : told;
        }
        std::unordered_map<const char*, std::uint32_t> names;  // the library's own strings
        const std::size_t first = rows.size();
        std::size_t others = 0;
        for (std::size_t i = 0; i < count && rows.size() < kMostRows; ++i) {
            Dwarf_Line* line = dwarf_onesrcline(lines, i);
            Dwarf_Addr address = 0;
            int number = 0;
            bool begins = false;
            bool ends = false;
            const char* source = dwarf_linesrc(line, nullptr, nullptr);
            if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 ||
                dwarf_linebeginstatement(line, &begins) != 0 || dwarf_lineendsequence(line, &ends) != 0) {
                continue;
            }
            LineRow row{address + bias, 0, 0, false, false};
            if (!ends && source != nullptr && number > 0) {
                auto name = names.find(source);
                if (name == names.end()) {
                    const bool whole = source[0] == '/' || folder.empty();
                    name = names.emplace(source, file(whole ? source : folder + "/" + source)).first;
                }
                row = {address + bias, name->second, static_cast<std::uint32_t>(number), begins, false};
                others += begins ? 0 : 1;
            }
            rows.push_back(row);
        }
        // GCC with "statement frontiers" marks only starts, and a third of the rows or more are others;
        // without, it marks nearly every row that begins a line's instructions.
        constexpr std::size_t kFew = 8;  // one row in this many
        Dwarf_Attribute holder;
        const char* producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &holder));
        const bool is_marked = others > (rows.size() - first) / kFew && producer != nullptr &&
                               std::string_view(producer).starts_with("GNU");
        for (std::size_t i = first; i < rows.size(); ++i) {
            rows[i].is_marked = is_marked;
        }
    }
};

// `name` as the last parts of `path`.
bool is_named(std::string_view path, std::string_view name) {
    return path.ends_with(name) &&
           (path.size() == name.size() || name.front() == '/' || path[path.size() - name.size() - 1] == '/');
}

}  // namespace

LineTable LineTable::read(const ImageName& image) {
    const ModuleFile file = ModuleFile::open(image);
    Reader reader;
    if (file.module() == nullptr) {
        return {};
    }
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(file.module(), unit, &bias)) != nullptr;) {
        reader.read(unit, bias);
    }
    return {std::move(reader.files), std::move(reader.rows)};
}

LineTable::LineTable(std::vector<std::string> files, std::vector<LineRow> rows)
    : files_(std::move(files)), rows_(std::move(rows)) {
    // Statements: before the sequences lose their order.
    const LineRow* before = nullptr;
    for (const LineRow& row : rows_) {
        if (row.line == 0) {
            before = nullptr;
        } else if (row.begins) {
            if (before == nullptr || before->file != row.file || before->line != row.line) {
                starts_.push_back(row);
            }
            before = &row;
        }
    }
    const auto place = [](const LineRow& row) { return std::tie(row.file, row.line, row.offset); };
    std::sort(starts_.begin(), starts_.end(),
              [&](const LineRow& a, const LineRow& b) { return place(a) < place(b); });
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
    // Where one sequence ends and another begins, the beginning counts.
    std::stable_sort(rows_.begin(), rows_.end(), [](const LineRow& a, const LineRow& b) {
        return std::tuple(a.offset, a.line != 0) < std::tuple(b.offset, b.line != 0);
    });
}

std::vector<std::uint32_t> LineTable::files_named(std::string_view name) const {
    std::vector<std::uint32_t> found;
    while (name.starts_with("./")) {
        name.remove_prefix(2);
    }
    for (std::uint32_t i = 0; i < files_.size() && !name.empty(); ++i) {
        if (is_named(files_[i], name)) {
            found.push_back(i);
        }
    }
    return found;
}

std::vector<LineRow> LineTable::starts(std::uint32_t file, std::uint32_t line) const {
    std::vector<LineRow> found;
    auto at = std::lower_bound(starts_.begin(), starts_.end(), std::tuple(file, line),
                               [](const LineRow& row, const std::tuple<std::uint32_t, std::uint32_t>& wanted) {
                                   return std::tuple(row.file, row.line) < wanted;
                               });
    for (; at != starts_.end() && at->file == file && at->line == line; ++at) {
        found.push_back(*at);
    }
    return found;
}

std::vector<std::uint32_t> LineTable::lines(std::uint32_t file) const {
    std::vector<std::uint32_t> found;
    for (const LineRow& row : starts_) {
        if (row.file == file && (found.empty() || found.back() != row.line)) {
            found.push_back(row.line);
        }
    }
    return found;
}

bool LineTable::is_of(std::uint64_t offset, std::uint32_t file, std::uint32_t line) const {
    const LineRow* const row = last_at_most(rows_, offset, &LineRow::offset);
    return row != nullptr && row->file == file && row->line == line;
}

}  // namespace kymo::program
