#include "unwind/walk.h"

#include "unwind/walker.h"

#include <cerrno>

namespace kymo::unwind {

bool leave(ImageSet& images, const Registers& start, const MemoryView& stack, bool (*inside)(ImageId),
           Registers* caller) {
    return Walker<native::Arch>(images, start, Start::kInterrupted, stack, nullptr).leave(inside, caller);
}

WalkResult walk(ImageSet& images, const Registers& start, Start kind, const MemoryView& stack, std::span<Frame> out,
                const StackFinder* other_stacks) {
    const int saved = errno;
    Walker<native::Arch> state(images, start, kind, stack, other_stacks);
    const WalkResult result = state.run(out);
    errno = saved;
    return result;
}

}  // namespace kymo::unwind
