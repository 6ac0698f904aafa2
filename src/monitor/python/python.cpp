#include "monitor/python/python.h"

#include "monitor/process/images.h"
#include "monitor/process/log.h"
#include "monitor/text.h"
#include "recording/tables/interpreted.h"

#include <cerrno>
#include <cstring>

// Of the program, or of a library that it is linked with: symbols that programs with an interpreter in them may use.
// Weak: nullptr in all other programs.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] const char* python_version() asm("Py_GetVersion");
[[gnu::weak, gnu::visibility("default")]] void* python_thread_state() asm("PyGILState_GetThisThreadState");
[[gnu::weak, gnu::visibility("default")]] extern char python_code_type[] asm("PyCode_Type");
[[gnu::weak, gnu::visibility("default")]] void python_evaluate() asm("_PyEval_EvalFrameDefault");
}

namespace kymo::monitor {

using python::Objects;

constinit PythonFrames python_frames;

std::uint64_t PythonFrames::evaluation_begin() {
    return reinterpret_cast<std::uint64_t>(&python_evaluate);
}

static_assert(unwind::ImageSet::kMaxImages < recording::kPythonImage);

namespace {

// "3.14.1 (main, …" up to the space; at most what fits.
char unknown_version[32];

recording::Unavailable unknown_python() {
    static char why[96];
    Text(why, sizeof why) << "of CPython " << unknown_version << " the structures are not known";
    recording::Unavailable row;
    row.what = "functions of Python on call paths";
    row.why = why;
    row.remedy = "run the program with CPython 3.8 to 3.13";
    return row;
}

}  // namespace

bool PythonFrames::begin() {
    if (python_version == nullptr || python_thread_state == nullptr || python_code_type == nullptr ||
        python_evaluate == nullptr) {
        return true;
    }
    const char* const version = python_version();
    layout_ = python::layout_of(version);
    if (layout_ != nullptr) {
        evaluation_end_ = evaluation_begin();
        process_log.write_to_new_files(
            [](recording::StreamWriter& rows) { python_frames.functions_.write_all(rows); });
        return true;
    }
    for (std::size_t i = 0; i + 1 < sizeof unknown_version && version[i] > ' '; ++i) {
        unknown_version[i] = version[i];
    }
    if (!process_log.is_short()) {
        process_log.write(unknown_python());
    }
    process_log.write_to_new_files([](recording::StreamWriter& rows) { rows.append(unknown_python()); });
    return true;
}

void PythonFrames::after_fork(ThreadState* /*own*/) {
    functions_.after_fork();
}

void PythonFrames::find_evaluation_end() {
    const unwind::ImageSet::Lookup found = images.rule_at(evaluation_begin());
    const unwind::Table* const table = found.image != nullptr ? found.image->table.load() : nullptr;
    std::uint64_t end = 0;
    if (table != nullptr && table->function_behind(evaluation_begin() - found.image->bias, &end)) {
        evaluation_end_ = end + found.image->bias;
    }
}

namespace {

// Greenlets continue on the stack that another one has left: the interpreter's chain of frames ends at their first
// function, the stack does not. The result: up to there.
std::size_t frames_of_coroutine(std::span<const unwind::Frame> path) {
    constexpr std::string_view kLibrary = "/_greenlet.";
    for (std::size_t i = 0; i < path.size(); ++i) {
        const image::LoadedImage* const image = raw(path[i].image) != 0 && raw(path[i].image) <= images.count()
                                                    ? images.entry(path[i].image).image
                                                    : nullptr;
        if (image != nullptr && image->path.find(kLibrary) != std::string_view::npos) {
            return i;
        }
    }
    return path.size();
}

}  // namespace

bool PythonFrames::is_function(const unwind::Frame& frame, std::uint64_t* first_offset) {
    *first_offset = frame.offset / recording::kInterpretedStep * recording::kInterpretedStep;
    return raw(frame.image) == recording::kPythonImage;
}

std::uint64_t PythonFrames::innermost(Objects& objects) const {
    const auto thread = reinterpret_cast<std::uint64_t>(python_thread_state());
    const std::size_t place = layout_->thread_frame;
    if (!objects.is_readable(thread, place + sizeof(std::uint64_t))) {
        return 0;
    }
    const std::uint64_t frame = Objects::word(thread, place);
    if (!layout_->has_cframe) {
        return frame;
    }
    const bool is_readable = objects.is_readable(frame, layout_->cframe_frame + sizeof(std::uint64_t));
    return is_readable ? Objects::word(frame, layout_->cframe_frame) : 0;
}

// Bytes behind the code's first instruction; before that, those of the first.
std::uint64_t PythonFrames::instruction(std::uint64_t frame, std::uint64_t code) const {
    if (layout_->instruction_step != 0) {
        const auto number = Objects::at<std::int32_t>(frame, layout_->frame_instruction);
        return number < 0 ? 0 : static_cast<std::uint64_t>(number) * layout_->instruction_step;
    }
    const std::uint64_t at = Objects::word(frame, layout_->frame_instruction);
    const std::uint64_t begin = code + layout_->code_instructions;
    return at < begin ? 0 : at - begin;
}

std::size_t PythonFrames::read(std::span<unwind::Frame> room) {
    Objects objects(*layout_);
    std::size_t count = 0;
    std::uint64_t frame = innermost(objects);
    for (bool is_innermost = true; frame != 0; is_innermost = false) {
        if (count == room.size() || !objects.is_readable(frame, layout_->frame_bytes)) {
            return 0;
        }
        const auto mark = Objects::at<std::uint8_t>(frame, layout_->frame_evaluation);
        const std::uint64_t code = Objects::word(frame, layout_->frame_code);
        const std::uint64_t previous = Objects::word(frame, layout_->frame_previous);
        if (layout_->evaluations == python::Evaluations::kStub && mark == python::kStubOwner) {
            if (count > 0) {
                room[count - 1].address = 1;
            }
        } else if (objects.is_readable(code, layout_->code_bytes) &&
                   Objects::word(code, layout_->object_type) == reinterpret_cast<std::uint64_t>(python_code_type)) {
            const std::uint64_t offset = functions_.find(*layout_, objects, code, instruction(frame, code));
            if (offset == 0) {
                return 0;
            }
            const bool is_last = layout_->evaluations == python::Evaluations::kEachFrame ||
                                 (layout_->evaluations == python::Evaluations::kEntry && mark != 0);
            room[count++] = {ImageId{recording::kPythonImage}, offset, is_last ? 1U : 0U};
        } else if (!is_innermost) {  // that one may be in the making
            return 0;
        }
        frame = previous;
    }
    return count;
}

std::size_t PythonFrames::evaluations_in(std::span<const unwind::Frame> path) const {
    std::size_t count = 0;
    for (const unwind::Frame& frame : path) {
        count += is_evaluation(frame) ? 1 : 0;
    }
    return count;
}

std::size_t PythonFrames::replace(std::span<unwind::Frame> room, std::size_t count) {
    if (evaluation_end_ == evaluation_begin()) {
        find_evaluation_end();
    }
    std::size_t evaluations = evaluations_in(room.first(count));
    if (evaluations == 0) {
        return count;
    }
    const int error = errno;
    // First behind the path; then at the end of the room, so that the path can grow up to there.
    std::size_t functions = read(room.subspan(count, (room.size() - count) / 2));
    errno = error;
    const std::span<unwind::Frame> source = room.last(functions);
    std::memmove(source.data(), room.data() + count, functions * sizeof(unwind::Frame));
    std::size_t groups = 0;
    for (const unwind::Frame& frame : source) {
        groups += frame.address;
    }
    std::size_t inner = count;  // frames of the stack whose functions are in the interpreter's chain
    if (groups != evaluations) {
        inner = frames_of_coroutine(room.first(count));
        evaluations = evaluations_in(room.first(inner));
    }
    // One more: the innermost function is about to be entered or left.
    if (groups == 0 || (groups != evaluations && groups + 1 != evaluations)) {
        return count;
    }
    const std::size_t length = count - groups + functions;
    std::size_t to = length;
    for (std::size_t from = count; from-- > 0;) {
        const unwind::Frame frame = room[from];
        if (functions == 0 || from >= inner || !is_evaluation(frame)) {
            room[--to] = frame;
            continue;
        }
        // The group's outermost function, and those that it has called without a frame in C.
        do {
            room[--to] = source[--functions];
        } while (functions > 0 && source[functions - 1].address == 0);
    }
    return length;
}

}  // namespace kymo::monitor
