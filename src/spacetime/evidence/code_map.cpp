#include "spacetime/evidence/code_map.h"

#include "parallel/loops.h"
#include "program/flow/polling.h"
#include "program/flow/repeated/math_functions.h"
#include "program/flow/repeated/repeated_calls.h"
#include "spacetime/spaces/pair_counts.h"

#include <algorithm>

namespace kymo::spacetime {

CodeMap::CodeMap(const std::vector<ImageInfo>& images, const std::vector<std::vector<std::uint64_t>>& wanted)
    : images_(images.size()), numbers_(images.size()) {
    parallel::for_each_index(images.size(), [&](std::size_t image) {
        if (wanted[image].empty() || images[image].path.empty()) {
            return;
        }
        images_[image] = std::make_unique<program::ImageCode>(
            program::ImageName{images[image].path, images[image].build_id, images[image].machine});
        std::uint32_t last = kNone;
        for (const std::uint64_t offset : wanted[image]) {
            const std::uint32_t index = images_[image]->function_at(offset);
            if (index != kNone && index != last) {
                numbers_[image].emplace_back(index, 0);
                last = index;
            }
        }
        std::sort(numbers_[image].begin(), numbers_[image].end());
        numbers_[image].erase(std::unique(numbers_[image].begin(), numbers_[image].end()), numbers_[image].end());
    });
    for (std::uint32_t image = 0; image < images.size(); ++image) {
        for (auto& [index, number] : numbers_[image]) {
            number = static_cast<std::uint32_t>(functions_.size());
            functions_.push_back({.image = image, .index = index, .flow = {}, .rule = {}, .hierarchy = {}});
        }
        if (images_[image] == nullptr) {
            continue;
        }
        if (!images_[image]->problem().empty()) {
            problems_.push_back(images_[image]->problem());
        } else if (images_[image]->decoder() == nullptr) {
            undecoded_.push_back(images[image].path + ": no decoder for ELF machine " +
                                 std::to_string(images_[image]->machine()) +
                                 "; it has no code spaces below its functions (docs/porting.md lists the decoders)");
        }
    }
}

std::uint32_t CodeMap::function_at(std::uint32_t image, std::uint64_t offset) const {
    if (image >= images_.size() || images_[image] == nullptr) {
        return kNone;
    }
    const std::uint32_t index = images_[image]->function_at(offset);
    const auto& numbers = numbers_[image];
    const auto known = std::lower_bound(numbers.begin(), numbers.end(), std::pair(index, std::uint32_t{0}));
    return known != numbers.end() && known->first == index ? known->second : kNone;
}

const program::CodeFunction& CodeMap::code_of(std::uint32_t function) const {
    return images_[functions_[function].image]->function(functions_[function].index);
}

CodeOfFunction* CodeMap::flow_of(std::uint32_t function) {
    if (function >= functions_.size()) {
        return nullptr;
    }
    CodeOfFunction& code = functions_[function];
    if (code.flow == nullptr) {
        const program::FlowGraph* graph = images_[code.image]->flow(code.index);
        if (graph == nullptr || graph->blocks.empty()) {
            return nullptr;
        }
        code.flow = std::make_unique<FunctionFlow>(*graph);
        code.rule = std::make_unique<PairRule>(*code.flow);
        code.hierarchy = std::make_unique<Hierarchy>(make_hierarchy(*code.flow));
    }
    return &code;
}

program::CodeBytes CodeMap::bytes_of(std::uint32_t function) const {
    const program::ImageCode& image = *images_[functions_[function].image];
    std::vector<program::CodeRange> ranges;
    for (const program::CodeExtent& part : code_of(function).parts) {
        const auto bytes = image.bytes_at(part.begin);
        ranges.push_back({part.begin, bytes.first(std::min<std::size_t>(bytes.size(), part.end - part.begin))});
    }
    return program::CodeBytes(std::move(ranges));
}

bool CodeMap::polls(std::uint32_t function, std::uint32_t loop) const {
    const CodeOfFunction* code = made(function);
    return code != nullptr && loop < code->flow->loops.loops.size() &&
           program::polls(*images_[code->image]->decoder(), bytes_of(function), code->flow->graph, code->flow->loops,
                          loop);
}

std::vector<program::Induction> CodeMap::inductions(std::uint32_t function, std::uint32_t loop) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr || loop >= code->flow->loops.loops.size()) {
        return {};
    }
    return program::inductions(*images_[code->image]->decoder(), bytes_of(function), code->flow->graph,
                               code->flow->loops, loop);
}

