#include "program/data/data_finder.h"

#include "image/dynamic_symbols.h"
#include "program/data/data_types.h"
#include "program/data/dies.h"
#include "program/data/parameters.h"
#include "program/data/variables.h"
#include "program/module_file.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace kymo::program {
namespace {

constexpr std::size_t kMostTold = 4;  // files

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The variables that the image gives to others, by name.
std::map<std::string, std::uint64_t, std::less<>> exports_of(const image::ElfFile& file) {
    std::map<std::string, std::uint64_t, std::less<>> exports;
    image::each_dynamic_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx != SHN_UNDEF && (type == STT_OBJECT || type == STT_TLS)) {
            exports.emplace(name, symbol.st_value);
        }
    });
    return exports;
}

}  // namespace

// Opened at its first use.
struct DataFinder::Image {
    std::filesystem::path path;
    std::optional<ModuleFile> file;
    std::map<std::string, std::vector<Variable>, std::less<>> known;  // by the requested name
    std::optional<std::map<std::string, std::uint64_t, std::less<>>> exported;

    Dwfl_Module* module() {
        if (!file) {
            std::string build_id;
            const std::vector<std::uint8_t> bytes = read_bytes(path);
            image::ElfFile elf;
            if (image::ElfFile::parse(bytes, &elf) == image::ElfError::kNone) {
                build_id.assign(reinterpret_cast<const char*>(elf.build_id().data()), elf.build_id().size());
            }
            file.emplace(ModuleFile::open({path.string(), build_id, 0}));
        }
        return file->module();
    }
    bool has_debug_info() {
        Dwarf_Addr bias = 0;
        return module() != nullptr && dwfl_module_getdwarf(module(), &bias) != nullptr;
    }
    const std::vector<Variable>& variables(const std::string& name) {
        const auto [entry, is_new] = known.try_emplace(name);
        if (is_new && has_debug_info()) {
            entry->second = variables_named(module(), name);
        }
        return entry->second;
    }
    // Null: it exports no variable of that name.
    const std::uint64_t* exported_at(const std::string& name) {
        if (!exported) {
            const std::vector<std::uint8_t> bytes = read_bytes(path);
            image::ElfFile elf;
            exported.emplace();
            if (image::ElfFile::parse(bytes, &elf) == image::ElfError::kNone) {
                exported = exports_of(elf);
            }
        }
        const auto found = exported->find(name);
        return found == exported->end() ? nullptr : &found->second;
    }
};

// One path that is looked for.
struct DataFinder::Search {
    DataFinder& finder;
    const DataPath& path;
    const DataScope& scope;

    struct Found {
        const Variable* variable = nullptr;
        std::size_t image = 0;
        DataPlace place;
        std::string problem;
    };

    std::variant<DataPlace, NoData> find() {
        Image& image = *finder.images_[scope.image];
        if (!path.is_global && path.name.find("::") == std::string::npos && image.has_debug_info()) {
            const NamedInCode named = find_in_code(image.module(), scope.offset, path.name, scope.kind);
            if (!named.problem.empty()) {
                return quoted(named.problem);
            }
            if (named.parameter) {
                return end(*named.parameter, scope.image, named.place);
            }
        }
        std::vector<Found> found = near();
        if (found.empty()) {
            found = everywhere();
        }
        if (found.empty()) {
            return none();
        }
        std::vector<std::string> files;
        for (const Found& each : found) {
            if (std::find(files.begin(), files.end(), each.variable->file) == files.end()) {
                files.push_back(each.variable->file);
            }
        }
        if (found.size() > 1) {
            return several(found.size(), files);
        }
        const Found& only = found.front();
        return only.problem.empty() ? end(only.variable->die, only.image, only.place) : quoted(only.problem);
    }

  private:
    NoData quoted(const std::string& problem) const { return {"'" + path.name + "' " + problem}; }

    NoData several(std::size_t count, std::vector<std::string>& files) const {
        std::string told;
        for (std::size_t i = 0; i < files.size() && i < kMostTold; ++i) {
            told += (i == 0 ? "" : ", ") + files[i];
        }
        return {std::to_string(count) + " variables have the name '" + path.name + "' (" + told +
                (files.size() > kMostTold ? ", …)" : ")")};
    }

