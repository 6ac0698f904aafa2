#include "cli/gpu/ptx_kernel.h"

#include <fmt/format.h>
#include <string_view>

namespace kymo::cli {

void PtxKernel::add_to(CLI::App& app) {
    app.add_option("--kernel", words_.kernel, "of a .ptx: the kernel, if there are several")->type_name("NAME");
    app.add_option("--grid", words_.grid, "of a .ptx: CTAs, as 64 or 8,8,1")
        ->type_name("X,Y,Z")
        ->capture_default_str();
    app.add_option("--block", words_.block, "of a .ptx: threads a CTA")->type_name("X,Y,Z")->capture_default_str();
    app.add_option("--shared", words_.shared, "of a .ptx: dynamic shared memory, bytes a CTA")->type_name("BYTES");
    app.add_option("--args", words_.arguments,
                   "of a .ptx: one word a parameter: 12, 0.5, f32[1000]=random, s32[64]=index, u8[9]=@FILE")
        ->type_name("WORD…");
    app.add_option("--check", words_.checks,
                   "of what is executed here: initialised, races, barriers, or several with commas")
        ->type_name("CHECKS");
}

void PtxKernel::add_values_to(CLI::App& app) {
    app.add_flag("--values", words_.values,
                 "of what is executed here: also what each lane's registers held, before and after each instruction");
}

Result<std::unique_ptr<gpu::KernelSource>> PtxKernel::open(const std::filesystem::path& path, gpu::Extent extent,
                                                           bool warm, const gpu::Gpu* gpu) {
    words_.machine_code = machine_code_.whence();
    return file_.open(path, words_,
                      {extent, warm, gpu, [](std::string_view text) { fmt::print("{}", text); }, say_estimated});
}

int PtxKernel::finish() {
    int code = 0;
    for (const Error& found : file_.finish()) {
        code = fail(found);
    }
    return code;
}

}  // namespace kymo::cli
