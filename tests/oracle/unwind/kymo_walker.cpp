#include "kymo_walker.h"

#include "image/describe.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <string>
#include <sys/mman.h>

namespace kymo::oracle {

namespace {

constexpr std::uint64_t kPage = 4096;

unwind::MemoryView view_of(std::uint64_t begin, std::span<const std::byte> bytes) {
    return unwind::MemoryView::copied(begin, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// Where the image whose ELF header is mapped at `begin` ends, by its program headers; 0 where there is none.
std::uint64_t end_of_image(MemoryCopy& memory, std::uint64_t begin) {
    Elf64_Ehdr header;
    if (!memory.read(begin, std::as_writable_bytes(std::span{&header, 1})) ||
        !std::equal(header.e_ident, header.e_ident + SELFMAG, ELFMAG)) {
        return 0;
    }
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint64_t highest = 0;
    for (std::uint64_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!memory.read(begin + header.e_phoff + i * sizeof segment,
                         std::as_writable_bytes(std::span{&segment, 1}))) {
            return 0;
        }
        if (segment.p_type == PT_LOAD) {
            lowest = std::min(lowest, segment.p_vaddr & ~(kPage - 1));
            highest = std::max(highest, segment.p_vaddr + segment.p_memsz);
        }
    }
    return highest <= lowest ? 0 : begin + ((highest - lowest + kPage - 1) & ~(kPage - 1));
}

}  // namespace

KymoWalker::KymoWalker(MemoryCopy& memory) : memory_(memory), other_stacks_{this, find_stack} {
    unwind::ImageHooks hooks;
    hooks.context = this;
    hooks.describe = describe;
    if (!images_.create(hooks)) {
        std::fprintf(stderr, "no memory for an image set\n");
        std::abort();
    }
}

KymoWalker::~KymoWalker() {
    for (const ImageCopy& copy : copies_) {
        munmap(reinterpret_cast<void*>(copy.begin), copy.end - copy.begin);
    }
}

bool KymoWalker::describe(void* self, std::uint64_t address, image::Arena& arena, image::LoadedImage* image) {
    auto& walker = *static_cast<KymoWalker*>(self);
    const Mapping* mapping = walker.memory_.mapping_of(address);
    if (mapping == nullptr || mapping->path.empty() || (mapping->path[0] != '/' && mapping->path != "[vdso]")) {
        return false;
    }
    // The first of the mappings of this file that reaches up to here.
    while (mapping > walker.memory_.mappings().data() && mapping[-1].path == mapping->path &&
           mapping->file_offset != 0) {
        mapping--;
    }
    const std::uint64_t end = end_of_image(walker.memory_, mapping->begin);
    return address < end && walker.copy_image(mapping->begin, end) &&
           image::describe_mapped_image({mapping->begin, end}, mapping->path, arena, image);
}

bool KymoWalker::copy_image(std::uint64_t begin, std::uint64_t end) {
    void* pages = mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (pages != reinterpret_cast<void*>(begin)) {
        std::fprintf(stderr, "the addresses of an image are taken in the tracing process\n");
        std::abort();
    }
    copies_.push_back({begin, end});
    for (const Mapping& mapping : memory_.mappings()) {
        const std::uint64_t low = std::max(begin, mapping.begin);
        const std::uint64_t high = std::min(end, mapping.end);
        if (low < high && mapping.readable) {
            memory_.copy_out(low, {reinterpret_cast<std::byte*>(low), high - low});
        }
    }
    return true;
}

void KymoWalker::forget_images() {
    images_.remove(0, ~std::uint64_t{0});
    for (const ImageCopy& copy : copies_) {
        munmap(reinterpret_cast<void*>(copy.begin), copy.end - copy.begin);
    }
    copies_.clear();
}

bool KymoWalker::find_stack(void* self, std::uint64_t sp, unwind::MemoryView* view) {
    auto& walker = *static_cast<KymoWalker*>(self);
    std::uint64_t begin = 0;
    walker.stacks_.push_back(walker.memory_.copy_stack(sp, begin));
    *view = view_of(begin, walker.stacks_.back());
    return !walker.stacks_.back().empty();
}

CallPath KymoWalker::walk(const Registers& registers) {
    unwind::Registers start;
    std::copy_n(registers.dwarf.begin(), start.general.size(), start.general.begin());
    start.pc = registers.pc();
    const unwind::MemoryView stack = view_of(memory_.stack_begin(), memory_.stack());
    std::array<unwind::Frame, kMaxFrames> frames;
    stacks_.clear();
    const unwind::WalkResult result =
        unwind::walk(images_, start, unwind::Start::kInterrupted, stack, frames, &other_stacks_);
    CallPath path;
    path.complete = result.end == unwind::PathEnd::kComplete || result.end == unwind::PathEnd::kTooDeep;
    path.why = "path end " + std::to_string(static_cast<int>(result.end)) + (result.recovered ? ", recovered" : "");
    for (std::uint32_t i = 0; i < result.count; i++) {
        path.frames.push_back({frames[i].address + (i == 0 ? 0 : 1), 0, i != 0});
    }
    add_stack_pointers(start, stack, path);
    return path;
}

// The walk tells look-up addresses only. So step along it once more, for the stack pointers and for which of the
// addresses are return addresses; the two must tell the same path.
void KymoWalker::add_stack_pointers(const unwind::Registers& start, unwind::MemoryView stack, CallPath& path) {
    unwind::native::Cursor cursor(start);
    bool is_return = false;
    for (PathFrame& frame : path.frames) {
        const unwind::ImageSet::Lookup found = images_.rule_at(cursor.pc() - (is_return ? 1 : 0));
        const unwind::ExtendedRule* rule = nullptr;
        if (unwind::kind_of(found.rule) == unwind::RuleKind::kExtended) {
            rule = found.image->kept_table->extended_of(found.rule);
        }
        // The trampoline of a signal is looked up at its own address.
        const std::uint64_t looked_up = cursor.pc() - (is_return && (rule == nullptr || !rule->signal_frame) ? 1 : 0);
        if (frame.pc - (frame.is_return ? 1 : 0) != looked_up) {
            path.why += ", the walk's address differs from the cursor's";
            return;
        }
        frame = {cursor.pc(), cursor.sp(), is_return};
        const auto step = [&] {
            unsigned operations = unwind::kMostOperations;
            return rule != nullptr ? cursor.step(*rule, *found.image->kept_table, stack, &operations)
                   : unwind::kind_of(found.rule) == unwind::RuleKind::kPlain ? cursor.step(found.rule, stack)
                                                                             : unwind::StepResult::kBadRule;
        };
        unwind::StepResult how = step();
        if (unwind::MemoryView other;
            how == unwind::StepResult::kOutsideStack && find_stack(this, cursor.missing(), &other)) {
            cursor.detach(stack);
            stack = other;
            how = step();
        }
        if (how != unwind::StepResult::kOk && how != unwind::StepResult::kSignal) {
            return;
        }
        is_return = how == unwind::StepResult::kOk;
    }
}

}  // namespace kymo::oracle