std::uint32_t CodeMap::loop_at(std::uint32_t function, std::uint64_t offset) const {
    const CodeOfFunction* code = made(function);
    const std::uint32_t block = code == nullptr ? kNone : code->flow->graph.block_at(offset);
    return block == kNone ? kNone : code->flow->loops.loop_of[block];
}

std::vector<program::SlowInstruction> CodeMap::slow_instructions(std::uint32_t function) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr) {
        return {};
    }
    return program::slow_instructions(*images_[code->image]->decoder(), bytes_of(function), code->flow->graph,
                                      code->flow->loops);
}

std::vector<program::TwoWayLoop> CodeMap::two_way_loops(std::uint32_t function) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr) {
        return {};
    }
    return program::two_way_loops(*images_[code->image]->decoder(), bytes_of(function), code->flow->graph,
                                  code->flow->loops);
}

std::vector<program::IdleLoop> CodeMap::idle_loops(std::uint32_t function) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr) {
        return {};
    }
    return program::idle_loops(*images_[code->image]->decoder(), bytes_of(function), code->flow->graph,
                               code->flow->loops);
}

program::FunctionEffects CodeMap::effects(std::uint32_t function) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr) {
        return {};
    }
    const program::ImageCode& image = *images_[code->image];
    return program::function_effects(*image.decoder(), bytes_of(function), code->flow->graph, image.constants(),
                                     code_of(function).entry());
}

std::vector<std::uint64_t> CodeMap::repeated_calls(
    std::uint32_t function, const std::function<const program::FunctionEffects&(std::uint32_t)>& effects_of) const {
    const CodeOfFunction* code = made(function);
    if (code == nullptr) {
        return {};
    }
    program::ImageCode& image = *images_[code->image];
    const auto effects = [&](std::uint64_t entry) -> const program::FunctionEffects* {
        const std::uint32_t index = image.function_at(entry);
        if (index == kNone || image.function(index).linkage_name.empty()) {
            return program::math_effects(image.name_of_plt(entry));
        }
        const std::uint32_t called = function_at(code->image, entry);
        return made(called) != nullptr && code_of(called).entry() == entry ? &effects_of(called) : nullptr;
    };
    return program::repeated_calls(*image.decoder(), bytes_of(function), code->flow->graph, code->flow->loops,
                                   image.constants(), code_of(function).entry(), effects);
}

std::uint64_t CodeMap::instruction_at(std::uint32_t function, std::uint64_t offset) const {
    const CodeOfFunction* code = made(function);
    const std::uint32_t block = code == nullptr ? kNone : code->flow->graph.block_at(offset);
    if (block == kNone) {
        return offset;
    }
    const program::FlowGraph& graph = code->flow->graph;
    return graph.instructions[graph.instruction_at(graph.blocks[block], offset)];
}

program::OperandUse CodeMap::operand_use(std::uint32_t function, std::uint64_t offset) const {
    const CodeOfFunction* code = made(function);
    return code == nullptr ? program::OperandUse()
                           : program::operand_use(*images_[code->image]->decoder(), bytes_of(function),
                                                  code->flow->graph, offset);
}

void CodeMap::make_flows(const std::vector<std::uint32_t>& functions) {
    std::vector<std::vector<std::uint32_t>> by_image(images_.size());
    for (const std::uint32_t function : functions) {
        by_image[functions_[function].image].push_back(function);
    }
    parallel::for_each_index(by_image.size(), [&](std::size_t image) {
        for (const std::uint32_t function : by_image[image]) {
            flow_of(function);
        }
    });
}

}  // namespace kymo::spacetime
