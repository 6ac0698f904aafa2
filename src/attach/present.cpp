#include "attach/present.h"

#include "attach/proc_file.h"
#include "attach/targets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sys/mman.h>
#include <system_error>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;
namespace perf = import::perf;

// Takes the next word off the line's front.
std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

bool read_number(std::string_view text, int base, std::uint64_t* number) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *number, base);
    return error == std::errc{} && rest == text.data() + text.size();
}

bool parse_map(std::string_view line, MapLine* map) {
    constexpr int kHexadecimal = 16;
    const std::string_view range = take_word(line);
    const std::string_view rights = take_word(line);
    const std::string_view offset = take_word(line);
    take_word(line);  // the device
    const std::string_view inode = take_word(line);
    const std::size_t dash = range.find('-');
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    map->path = line;
    map->executable = rights.size() == 4 && rights[2] == 'x';
    return dash != std::string_view::npos && read_number(range.substr(0, dash), kHexadecimal, &map->begin) &&
           read_number(range.substr(dash + 1), kHexadecimal, &map->end) &&
           read_number(offset, kHexadecimal, &map->offset) && read_number(inode, 10, &map->inode) &&
           map->begin < map->end;
}

}  // namespace

std::vector<MapLine> parse_maps(std::string_view text) {
    std::vector<MapLine> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        MapLine map;
        if (parse_map(line, &map)) {
            lines.push_back(std::move(map));
        }
    }
    return lines;
}

char parse_state(std::string_view text) {
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string_view::npos || name_end + 2 >= text.size() ? '\0' : text[name_end + 2];
}

void show_present(pid_t process, std::uint64_t time, perf::Visitor& to, const fs::path& proc) {
    const fs::path folder = proc / std::to_string(process);
    const auto pid = static_cast<std::uint32_t>(process);
    const auto at = [&](perf::Origin& origin, std::uint32_t tid) {
        origin.time = time;
        origin.pid = pid;
        origin.tid = tid;
    };
    // The program itself comes first, as after an exec.
    std::error_code error;
    const std::string program = fs::read_symlink(folder / "exe", error);
    std::vector<MapLine> maps = parse_maps(text_of(folder / "maps"));
    std::erase_if(maps, [](const MapLine& map) { return !map.executable; });
    std::stable_partition(maps.begin(), maps.end(), [&](const MapLine& map) { return map.path == program; });
    for (const MapLine& map : maps) {
        perf::Mapping row;
        at(row, pid);
        row.begin = map.begin;
        row.length = map.end - map.begin;
        row.file_offset = map.offset;
        row.protection = PROT_READ | PROT_EXEC;
        row.executable = true;
        row.path = map.path.empty() ? std::string_view("//anon") : std::string_view(map.path);
        row.inode = map.inode;
        to.mapping(row);
    }
    const auto threads = threads_of(std::array{process}, proc);
    if (!threads) {
        return;
    }
    for (const pid_t thread : *threads) {
        const fs::path task = folder / "task" / std::to_string(thread);
        const std::string name = name_of(thread, folder / "task");
        perf::Comm row;
        at(row, static_cast<std::uint32_t>(thread));
        row.name = name;
        to.comm(row);
        const char state = parse_state(text_of(task / "stat"));
        if (state == 'S' || state == 'D') {
            perf::Switch sleeps;
            at(sleeps, static_cast<std::uint32_t>(thread));
            sleeps.out = true;
            to.context_switch(sleeps);
        }
    }
}

}  // namespace kymo::attach
