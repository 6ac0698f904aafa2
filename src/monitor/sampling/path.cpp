#include "monitor/sampling/path.h"

#include "monitor/interpose/raw_system_calls.h"
#include "monitor/openmp/team_state.h"
#include "monitor/process/images.h"
#include "monitor/process/process.h"
#include "monitor/python/python.h"
#include "monitor/sampling/second_look.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"

#include <signal.h>
#include <sys/auxv.h>

namespace kymo::monitor {

namespace {

constexpr std::size_t kMostRunTimes = 4;
constinit std::atomic<std::uint32_t> run_times[kMostRunTimes]{};  // image ids; 0: free

// In place of a frame: the frames outward of it are a context of another stream. No image has this id.
constexpr ImageId kJoin{0xffffffffU};
constexpr unsigned kContextBits = 22;
static_assert(ContextTree::kMaxNodes <= 1U << kContextBits);
constexpr std::uint64_t kIsFunction = std::uint64_t{1} << 47U;  // no offset has it

unwind::Frame join_frame(StreamId stream, ContextId context) {
    return {kJoin, (static_cast<std::uint64_t>(raw(stream)) << kContextBits) | raw(context), 0};
}

bool is_run_time(ImageId image) {
    for (const auto& known : run_times) {
        const std::uint32_t id = known.load(std::memory_order_relaxed);
        if (id == 0) {
            return false;
        }
        if (id == raw(image)) {
            return true;
        }
    }
    return false;
}

// As it was when the kernel interrupted the thread (which may have disarmed it since: SS_AUTODISARM); outside the
// handler, as it is now.
StackBounds alternate_stack(const ThreadState& thread) {
    stack_t now{};
    if (thread.alternate.high != 0 || &thread != this_thread() || sigaltstack(nullptr, &now) != 0 ||
        (now.ss_flags & SS_DISABLE) != 0) {
        return thread.alternate;
    }
    const auto low = reinterpret_cast<std::uint64_t>(now.ss_sp);
    return {low, low + now.ss_size};
}

// The stacks of one path.
struct Stacks {
    static constexpr unsigned kMostCopies = 4;  // of 64 KiB and some 10 µs each
    ThreadState& thread;
    unsigned copies = 0;

