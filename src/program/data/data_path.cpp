#include "program/data/data_path.h"

namespace kymo::program {

std::string text_of(const DataPath& path) {
    std::string text = (path.is_global ? "::" : "") + path.name;
    std::string stars;
    for (const DataStep& step : path.steps) {
        switch (step.kind) {
            case DataStep::Kind::kMember:
                text += "." + step.member;
                break;
            case DataStep::Kind::kArrow:
                text += "->" + step.member;
                break;
            case DataStep::Kind::kIndex:
                text += "[" + std::to_string(step.index) + "]";
                break;
            case DataStep::Kind::kDereference:
                stars += "*";
                break;
        }
    }
    return stars + text;
}

}  // namespace kymo::program
