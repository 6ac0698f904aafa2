// The unwinder under test, run for another process: registers from ptrace, the copied stack as its memory, and tables
// compiled from the images mapped there.
//
// The unwinder reads an image where it is mapped: call-frame sections when it compiles them, code when it has to
// recover without them. So every image of the other process is copied into this one, to the same addresses. Those
// must be free here: the traced program is given the other kind of address-space layout than this process has
// (traced_process.h).
#pragma once

#include "call_path.h"
#include "memory_copy.h"
#include "unwind/walk.h"

#include <deque>
#include <span>
#include <vector>

namespace kymo::oracle {

class KymoWalker {
  public:
    explicit KymoWalker(MemoryCopy& memory);
    ~KymoWalker();
    KymoWalker(const KymoWalker&) = delete;
    KymoWalker& operator=(const KymoWalker&) = delete;

    // The stack pointers of frames behind one that was recovered without call-frame information are not told (0).
    CallPath walk(const Registers& registers);
    void forget_images();  // the process has mapped or unmapped code

  private:
    struct ImageCopy {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    static bool describe(void* self, std::uint64_t address, image::Arena& arena, image::LoadedImage* image);
    static bool find_stack(void* self, std::uint64_t sp, unwind::MemoryView* view);
    bool copy_image(std::uint64_t begin, std::uint64_t end);
    void add_stack_pointers(const unwind::Registers& start, unwind::MemoryView stack, CallPath& path);

    MemoryCopy& memory_;
    unwind::ImageSet images_;
    unwind::StackFinder other_stacks_;
    std::vector<ImageCopy> copies_;
    std::deque<std::vector<std::byte>> stacks_;  // other than the current one, as far as this walk came there
};

}  // namespace kymo::oracle