    // From there (and the red zone) upwards, as far as it is readable; empty if nothing is, or too much has been
    // copied.
    unwind::MemoryView copy(std::uint64_t pointer) {
        unwind::MemoryView view;
        if (copies++ < kMostCopies) {
            view = unwind::copy_memory(pointer - unwind::native::kRedZone, thread.copied_stack);
            // Below the lowest page of a stack is often nothing readable.
            view = view.end() > pointer ? view : unwind::copy_memory(pointer, thread.copied_stack);
        }
        return view;
    }
};

// A stack from a stack pointer in it, and the red zone, up to its end.
unwind::MemoryView live_from(std::uint64_t pointer, const StackBounds& bounds) {
    const std::uint64_t below = pointer - bounds.low;
    return unwind::MemoryView::live(pointer - (below < unwind::native::kRedZone ? below : unwind::native::kRedZone),
                                    bounds.high);
}

// The stack of a stack pointer, if it is not the one on which the walk began.
bool find_stack(void* context, std::uint64_t pointer, unwind::MemoryView* view) {
    auto& stacks = *static_cast<Stacks*>(context);
    const ThreadState& thread = stacks.thread;
    if (thread.stack.holds(pointer)) {
        *view = live_from(pointer, thread.stack);
        return true;
    }
    if (const StackBounds alternate = alternate_stack(thread); alternate.holds(pointer)) {
        *view = live_from(pointer, alternate);
        return true;
    }
    // A coroutine's, or one that the program made: its end is not known, so all that is readable is copied.
    *view = stacks.copy(pointer);
    return view->begin() != view->end();
}

// Inward of the monitor's frames: its reading of a clock (the kernel's shared page, and the C library's function
// before it), and the C library's syscall().
constexpr std::size_t kClockFrames = 2;
bool is_clock(std::uint64_t address) {
    constexpr std::uint64_t kShared = 8192;
    return address - getauxval(AT_SYSINFO_EHDR) < kShared;
}
bool is_system_call(std::uint64_t address) {
    constexpr std::uint64_t kFunction = 64;
    return address - reinterpret_cast<std::uint64_t>(kymo_next_syscall) < kFunction;
}

struct Walked {
    std::size_t frames = 0;
    std::size_t cut = 0;  // number of frames inward of the outermost frame of a run time
    bool has_cut = false;
    unwind::WalkResult result;
};

// The walk into `out`, and the rest of it. Frames of a run time stay if they are the innermost.
Walked walk(Stacks& stacks, const unwind::Registers& registers, const unwind::MemoryView& stack,
            std::span<unwind::Frame> out) {
    const unwind::StackFinder others{&stacks, find_stack};
    Walked walked;
    walked.result = unwind::walk(images, registers, unwind::Start::kInterrupted, stack, out, &others);
    bool in_program = false;
    for (const unwind::Frame& frame : out.first(walked.result.count)) {
        if (raw(own_image()) != 0 && frame.image == own_image()) {
            // What the monitor calls beside a call of the program's, or to make it, is not the program's place.
            if ((walked.frames > 0 && walked.frames <= kClockFrames && is_clock(out[0].address)) ||
                (walked.frames == 1 && is_system_call(out[0].address))) {
                walked.frames = 0;
                in_program = false;
            }
            continue;
        }
        if (is_run_time(frame.image)) {
            if (!in_program) {
                out[walked.frames++] = frame;
            }
            walked.cut = walked.frames;
            walked.has_cut = true;
            continue;
        }
        in_program = true;
        out[walked.frames++] = frame;
    }
    return walked;
}

Walked walk_own(Stacks& stacks, const unwind::Registers& registers, std::span<unwind::Frame> out) {
    unwind::MemoryView stack;
    find_stack(&stacks, registers.sp(), &stack);
    return walk(stacks, registers, stack, out);
}

Walked walk_construct(Stacks& stacks, const Region& region, std::span<unwind::Frame> out) {
    const std::uint64_t sp = region.registers.sp();
    const unwind::MemoryView stack =
        region.stack_high != 0 ? unwind::MemoryView::live(sp, region.stack_high) : stacks.copy(sp);
    return walk(stacks, region.registers, stack, out);
}

// A path in the making: frames at the beginning of `room`, leaf first.
struct Joined {
    std::size_t frames = 0;
    unwind::WalkResult result;  // of the outermost part
};

// Continues with the construct of `joint`, and of those around it. The last frame names the stack's stream.
Joined join(Stacks& stacks, const Walked& inner, const Region* joint, std::span<unwind::Frame> room) {
    Joined path{inner.frames, inner.result};
    Walked last = inner;
    std::size_t begin = 0;  // of the part walked last
    StreamId owner = stacks.thread.stream;
    while (joint != nullptr && last.has_cut && last.result.end == unwind::PathEnd::kComplete) {
        begin += last.cut;
        last = walk_construct(stacks, *joint, room.subspan(begin));
        path.frames = begin + last.frames;
        path.result.end = last.result.end;
        path.result.recovered = path.result.recovered || last.result.recovered;
        owner = joint->stream;
        joint = joint->joint;
    }
    if (owner != stacks.thread.stream && path.frames < room.size()) {
        room[path.frames++] = join_frame(owner, ContextId{0});
    }
    return path;
}

// Puts Python's functions on a path; its length then. What another thread's stack has of them is not this thread's to
// read.
std::size_t name_python(const ThreadState& thread, std::span<unwind::Frame> room, std::size_t frames) {
    const bool is_own = &thread == this_thread() && frames > 0 && room[frames - 1].image != kJoin;
    return python_frames.on() && is_own ? python_frames.replace(room, frames) : frames;
}

// The key by which recursion is recognised: the function around a frame, or the frame itself if none is known.
std::uint64_t function_of(const unwind::Frame& frame) {
    const std::uint64_t key = ContextTree::key_of(frame);
    if (std::uint64_t first = 0; PythonFrames::is_function(frame, &first)) {
        return ContextTree::key_of({frame.image, first, 0});
    }
    if (frame.image == kJoin || raw(frame.image) == 0) {
        return key;
    }
    const unwind::Table* table = images.entry(frame.image).table.load(std::memory_order_acquire);
    std::uint64_t begin = 0;
    return table != nullptr && table->function_at(frame.offset, &begin) ? key ^ frame.offset ^ begin ^ kIsFunction
                                                                        : key;
}

// Enters a path and writes the new nodes.
ContextTree::Entered enter(ThreadState& thread, std::span<const unwind::Frame> path) {
    return thread.tree.enter(path, function_of,
                             [&](ContextId id, ContextId parent, const unwind::Frame& frame, bool dropped) {
                                 recording::Context row;
                                 row.context = raw(id);
                                 row.parent = raw(parent);
                                 if (frame.image == kJoin) {
                                     recording::Join whose;
                                     whose.context = raw(id);
                                     whose.stream = frame.offset >> kContextBits;
                                     whose.joined = frame.offset & ((1U << kContextBits) - 1);
                                     return thread.writer.append(row) && thread.writer.append(whose);
                                 }
                                 row.image = raw(frame.image);
                                 row.offset = frame.offset;
                                 recording::OuterDropped without;
                                 without.context = raw(id);
                                 return thread.writer.append(row) && (!dropped || thread.writer.append(without));
                             });
}

std::uint64_t flags_of(const ContextTree::Entered& entered, unwind::PathEnd end) {
    return (entered.dropped ? static_cast<std::uint64_t>(recording::PathEnd::kNoRoom)
                            : static_cast<std::uint64_t>(end)) |
           (entered.folded ? recording::kFoldedRecursion : 0);
}

unwind::Frame frame_at(std::uint64_t pc) {
    const unwind::ImageSet::Lookup found = images.rule_at(pc);
    const bool known = found.image != nullptr && raw(found.id) != 0;
    return {found.id, known ? pc - found.image->bias : pc, pc};
}

}  // namespace

Path path_from_signal(ThreadState& thread, const unwind::Registers& registers) {
    const std::span room = thread.frames();
    Stacks stacks{thread};
    const Walked own = walk_own(stacks, registers, room);
    Joined joined = join(stacks, own, thread.team.known_joint(), room);
    joined.frames = name_python(thread, room, joined.frames);
    Path path;
    path.kept = !second_look.on() || second_look.passes(room.first(joined.frames));
    path.is_faster = speed_up.on() && speed_up.passes(room.first(joined.frames));
    const auto entered = enter(thread, room.first(joined.frames));
    path.leaf = entered.leaf;
    path.flags = flags_of(entered, joined.result.end) | (joined.result.recovered ? recording::kRecoveredFrame : 0);
    return path;
}

Path path_from_address(ThreadState& thread, std::uint64_t pc) {
    const unwind::Frame frame = frame_at(pc);
    Path path;
    if (raw(frame.image) != 0 && frame.image == own_image()) {
        // A call of the program's that the monitor replaces: its caller is not known any more.
        path.flags = static_cast<std::uint64_t>(unwind::PathEnd::kNotWalked);
        return path;
    }
    path.is_faster = speed_up.on() && speed_up.passes({&frame, 1});
    const auto entered = enter(thread, {&frame, 1});
    path.leaf = entered.leaf;
    path.flags = flags_of(entered, unwind::PathEnd::kNotWalked);
    return path;
}

namespace {

// A walk needs two kilobytes of stack and, at a new image, more: on the calling thread's own.
template <typename Work>
auto elsewhere(const Work& work) {
    const ThreadState* here = this_thread();
    decltype(work()) result{};
    on_own_stack(here == nullptr ? 0 : here->own_stack_top, [&] { result = work(); });
    return result;
}

ContextId enter_walked(ThreadState& thread, const unwind::Registers& registers) {
    if (!announce(thread)) {
        return ContextId{0};
    }
    // It is not known how long another thread's regions will last.
    const Region* joint = &thread == this_thread() ? thread.team.known_joint() : nullptr;
    const std::span<unwind::Frame> room = thread.frames();
    Stacks stacks{thread};
    const Joined joined = join(stacks, walk_own(stacks, registers, room), joint, room);
    return enter(thread, room.first(name_python(thread, room, joined.frames))).leaf;
}

ContextId enter_walked_construct(ThreadState& thread, const Region& region) {
    if (!announce(thread)) {
        return ContextId{0};
    }
    const std::span<unwind::Frame> room = thread.frames();
    Stacks stacks{thread};
    const Walked construct = walk_construct(stacks, region, room);
    Joined joined = join(stacks, construct, region.joint, room);
    if (region.joint == nullptr && region.stream != thread.stream && joined.frames < room.size()) {
        room[joined.frames++] = join_frame(region.stream, ContextId{0});
    }
    return enter(thread, room.first(name_python(thread, room, joined.frames))).leaf;
}

bool leave(ThreadState& thread, const unwind::Registers& here, bool (*inside)(ImageId), unwind::Registers* caller) {
    unwind::MemoryView stack;
    Stacks stacks{thread};
    find_stack(&stacks, here.sp(), &stack);
    return unwind::leave(images, here, stack, inside, caller);
}

}  // namespace

ContextId enter_own_path(ThreadState& thread, const unwind::Registers& registers) {
    return elsewhere([&] { return enter_walked(thread, registers); });
}

ContextId enter_construct(ThreadState& thread, const Region& region) {
    return elsewhere([&] { return enter_walked_construct(thread, region); });
}

std::uint64_t innermost_of(ThreadState& thread, const unwind::Registers& registers, std::uint64_t begin,
                           std::uint64_t end, std::uint64_t otherwise) {
    const std::span<unwind::Frame> room = thread.frames();
    Stacks stacks{thread};
    const Walked walked = walk_own(stacks, registers, room);
    for (const unwind::Frame& frame : room.first(walked.frames)) {
        if (frame.address - begin < end - begin) {
            return frame.address;
        }
    }
    return otherwise;
}

ContextId enter_joined(ThreadState& thread, StreamId stream, ContextId context) {
    if (raw(stream) == 0 || raw(context) == 0 || !announce(thread)) {
        return ContextId{0};
    }
    if (stream == thread.stream) {
        return context;
    }
    const unwind::Frame frame = join_frame(stream, context);
    return enter(thread, {&frame, 1}).leaf;
}

bool caller_registers(ThreadState& thread, const unwind::Registers& here, unwind::Registers* caller) {
    return elsewhere([&] { return leave(thread, here, [](ImageId image) { return image == own_image(); }, caller); });
}

bool construct_registers(ThreadState& thread, const unwind::Registers& here, unwind::Registers* caller) {
    return leave(thread, here, [](ImageId image) { return image == own_image() || is_run_time(image); }, caller);
}

void note_openmp_runtime(std::uint64_t address) {
    const ImageId image = images.add_at(address);
    if (raw(image) == 0 || is_run_time(image)) {
        return;
    }
    for (auto& place : run_times) {
        std::uint32_t free = 0;
        if (place.compare_exchange_strong(free, raw(image))) {
            return;
        }
    }
}

}  // namespace kymo::monitor
