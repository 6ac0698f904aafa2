#include "gpu/trace/text_trace.h"

#include "gpu/trace/text_words.h"

namespace kymo::gpu {
namespace {

constexpr std::uint64_t kMostWarpsOfCta =
    std::uint64_t{1024} / kWarpLanes * 2;  // twice what any GPU takes: old cards had 1536 threads

}  // namespace

Result<std::unique_ptr<TextTrace>> TextTrace::open(std::unique_ptr<ByteInput> bytes, std::string name) {
    std::unique_ptr<TextTrace> trace(new TextTrace(std::move(bytes), std::move(name)));
    if (auto read = trace->read_header(); !read) {
        return read.error();
    }
    return trace;
}

Result<bool> TextTrace::line(std::string_view& text) {
    if (has_pending_) {
        has_pending_ = false;
        text = pending_;
        return true;
    }
    for (;;) {
        auto more = lines_.next(text);
        if (!more || !*more) {
            return more;
        }
        text_bytes_ += text.size() + 1;
        text = trimmed(text);
        if (!text.empty()) {
            return true;
        }
    }
}

Result<void> TextTrace::header_line(std::string_view text) {
    std::string_view value;
    bool good = true;
    if (assignment(text, "-kernel name", value)) {
        header_.name = value;
    } else if (assignment(text, "-kernel id", value)) {
        good = number(value, header_.id);
    } else if (assignment(text, "-grid dim", value)) {
        good = dimensions(value, header_.grid);
    } else if (assignment(text, "-block dim", value)) {
        good = dimensions(value, header_.block);
    } else if (assignment(text, "-shmem", value)) {
        good = number(value, header_.shared_bytes);
    } else if (assignment(text, "-nregs", value)) {
        good = number(value, header_.registers);
    } else if (assignment(text, "-binary version", value)) {
        good = number(value, header_.binary_version);
    } else if (assignment(text, "-cuda stream id", value)) {
        good = number(value, header_.stream);
    } else if (assignment(text, "-shmem base_addr", value)) {
        good = hexadecimal(value, header_.shared_base);
    } else if (assignment(text, "-local mem base_addr", value)) {
        good = hexadecimal(value, header_.local_base);
    } else if (assignment(text, "-nvbit version", value)) {
        header_.nvbit_version = value;
    } else if (assignment(text, "-accelsim tracer version", value)) {
        good = number(value, header_.tracer_version);
    } else if (assignment(text, "-enable lineinfo", value)) {
        header_.has_lines = value == "1";
        good = value == "0" || value == "1";
    }  // later tracers may say more
    if (!good) {
        return lines_.malformed("a header line like \"-grid dim = (8,1,1)\" with a valid value");
    }
    return {};
}

Result<void> TextTrace::read_header() {
    std::string_view text;
    bool described = false;
    header_.grid = header_.block = {0, 0, 0};  // until a line says
    for (;;) {
        auto more = line(text);
        if (!more) {
            return more.error();
        }
        if (!*more || text == "#BEGIN_TB") {
            break;
        }
        if (text.starts_with("-")) {
            if (auto good = header_line(text); !good) {
                return good;
            }
            continue;
        }
        if (text.starts_with("#traces format")) {
            described = true;
            instructions_.has_values(text.find("operand_values") != std::string_view::npos);
            instructions_.has_immediate(text.find("immediate") != std::string_view::npos);
            continue;
        }
        if (text.starts_with("#")) {
            continue;
        }
        const char* expected = "a header line that begins with \"-\", or #BEGIN_TB";
        if (described) {
            return Error{ErrorKind::kMalformed, lines_.malformed("#BEGIN_TB").what,
                         "a .trace straight from the tracer must first go through its post-traces-processing"};
        }
        return lines_.malformed(expected);
    }
    has_pending_ = text == "#BEGIN_TB";
    pending_ = "#BEGIN_TB";
    if (header_.name.empty() || header_.grid == Dim3{0, 0, 0} || header_.block == Dim3{0, 0, 0}) {
        return lines_.malformed("a header with kernel name, grid dim and block dim");
    }
    if (!header_.can_be_launched()) {
        return lines_.malformed("a grid and a block of at most 2048 threads that a GPU can launch");
    }
    if (header_.tracer_version < 3 || header_.tracer_version > 7) {
        return Error{ErrorKind::kUnsupported,
                     lines_.name() + ": tracer version " + std::to_string(header_.tracer_version) + " is not known",
                     "versions 3 to 7 are read"};
    }
    return {};
}

Result<void> TextTrace::rewind() {
    has_pending_ = false;
    header_ = {};
    text_bytes_ = 0;
    if (auto back = lines_.rewind(); !back) {
        return back;
    }
    return read_header();
}

Result<void> TextTrace::read_warp(WarpTrace& warp) {
    std::string_view text;
    auto more = line(text);
    std::string_view value;
    std::uint64_t count = 0;
    if (!more) {
        return more.error();
    }
    if (!*more || !assignment(text, "insts", value) || !number(value, count)) {
        return lines_.malformed("\"insts = N\"");
    }
    WarpEncoder encoder(program());
    for (std::uint64_t i = 0; i < count; ++i) {
        more = line(text);
        if (!more) {
            return more.error();
        }
        if (!*more || text.front() == '#' || text.starts_with("warp")) {
            return lines_.malformed("as many instructions as \"insts\" says, " + std::to_string(count));
        }
        if (auto good = instructions_.read(text, encoder); !good) {
            return good;
        }
    }
    warp.instructions = count;
    warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
    return {};
}

Result<std::optional<Cta>> TextTrace::next_cta() {
    std::string_view text;
    std::string_view value;
    auto more = line(text);
    if (!more) {
        return more.error();
    }
    if (!*more) {
        return std::optional<Cta>();
    }
    if (text != "#BEGIN_TB") {
        return lines_.malformed("#BEGIN_TB");
    }
    Cta cta;
    more = line(text);
    if (!more) {
        return more.error();
    }
    if (!*more || !assignment(text, "thread block", value) || !dimensions(value, cta.index)) {
        return lines_.malformed("\"thread block = X,Y,Z\"");
    }
    for (;;) {
        more = line(text);
        if (!more) {
            return more.error();
        }
        if (*more && cta.warps.empty() && text.starts_with("cluster ")) {
            continue;  // where the CTA is in its cluster
        }
        if (!*more) {
            return lines_.malformed("#END_TB before the file's end");
        }
        if (text == "#END_TB") {
            return std::optional<Cta>(std::move(cta));
        }
        WarpTrace warp;
        if (!assignment(text, "warp", value) || !number(value, warp.id)) {
            return lines_.malformed("\"warp = N\" or #END_TB");
        }
        if (warp.id >= kMostWarpsOfCta || cta.warps.size() >= kMostWarpsOfCta) {
            return lines_.malformed("at most 64 warps in a CTA");
        }
        if (auto good = read_warp(warp); !good) {
            return good.error();
        }
        cta.warps.push_back(std::move(warp));
    }
}

}  // namespace kymo::gpu
