// A hunt on a program: everything `kymo hunt` does except printing.
//
// Makes the rule, chooses the engine, and records the program (launch/record.h) with the hunt's file beside the
// session. Its results are rows of the recording (recording/tables.h: hunt, find, find-end, hunt-end); no samples
// of the hunted event are kept. Errors are found before the program starts.
#pragma once

#include "base/result.h"
#include "launch/record.h"
#include "pairs/design/exact.h"
#include "pairs/design/wish.h"
#include "recording/tables.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::hunt {

enum class Engine : std::uint8_t { kAutomatic, kProgram, kKernel };

struct HuntOptions {
    launch::RecordOptions run;  // its events are counted beside the hunt
    std::string event;          // as for -e
    pairs::Wish wish;
    recording::HuntKey key = recording::HuntKey::kInstruction;
    Engine engine = Engine::kAutomatic;
    std::uint32_t seed = 1;
    // Called just before the program starts; may be empty.
    std::function<void(const pairs::Promise&, bool kernel)> on_start;
};

struct HuntOutcome {
    launch::RecordOutcome run;
    pairs::Promise promise;
    bool kernel = false;
    std::string note;  // why the kernel's engine was not used, if it was tried; one line, or empty
};

// The key's name on the command line and in JSON: instruction, image, call-site, data-page, data-line, function,
// line, block.
std::string_view key_name(recording::HuntKey key);
std::optional<recording::HuntKey> key_named(std::string_view name);

Result<HuntOutcome> hunt(const HuntOptions& options);

}  // namespace kymo::hunt
