#include "view/page/address_map.h"

#include "view/address_map.h"
#include "view/page/tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr unsigned kPageBits = 12;  // areas are whole pages, which are 4 KiB or larger

// What the page colours: code apart from files that are only read or written.
std::string colour_kind(const AreaSpan& area) {
    const bool is_code = area.kind == recording::AreaKind::kFile && (area.protection & recording::kAreaExecute) != 0;
    return is_code ? "code" : area_kind_key(area);
}

// Texts numbered in the order in which they come.
class TextTable {
  public:
    std::uint32_t number(const std::string& text) {
        const auto [entry, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            texts_.push_back(shown_text(text));
        }
        return entry->second;
    }
    Json take() { return std::move(texts_); }

  private:
    std::map<std::string, std::uint32_t> numbers_;
    Json texts_ = Json::array();
};

// The spans of the areas that were largest, in their order.
std::vector<const AreaSpan*> largest(const ProcessMap& process, std::size_t most) {
    std::vector<const AreaSpan*> spans;
    spans.reserve(process.areas.size());
    for (const AreaSpan& area : process.areas) {
        spans.push_back(&area);
    }
    if (spans.size() > most) {
        const auto size = [](const AreaSpan* area) { return area->end - area->begin; };
        std::stable_sort(spans.begin(), spans.end(),
                         [&](const AreaSpan* a, const AreaSpan* b) { return size(a) > size(b); });
        spans.resize(most);
        std::sort(spans.begin(), spans.end());  // pointers into one vector: its order
    }
    return spans;
}

// Index of Profile::processes, or null: no thread of it is known.
Json page_process(const Profile& profile, std::uint32_t file) {
    for (const ProfileStream& stream : profile.streams) {
        if (stream.file == file) {
            return profile.threads[stream.thread].process;
        }
    }
    return nullptr;
}

// The columns of all processes' areas.
class AreaColumns {
  public:
    void add(const ProcessMap& process, const AreaSpan& area) {
        number_.push_back(area.number);
        page_.push_back(area.begin >> kPageBits);
        pages_.push_back(std::max<std::uint64_t>((area.end - area.begin) >> kPageBits, 1));
        kind_.push_back(kinds_.number(colour_kind(area)));
        name_.push_back(names_.number(area_name(area)));
        path_.push_back(names_.number(area.path));
        access_.push_back(accesses_.number(access_text(area.protection)));
        const std::vector<std::uint64_t>& readings = process.readings;
        const auto reading_at = [&](std::uint64_t time) {
            return static_cast<std::uint64_t>(std::lower_bound(readings.begin(), readings.end(), time) -
                                              readings.begin());
        };
        from_.push_back(reading_at(area.seen));
        to_.push_back(area.gone ? reading_at(*area.gone) : readings.size());
    }

    std::size_t size() const { return number_.size(); }

    void write(Blob& blob) {
        blob.json["names"] = names_.take();
        blob.json["kinds"] = kinds_.take();
        blob.json["access"] = accesses_.take();
        blob.varints("area.number", number_);
        blob.deltas("area.page", page_);
        blob.varints("area.pages", pages_);
        blob.varints("area.kind", kind_);
        blob.varints("area.name", name_);
        blob.varints("area.path", path_);
        blob.varints("area.access", access_);
        blob.varints("area.from", from_);
        blob.varints("area.to", to_);
    }

  private:
    TextTable names_;  // paths among them
    TextTable kinds_;
    TextTable accesses_;
    std::vector<std::uint32_t> number_;
    std::vector<std::uint64_t> page_;
    std::vector<std::uint64_t> pages_;
    std::vector<std::uint32_t> kind_;
    std::vector<std::uint32_t> name_;
    std::vector<std::uint32_t> path_;
    std::vector<std::uint32_t> access_;
    std::vector<std::uint64_t> from_;  // of the process's readings
    std::vector<std::uint64_t> to_;
};

}  // namespace

void write_address_map(const AddressMap& map, const Profile& profile, std::size_t most, Blob& blob) {
    AreaColumns areas;
    Json processes = Json::array();
    std::vector<std::uint64_t> first_area{0};
    std::vector<std::uint64_t> first_reading{0};
    std::vector<std::uint64_t> readings;
    for (const ProcessMap& process : map.processes) {
        const FileClock clock(profile, process.file);
        for (const std::uint64_t time : process.readings) {
            readings.push_back(static_cast<std::uint64_t>(clock.ns_since_start(time)));
        }
        for (const AreaSpan* area : largest(process, most)) {
            areas.add(process, *area);
        }
        first_area.push_back(areas.size());
        first_reading.push_back(readings.size());
        processes.push_back({{"pid", process.pid},
                             {"process", page_process(profile, process.file)},
                             {"all", process.areas.size()},
                             {"passed_over", process.account ? Json(process.account->passed_over) : Json(nullptr)},
                             {"lost", process.account ? Json(process.account->lost) : Json(nullptr)},
                             {"ended", process.has_ended}});
    }
    blob.json["processes"] = std::move(processes);
    blob.deltas("area.first", first_area);
    blob.deltas("reading.first", first_reading);
    blob.deltas("reading.time", readings);
    areas.write(blob);
}

}  // namespace kymo::view
