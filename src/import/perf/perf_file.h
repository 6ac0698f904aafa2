// Files of `perf record`: their records, in time order, to a visitor.
#pragma once

#include "base/result.h"
#include "import/perf/visitor.h"

#include <filesystem>
#include <functional>

namespace kymo::import::perf {

// Called now and then with the share that is done, 0 to 1.
using Progress = std::function<void(double)>;

// Reads the file, or standard input if the path is "-". Of a directory that `perf record --kcore` made, its file.
//
// The records come in the order of their times; those of equal time in the file's order; those without a time (the
// processes that were there before, for instance) therefore first. begin() already gets all that is known about the
// file, notices among it; the result adds those that came up later.
//
// Any bytes are safe, also those that others change meanwhile: what makes no sense ends the reading there, with a
// notice, or is left out and counted.
//
// Cost: the file is gone through twice, the records are sorted between; of a copied stack only what the visitor looks
// at is read. Memory: 16 bytes a record, 32 while that grows; at most 68 MiB of the file are mapped, and as much
// again of decompressed bytes; for these a window of at most 128 MiB. A pipe, a file that cannot be mapped and the
// contents of compressed records go into unlinked files below $TMPDIR (/tmp); where they have the same time,
// compressed records come after the others.
//
// Limits. More is an error: 2^28 records; 16 GiB of a pipe; nine tenths of the room on the disk. More leaves a
// notice: 16 GiB of decompressed bytes, and 1,024 times the compressed ones plus 64 MiB.
//
// Errors: kNotFound, kPermission; kMalformed: not a perf.data file, damaged before its first record, or shorter when
// it has been read than before (the visitor has had records by then); kUnsupported: a directory of
// `perf record --threads`, a file of perf before 2.6.33; kNoSpace: a limit, or the system's.
Result<FileFacts> read_perf_data(const std::filesystem::path& path, Visitor& visitor, const Progress& progress = {});

}  // namespace kymo::import::perf
