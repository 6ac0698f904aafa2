#include "hooks/plan/plan_writer.h"

#include <algorithm>
#include <cstring>

namespace kymo::hooks {
namespace {

template <typename T>
void append(std::string& file, std::span<const T> items) {
    file.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
}

template <typename T>
std::uint32_t count(const std::vector<T>& items) {
    return static_cast<std::uint32_t>(items.size());
}

}  // namespace

PlanText PlanWriter::keep(std::string_view text) {
    const PlanText piece{static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())};
    text_ += text;
    text_ += '\0';
    return piece;
}

std::uint32_t PlanWriter::add_point(std::span<const cells::Step> entry, std::span<const cells::Step> exit,
                                    std::uint32_t calls) {
    PlanPoint point{};
    point.calls = calls;
    point.first_entry = count(steps_);
    point.entry_steps = static_cast<std::uint32_t>(entry.size());
    steps_.insert(steps_.end(), entry.begin(), entry.end());
    point.first_exit = count(steps_);
    point.exit_steps = static_cast<std::uint32_t>(exit.size());
    steps_.insert(steps_.end(), exit.begin(), exit.end());
    points_.push_back(point);
    return count(points_) - 1;
}

PlanImage& PlanWriter::image(const std::filesystem::path& path, std::string_view build_id) {
    const auto [known, is_new] = numbers_.try_emplace(path, count(images_));
    if (is_new) {
        PlanImage image{};
        image.path = keep(path.string());
        image.build_id_bytes = static_cast<std::uint32_t>(std::min(build_id.size(), sizeof image.build_id));
        std::memcpy(image.build_id, build_id.data(), image.build_id_bytes);
        images_.push_back(image);
    }
    return images_[known->second];
}

void PlanWriter::add_image(const std::filesystem::path& path, std::string_view build_id,
                           std::span<const PlanEntry> entries) {
    PlanImage& added = image(path, build_id);
    added.first_entry = count(entries_);
    added.entries = static_cast<std::uint32_t>(entries.size());
    entries_.insert(entries_.end(), entries.begin(), entries.end());
}

std::uint32_t PlanWriter::add_data(const std::filesystem::path& path, std::string_view build_id) {
    return static_cast<std::uint32_t>(&image(path, build_id) - images_.data());
}

std::uint32_t PlanWriter::add_load(const cells::Load& load) {
    const auto same = [&](const cells::Load& other) { return std::memcmp(&other, &load, sizeof load) == 0; };
    const auto known = std::find_if(loads_.begin(), loads_.end(), same);
    if (known != loads_.end()) {
        return static_cast<std::uint32_t>(known - loads_.begin());
    }
    loads_.push_back(load);
    return count(loads_) - 1;
}

void PlanWriter::add_import(std::string_view symbol, std::uint32_t point) {
    imports_.push_back({keep(symbol), point, 0});
}

std::string PlanWriter::text() const {
    PlanHeader header{};
    std::memcpy(header.magic, kPlanMagic, sizeof kPlanMagic);
    header.version = kPlanVersion;
    header.images = count(images_);
    header.entries = count(entries_);
    header.imports = count(imports_);
    header.points = count(points_);
    header.steps = count(steps_);
    header.loads = count(loads_);
    header.text_bytes = static_cast<std::uint32_t>(text_.size());
    std::string file;
    append(file, std::span<const PlanHeader>(&header, 1));
    append(file, std::span<const PlanImage>(images_));
    append(file, std::span<const PlanEntry>(entries_));
    append(file, std::span<const PlanImport>(imports_));
    append(file, std::span<const PlanPoint>(points_));
    append(file, std::span<const cells::Step>(steps_));
    append(file, std::span<const cells::Load>(loads_));
    return file + text_;
}

}  // namespace kymo::hooks
