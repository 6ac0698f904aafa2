#include "view/terminal/own_code.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::array<std::string_view, 5> kSystemFolders = {"/lib", "/usr/", "/bin/", "/sbin/", "/opt/"};
constexpr std::array<std::string_view, 5> kPackageFolders = {"/site-packages/", "/dist-packages/", "/lib-dynload/",
                                                             "/libpython", "/libkymo-"};
constexpr std::array<std::string_view, 3> kHeaderFolders = {"/usr/include/", "/include/c++/", "/usr/lib/gcc/"};

template <std::size_t N>
bool contains_any(std::string_view path, const std::array<std::string_view, N>& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return path.find(part) != std::string_view::npos; });
}

bool is_of_system(std::string_view path) {
    return std::any_of(kSystemFolders.begin(), kSystemFolders.end(),
                       [&](std::string_view folder) { return path.starts_with(folder); });
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// As functions name their modules.
std::set<std::string> own_modules(const Profile& profile) {
    std::set<std::string> executables;
    for (const ProfileProcess& process : profile.processes) {
        executables.insert(process.executable);
    }
    const bool has_own = std::any_of(executables.begin(), executables.end(),
                                     [](const std::string& path) { return !path.empty() && !is_of_system(path); });
    std::set<std::string> modules;
    for (const ImageInfo& image : profile.images) {
        const bool is_executable = executables.contains(image.path);
        const bool is_own = is_of_system(image.path) ? is_executable && !has_own
                                                     : is_executable || !contains_any(image.path, kPackageFolders);
        if (is_own && !image.path.starts_with('[')) {
            modules.insert(file_name(image.path));
        }
    }
    return modules;
}

}  // namespace

std::vector<bool> own_functions(const Profile& profile, const CallTree& tree) {
    const std::set<std::string> modules = own_modules(profile);
    std::vector<bool> is_own;
    for (const program::Function& function : tree.symbols.functions) {
        const bool is_header = contains_any(tree.symbols.files[function.file], kHeaderFolders);
        is_own.push_back(!is_header && modules.contains(function.module) &&
                         function.source != program::NameSource::kPlt);
    }
    return is_own;
}

OwnCode own_code(const Profile& profile, const CallTree& tree) {
    const std::vector<bool> is_own = own_functions(profile, tree);
    OwnCode own{.functions = {},
                .self = CostTable(tree.self.events()),
                .libraries = CostTable(tree.self.events()),
                .total = CostTable(tree.self.events())};
    std::vector<std::uint32_t> row_of(tree.symbols.functions.size(), kNone);
    for (std::size_t i = 0; i < tree.functions.size(); ++i) {
        const FunctionCosts& function = tree.functions[i];
        if (!is_own[function.function]) {
            continue;
        }
        row_of[function.function] = static_cast<std::uint32_t>(own.functions.size());
        own.functions.push_back(function);
        own.total.resize(own.functions.size());
        spacetime::add(own.total[own.functions.size() - 1], tree.function_total[i]);
    }
    own.self.resize(own.functions.size());
    own.libraries.resize(own.functions.size());
    std::vector<std::uint32_t> owner(tree.nodes.size(), kNone);  // a row
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool is_here = node.kind == NodeKind::kFrame && row_of[node.function] != kNone;
        owner[i] = is_here ? row_of[node.function] : node.parent.in(owner);
        if (owner[i] != kNone) {
            spacetime::add((is_here ? own.self : own.libraries)[owner[i]], tree.self[i]);
        }
    }
    return own;
}

}  // namespace kymo::view