    // Of a member's or element's type, in the image that declares it; `place` may be in another.
    std::variant<DataPlace, NoData> end(Dwarf_Die die, std::size_t declared_in, DataPlace place) {
        DataTypes types(finder.images_[declared_in]->module());
        std::string problem = types.follow(path, die, place);
        if (!problem.empty()) {
            return NoData{problem};
        }
        if (!is_inside(finder.images_[place.image]->module(), place)) {
            return NoData{"'" + text_of(path) + "' is outside of the data of " +
                          finder.image(place.image).filename().string()};
        }
        return place;
    }

    // In the source file of the request.
    std::vector<Found> near() {
        Image& image = *finder.images_[scope.image];
        Dwarf_Die unit;
        Dwarf_Addr bias = 0;
        std::vector<Found> found;
        if (image.has_debug_info() && unit_at(image.module(), scope.offset, &unit, &bias)) {
            for (const Variable& variable : image.variables(path.name)) {
                if (variable.unit == dwarf_dieoffset(&unit)) {
                    add(variable, scope.image, found);
                }
            }
        }
        return found;
    }

    std::vector<Found> everywhere() {
        std::vector<Found> found;
        for (std::size_t i = 0; i < finder.images_.size(); ++i) {
            for (const Variable& variable : finder.images_[i]->variables(path.name)) {
                add(variable, i, found);
            }
        }
        // A whole name is meant before one that has more scopes.
        const auto is_whole = [&](const Found& each) { return each.variable->name == path.name; };
        if (std::any_of(found.begin(), found.end(), is_whole)) {
            std::erase_if(found, [&](const Found& each) { return !is_whole(each); });
        }
        return found;
    }

    // Definitions at one place are one: of templates and inline variables each unit has one.
    void add(const Variable& variable, std::size_t image, std::vector<Found>& all) {
        Found found{&variable, image, {}, {}};
        found.problem = locate(variable, finder.images_[image]->module(), found.place);
        found.place.image = image;
        if (found.problem.empty() && variable.is_external && image != 0) {
            prefer_earlier(variable, found.place);
        }
        const auto same = [&](const Found& other) {
            return other.problem.empty() && found.problem.empty() && other.place.image == found.place.image &&
                   other.place.base == found.place.base && other.place.offsets == found.place.offsets;
        };
        if (std::none_of(all.begin(), all.end(), same)) {
            all.push_back(std::move(found));
        }
    }

    void prefer_earlier(const Variable& variable, DataPlace& place) {
        if (finder.images_[place.image]->exported_at(variable.linkage) == nullptr) {
            return;  // hidden: not shared with other images
        }
        for (std::size_t i = 0; i < finder.images_.size(); ++i) {
            if (const std::uint64_t* at = finder.images_[i]->exported_at(variable.linkage)) {
                place.image = i;
                place.offsets = {static_cast<std::int64_t>(*at)};
                return;
            }
        }
    }

    NoData none() {
        Image& own = *finder.images_[scope.image];
        if (!own.has_debug_info()) {
            return {"'" + path.name + "' is not known: " + own.path.filename().string() +
                    " has no debug information (compile with -g)"};
        }
        const bool is_entry = scope.kind == DataScope::Kind::kEntry;
        return {(is_entry ? "no variable or parameter '" : "no variable '") + path.name + "'", true};
    }
};

DataFinder::DataFinder(std::span<const std::filesystem::path> images) {
    for (const std::filesystem::path& path : images) {
        images_.push_back(std::make_unique<Image>());
        images_.back()->path = path;
    }
}

DataFinder::~DataFinder() = default;

std::variant<DataPlace, NoData> DataFinder::find(const DataPath& path, const DataScope& scope) {
    return Search{*this, path, scope}.find();
}

const std::filesystem::path& DataFinder::image(std::size_t index) const {
    return images_[index]->path;
}

}  // namespace kymo::program
