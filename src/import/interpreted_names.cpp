#include "import/interpreted_names.h"

#include "image/build_id_path.h"
#include "import/names/named_image.h"
#include "recording/format.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/tables/interpreted.h"

#include <algorithm>
#include <map>
#include <string>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;
namespace rec = recording;

struct Found {
    std::string name;
    std::string file;
    std::uint64_t line = 0;
    std::uint64_t lines = 0;
};

Result<void> write_of(const rec::File& file, const fs::path& images) {
    std::string build_id;
    std::map<std::uint64_t, Found> functions;  // by offset
    const auto report = file.scan_streams(
        [](StreamId stream) { return raw(stream) == 0; }, rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
            if (row.path == rec::kPythonPath) {
                build_id = row.build_id;
            }
        }),
        rec::on<rec::InterpretedFunction>([&](StreamId, const rec::InterpretedFunction& row) {
            functions[row.offset] = {std::string(row.name), std::string(row.file), row.line, row.lines};
        }));
    if (!report) {
        return report.error();
    }
    const fs::path to = images / build_id_path(build_id);
    std::error_code ignored;
    if (build_id.empty() || functions.empty() || fs::exists(to, ignored)) {
        return {};
    }
    NamedImage image(file.header().machine);
    for (const auto& [offset, found] : functions) {
        if (image.add(found.name, offset, rec::kInterpretedStep)) {
            image.add_lines(found.name, offset, rec::kInterpretedStep, found.file, found.line, found.lines);
        }
    }
    if (image.empty()) {
        return {};
    }
    NamedImage::BuildId id{};
    std::copy_n(build_id.begin(), std::min(id.size(), build_id.size()), id.begin());
    fs::create_directories(to.parent_path(), ignored);
    const auto written = image.write(to, id);
    return written ? Result<void>() : Result<void>(written.error());
}

}  // namespace

Result<void> write_interpreted_names(const fs::path& recording) {
    const auto opened = rec::Recording::open(recording);
    if (!opened) {
        return opened.error();
    }
    for (const rec::File& file : opened->files()) {
        if (file.header().has_writer) {
            continue;  // of another rank: its own recorder comes later
        }
        if (auto written = write_of(file, recording / rec::kImagesFolder); !written) {
            return written;
        }
    }
    return {};
}

}  // namespace kymo::import
