#include "import/paths/sample_paths.h"

#include "import/native.h"
#include "import/paths/switched_stacks.h"

#include <algorithm>
#include <linux/perf_event.h>

namespace kymo::import {
namespace {

namespace rec = recording;

// Frames from the system call outwards in which the function of the C library is looked for.
constexpr std::size_t kMostCallFrames = 8;
constexpr std::uint64_t kFutexValue = 2;  // index of the argument: the value that the word has

// Where the chain has the last frame of the path; chain.size(): nowhere.
std::size_t place_of_last(std::span<const Frame> path, std::span<const Frame> chain) {
    // A handler's return was not called: the chain takes one off its address all the same.
    const auto is_same = [](const Frame& one, const Frame& linked) {
        return one.image == linked.image && one.image != 0 &&
               (one.offset == linked.offset || one.offset == linked.offset + 1);
    };
    // Recursion repeats a frame: its place in the chain is by how often the path has met it.
    const Frame& last = path.back();
    auto met = std::count_if(path.begin(), path.end(), [&](const Frame& one) { return is_same(one, last); });
    const auto place = std::find_if(chain.begin(), chain.end(),
                                    [&](const Frame& linked) { return is_same(last, linked) && --met == 0; });
    return static_cast<std::size_t>(place - chain.begin());
}

}  // namespace

bool join_chain(std::vector<Frame>& walked, std::span<const Frame> chain) {
    constexpr std::size_t kMostInterrupted = 1;  // frames of the path that the chain lacks at its end
    for (std::size_t lacks = 0; lacks <= kMostInterrupted && lacks + 1 < walked.size(); ++lacks) {
        const std::size_t place = place_of_last(std::span(walked).first(walked.size() - lacks), chain);
        if (place != chain.size()) {
            const auto outer = chain.subspan(place + 1);
            walked.insert(walked.end(), outer.begin(), outer.end());
            return !outer.empty();
        }
    }
    return false;
}

FoundPath SamplePaths::find(Process& process, const perf::Sample& row) {
    FoundPath found;
    find_kernel(process, row);
    found.kernel = in_kernel_;
    const bool has_stack = !row.user_stack.empty() && row.user_registers.abi != 0;
    if (has_stack && is_own_machine_) {
        found.registers = registers_of(row.user_registers);
        walk_stack(process, row.user_stack, &found);
    }
    const bool is_walked = !found.frames.empty();
    const bool is_switch = is_walked && other_frame_ != 0;
    if (is_walked && ((found.end == rec::PathEnd::kComplete && !is_switch) || row.callchain.empty())) {
        return found;
    }
    found.is_of_other = has_stack && !is_walked;
    const rec::PathEnd end = find_chain(process, row);
    if (is_walked && end == rec::PathEnd::kComplete &&
        (is_switch ? leave_switch(process, row, found) : join_chain(walked_, chain_))) {
        found.frames = walked_;
        found.end = end;
        found.recovered = true;
        return found;
    }
    if (!is_walked || (!is_switch && end == rec::PathEnd::kComplete && chain_.size() > found.frames.size())) {
        found.frames = chain_;
        found.end = end;
        found.recovered = false;
    }
    return found;
}

FoundPath SamplePaths::find(Process& process, const Sleeper& sleeper) {
    FoundPath found;
    unwind::Registers& registers = found.registers.emplace();
    for (std::size_t i = 0; i < sleeper.arguments.size(); ++i) {
        registers.general.at(native::kCallArguments.at(i)) = sleeper.arguments.at(i);
    }
    registers.pc = sleeper.program_counter;
    registers.set_sp(sleeper.stack_pointer);
    found.call = sleeper.call;
    walk_stack(process, sleeper.stack, &found);
    return found;
}

void SamplePaths::find_kernel(Process& process, const perf::Sample& row) {
    in_kernel_.clear();
    bool is_kernels = false;
    bool is_first = true;
    for (const std::uint64_t entry : row.callchain) {
        if (entry >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
            is_kernels = entry == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
            is_first = true;
            continue;
        }
        const std::uint64_t address = is_first ? entry : entry - 1;
        is_first = false;
        if (const auto offset = is_kernels ? kernel_.offset_at(address) : std::nullopt) {
            in_kernel_.push_back({process.code.kernel(kernel_.build_id()), *offset});
        }
    }
}

void SamplePaths::walk_stack(Process& process, std::span<const std::uint8_t> stack, FoundPath* found) {
    walked_.clear();
    if (!found->registers) {
        return;
    }
    if (process.walker == nullptr) {
        process.walker = std::make_unique<StackWalker>();
        process.walked = 0;
    }
    const std::vector<LoadedImage>& images = process.code.images;
    for (; process.walked < images.size(); ++process.walked) {
        const LoadedImage& image = images[process.walked];
        if (const MappedFile* file = image.file.empty() ? nullptr : files_.mapped(image.file); file != nullptr) {
            process.walker->add(*file, image.bias);
        }
    }
    const WalkedPath walked = process.walker->walk(*found->registers, stack);
    for (const std::uint64_t address : walked.addresses) {
        const MappedImage place = process.space.at(address);
        walked_.push_back({place.image, address - place.bias});
    }
    found->frames = walked_;
    found->end = walked.end;
    found->recovered = walked.recovered;
    found->stack_needed = walked.needed;
    other_frame_ = walked.other_frame;
}

rec::PathEnd SamplePaths::find_chain(const Process& process, const perf::Sample& row) {
    chain_.clear();
    bool is_users = true;
    bool is_lost = false;
    // The innermost frame is where the thread was. What follows it must be code: without frame pointers the
    // kernel takes for return addresses whatever it finds.
    const auto add = [&](std::uint64_t address) {
        const MappedImage mapped = process.space.at(address);
        is_lost = !mapped.is_code && !chain_.empty();
        if (!is_lost) {
            chain_.push_back({mapped.image, address - mapped.bias});
        }
    };
    for (const std::uint64_t entry : row.callchain) {
        if (entry >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
            is_users = entry == static_cast<std::uint64_t>(PERF_CONTEXT_USER);
            continue;
        }
        if (!is_users || entry == 0 || is_lost) {
            continue;
        }
        // Behind the innermost frame are return addresses, which belong to the call before them.
        add(chain_.empty() ? entry : entry - 1);
    }
    const bool is_in_user = row.mode == perf::Mode::kUser || row.mode == perf::Mode::kUnknown;
    if (chain_.empty() && is_in_user && row.ip != 0) {
        add(row.ip);
    }
    return is_lost ? rec::PathEnd::kUnmapped : chain_.size() > 1 ? rec::PathEnd::kComplete : rec::PathEnd::kNotWalked;
}

// Adds to a walked path that ends at a function that moves to another stack what the chain has behind it, and the
// caller that the chain lacks there. False: the chain does not lead to an outermost function.
bool SamplePaths::leave_switch(const Process& process, const perf::Sample& row, const FoundPath& found) {
    std::size_t place = place_of_last(walked_, chain_);
    if (place == chain_.size()) {
        // Code without frame pointers (C that Go has called) lies before it. Its rules say what the frame pointer
        // was.
        const auto stack = unwind::MemoryView::copied(found.registers->sp(), row.user_stack);
        const std::uint64_t frame = found.registers->general.at(unwind::native::Arch::Rules::kPreserved[0]);
        place = records_between(stack, frame, other_frame_).value_or(place);
    }
    const MappedFile* const outermost = place + 1 < chain_.size() ? file_of(process, chain_.back()) : nullptr;
    if (outermost == nullptr || !is_outermost(*outermost, chain_.back().offset)) {
        return false;
    }
    const Frame last = walked_.back();
    const Frame next = chain_[place + 1];
    const MappedFile* const file = next.image == last.image ? file_of(process, last) : nullptr;
    const auto caller = file == nullptr ? CallerBetween() : caller_between(*file, last.offset, next.offset);
    // A function that does not return hands its goroutine over, which may run on in another thread by now.
    if (caller.is_denied && found.end == rec::PathEnd::kComplete) {
        return false;
    }
    if (caller.offset) {
        walked_.push_back({last.image, *caller.offset});
    }
    walked_.insert(walked_.end(), chain_.begin() + static_cast<std::ptrdiff_t>(place + 1), chain_.end());
    return true;
}

const MappedFile* SamplePaths::file_of(const Process& process, const Frame& frame) const {
    const LoadedImage* const image = image_of(process, frame);
    return image == nullptr || image->file.empty() ? nullptr : files_.mapped(image->file);
}

const LoadedImage* SamplePaths::image_of(const Process& process, const Frame& frame) {
    const std::vector<LoadedImage>& images = process.code.images;
    return frame.image == 0 || frame.image > images.size() ? nullptr : &images[frame.image - 1];
}

std::optional<BlockingCall> SamplePaths::blocking_call_of(const Process& process, const FoundPath& path) {
    if (!path.registers || path.frames.empty()) {
        return std::nullopt;
    }
    const MappedFile* const file = file_of(process, path.frames.front());
    if (file == nullptr) {
        return std::nullopt;
    }
    const auto number =
        path.call ? path.call : number_of_call(file->bytes_before(path.frames.front().offset, kCallCode));
    if (!number) {
        return std::nullopt;
    }
    std::array<std::uint64_t, 4> arguments{};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        arguments.at(i) = path.registers->general.at(native::kCallArguments.at(i));
    }
    auto call = blocking_call(*number, arguments);
    if (!call || call->kind != rec::WaitKind::kFutex) {
        return call;
    }
    bool is_in_library = false;
    for (std::size_t i = 0; i < std::min(path.frames.size(), kMostCallFrames); ++i) {
        const LoadedImage* const image = image_of(process, path.frames[i]);
        const auto kind = image == nullptr || image->file.empty()
                              ? std::nullopt
                              : wait_calls_.at(image->file, path.frames[i].offset);
        if (kind) {
            call->kind = *kind;
            is_in_library = true;
        } else if (is_in_library) {
            break;  // what called that function
        }
    }
    if (call->kind == rec::WaitKind::kCondition) {
        // glibc waits at one of two neighbouring words, by turns.
        constexpr std::uint64_t kWords = 8;
        call->object = call->object / kWords * kWords;
    } else if (call->kind == rec::WaitKind::kJoin) {
        // The word is the joined thread's number, as long as it lives.
        call->holder = static_cast<std::uint32_t>(arguments.at(kFutexValue));
        call->object = 0;
    }
    return call;
}

}  // namespace kymo::import
