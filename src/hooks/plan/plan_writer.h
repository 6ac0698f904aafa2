// Makes a plan: collects images, entries, imports and their steps, and writes the file.
#pragma once

#include "hooks/plan_file.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kymo::hooks {

class PlanWriter {
  public:
    std::uint32_t add_point(std::span<const cells::Step> entry, std::span<const cells::Step> exit,
                            std::uint32_t calls = 0);
    // `entries` in the order of their offsets, no two overlapping. An image is added once, with its entries;
    // add_data() for it may be called before.
    void add_image(const std::filesystem::path& path, std::string_view build_id, std::span<const PlanEntry> entries);
    // Its number.
    std::uint32_t add_data(const std::filesystem::path& path, std::string_view build_id);
    std::uint32_t add_load(const cells::Load& load);
    void add_import(std::string_view symbol, std::uint32_t point);
    std::string text() const;

  private:
    PlanText keep(std::string_view text);
    PlanImage& image(const std::filesystem::path& path, std::string_view build_id);

    std::vector<PlanImage> images_;
    std::map<std::filesystem::path, std::uint32_t> numbers_;  // of the images
    std::vector<PlanEntry> entries_;
    std::vector<PlanImport> imports_;
    std::vector<PlanPoint> points_;
    std::vector<cells::Step> steps_;
    std::vector<cells::Load> loads_;
    std::string text_;
};

}  // namespace kymo::hooks
