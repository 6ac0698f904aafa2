#include "hooks/guest/notice_loading.h"

#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"
#include "hooks/native.h"
#include "image/arena.h"
#include "image/describe.h"

#include <cstring>
#include <sys/mman.h>

namespace kymo::hooks {

Problem notice_loading(HookTable& table, std::uint32_t hook, Areas& areas) {
    static constinit PlanEntry plan{};
    const std::uint64_t at = debugger_function();
    image::LoadedImage linker;
    image::Arena scratch;
    if (at == 0 || !image::describe_image_at(at, scratch, &linker) || !linker.is_code(at)) {
        scratch.release();
        return Problem::kNoLoading;
    }
    scratch.release();
    // `ret`, perhaps behind an endbr64, and padding up to the next function's address.
    constexpr std::uint8_t kEndbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const auto* code = reinterpret_cast<const std::uint8_t*>(at);
    const std::uint64_t into = std::memcmp(code, kEndbr, sizeof kEndbr) == 0 ? sizeof kEndbr : 0;
    if (at % 16 != 0 || code[into] != 0xc3) {
        return Problem::kNoLoading;
    }
    for (std::uint64_t i = into + 1; i < kJumpBytes; ++i) {
        const bool padding = code[i] == 0x66 || code[i] == 0x0f || code[i] == 0x90 || code[i] == 0xcc ||
                             code[i] == 0x2e || code[i] == 0x1f || code[i] == 0x84 || code[i] == 0;
        if (!padding) {
            return Problem::kNoLoading;
        }
    }
    plan.original_bytes = kJumpBytes;
    plan.moved[0] = 0xc3;
    plan.moved_bytes = 1;
    plan.instructions = 1;
    const std::uint64_t bytes = kAreaHead + hook_bytes(1);
    std::uint8_t* begin = Areas::map(bytes, linker.range);
    if (begin == nullptr) {
        return Problem::kNoRoom;
    }
    const auto area = reinterpret_cast<std::uint64_t>(begin);
    write_area_head(begin);
    CodeWriter writer(begin + kAreaHead);
    write_entry(writer, area, hook);
    table.code(hook) = {area + kAreaHead, reinterpret_cast<std::uint64_t>(writer.at()), at, &plan};
    writer.bytes({0xc3});
    table.hook(hook).continuation = table.code(hook).moved;
    table.hook(hook).tells_images = true;
    if (!areas.publish({{area, area + bytes}, &table.code(hook), 1}) ||
        !protect({at, at + kJumpBytes}, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        return Problem::kNoCode;
    }
    write_jump(reinterpret_cast<std::uint8_t*>(at), table.code(hook).entry);
    protect({at, at + kJumpBytes}, PROT_READ | PROT_EXEC);
    return Problem::kNone;
}

}  // namespace kymo::hooks
