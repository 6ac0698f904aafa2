#include "spacetime/branches/branch_rows.h"

#include "recording/tables.h"

#include <string>

namespace kymo::spacetime {

namespace rec = recording;

void BranchRows::read_from(const rec::File& file, rec::Handlers& handlers) {
    const std::uint16_t machine = file.header().machine;
    handlers.on<rec::Image>([this, machine](StreamId, const rec::Image& row) {
        images[row.image] = {std::string(row.path), std::string(row.build_id), machine, row.content};
    });
    handlers.on<rec::TakenBranch>([this](StreamId, const rec::TakenBranch& row) { branches.push_back(row); });
    handlers.on<rec::ExecutedRange>([this](StreamId, const rec::ExecutedRange& row) { ranges.push_back(row); });
    handlers.on<rec::BranchStacks>([this](StreamId, const rec::BranchStacks& row) { account = row; });
}

void BranchRows::end(const rec::ScanReport&) {
    if (account.stacks == 0 && branches.empty() && ranges.empty()) {
        images.clear();
    }
}

}  // namespace kymo::spacetime
