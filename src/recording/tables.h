// The tables Kymo itself writes and reads. Any producer may add others: readers list and skip them.
//
// All times are nanoseconds of the file's clock domain. "Stream" alone is the stream
// that the chunk segment belongs to (see docs/recording-format.md).
#pragma once

#include "recording/tables/events.h"   // IWYU pragma: export
#include "recording/tables/exact.h"    // IWYU pragma: export
#include "recording/tables/hunts.h"    // IWYU pragma: export
#include "recording/tables/images.h"   // IWYU pragma: export
#include "recording/tables/looks.h"    // IWYU pragma: export
#include "recording/tables/run.h"      // IWYU pragma: export
#include "recording/tables/samples.h"  // IWYU pragma: export
#include "recording/tables/streams.h"  // IWYU pragma: export
#include "recording/tables/tasks.h"    // IWYU pragma: export
#include "recording/tables/waits.h"    // IWYU pragma: export
