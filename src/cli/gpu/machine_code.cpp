#include "cli/gpu/machine_code.h"

#include <cstdio>
#include <fmt/format.h>

namespace kymo::cli {

void MachineCode::add_to(CLI::App& app) {
    app.add_option("--machine-code", whence_,
                   "of PTX: issue as its machine code does, which ptxas makes (auto) or a cubin has (its file)")
        ->type_name("auto|FILE");
}

void say_estimated(const Error& why) {
    fmt::print(stderr, "kymo: {} ({})\n", why.what, why.next);
}

}  // namespace kymo::cli
