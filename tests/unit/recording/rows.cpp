#include "rows.h"

#include <memory>

namespace kymo::testing {

using namespace recording;

Result<ScanReport> gather(const File& file, RowsByStream& rows) {
    std::vector<std::unique_ptr<AnyHandler>> handlers;
    std::vector<AnyHandler*> all;
    for_each_row_type([&]<typename Row>() {
        auto keep = [&rows](StreamId stream, const Row& row) { rows[raw(stream)].push_back(describe(row)); };
        handlers.push_back(std::make_unique<RowHandler<Row, decltype(keep)>>(keep));
        all.push_back(handlers.back().get());
    });
    return file.scan_with(all);
}

}  // namespace kymo::testing
