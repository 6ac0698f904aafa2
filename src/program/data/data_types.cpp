#include "program/data/data_types.h"

#include "program/data/dies.h"

#include <dwarf.h>
#include <utility>

namespace kymo::program {
namespace {

constexpr int kMostDepth = 16;           // of bases and unnamed members
constexpr std::size_t kMostMembers = 6;  // members
constexpr std::size_t kMostOffsets = 6;  // pointers and one (cells/data.h)
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

bool is_structure(unsigned tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_reference(unsigned tag) {
    return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

unsigned tag_of(const std::optional<Dwarf_Die>& type) {
    Dwarf_Die die = type.value_or(Dwarf_Die{});
    return type ? static_cast<unsigned>(dwarf_tag(&die)) : 0;
}

std::uint64_t bytes_of(Dwarf_Die type) {
    Dwarf_Word bytes = 0;
    return dwarf_aggregate_size(&type, &bytes) == 0 ? bytes : 0;
}

// A definition of a structure in a unit's name spaces.
std::optional<Dwarf_Die> defined_in(Dwarf_Die parent, const std::string& name, unsigned tag, int depth) {
    std::optional<Dwarf_Die> found;
    for_each_child(parent, [&](Dwarf_Die child) {
        const auto is = static_cast<unsigned>(dwarf_tag(&child));
        if (found) {
            return;
        }
        if (is == tag && !has_flag(child, DW_AT_declaration) && name_of(child) == name) {
            found = child;
        } else if (is == DW_TAG_namespace && depth < kMostDepth) {
            found = defined_in(child, name, tag, depth + 1);
        }
    });
    return found;
}

}  // namespace

std::string DataTypes::described() const {
    Dwarf_Die die = type_.value_or(Dwarf_Die{});
    const std::string name = type_ ? name_of(die) : "";
    const unsigned tag = tag_of(type_);
    if (is_structure(tag)) {
        return (tag == DW_TAG_union_type ? "a union" : "a struct") + (name.empty() ? "" : " " + name);
    }
    switch (tag) {
        case DW_TAG_pointer_type:
            return "a pointer";
        case DW_TAG_array_type:
            return "an array";
        case DW_TAG_ptr_to_member_type:
            return "a pointer to a member";
        default:
            return name.empty() ? "of no type that is known" : "of type " + name;
    }
}

// A structure that is only declared here has its members where it is defined.
Dwarf_Die DataTypes::completed(Dwarf_Die type) {
    if (const auto whole = referred(type, DW_AT_signature)) {
        return *whole;
    }
    if (!has_flag(type, DW_AT_declaration)) {
        return type;
    }
    const std::string name = name_of(type);
    const auto tag = static_cast<unsigned>(dwarf_tag(&type));
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr;) {
        if (const auto found = defined_in(tree_of(*unit), name, tag, 0)) {
            return *found;
        }
    }
    return type;
}

std::string DataTypes::members_of(Dwarf_Die type) {
    std::string all;
    std::size_t count = 0;
    for_each_child(completed(type), [&](Dwarf_Die child) {
        const std::string name = name_of(child);
        if (dwarf_tag(&child) == DW_TAG_member && !name.empty() && !number_of(child, DW_AT_external)) {
            if (++count <= kMostMembers) {
                all += (all.empty() ? "" : ", ") + name;
            }
        }
    });
    return count > kMostMembers ? all + ", …" : all;
}

std::optional<DataTypes::Member> DataTypes::find_member(Dwarf_Die type, const std::string& name, int depth) {
    if (depth > kMostDepth) {
        return std::nullopt;
    }
    std::optional<Member> found;
    std::optional<Member> inherited;
    for_each_child(completed(type), [&](Dwarf_Die child) {
        const int tag = dwarf_tag(&child);
        if (found || (tag != DW_TAG_member && tag != DW_TAG_inheritance) || has_flag(child, DW_AT_external)) {
            return;
        }
        const auto at = number_of(child, DW_AT_data_member_location);
        Dwarf_Attribute holder;
        if (!at && dwarf_attr(&child, DW_AT_data_member_location, &holder) != nullptr) {
            return;  // it must be computed: of a virtual base
        }
        if (tag == DW_TAG_member && name_of(child) == name) {
            found = Member{static_cast<std::int64_t>(at.value_or(0)), 0, child, bytes_of(completed(type))};
            return;
        }
        if (tag == DW_TAG_inheritance || name_of(child).empty()) {
            const auto inner = type_of(child);
            if (auto deeper = inner ? find_member(*inner, name, depth + 1) : std::nullopt; deeper && !inherited) {
                deeper->offset += static_cast<std::int64_t>(at.value_or(0));
                deeper->container += static_cast<std::int64_t>(at.value_or(0));
                inherited = deeper;
            }
        }
    });
    return found ? found : inherited;
}

bool DataTypes::move(DataPlace& place, std::int64_t by) {
    return !__builtin_add_overflow(place.offsets.back(), by, &place.offsets.back()) &&
           place.offsets.back() < kFarthest && place.offsets.back() > -kFarthest;
}

// To what a pointer or reference points to.
std::string DataTypes::point(DataPlace& place) {
    if (place.offsets.size() == kMostOffsets) {
        return "more than " + std::to_string(kMostOffsets - 1) + " pointers to follow";
    }
    place.offsets.push_back(0);
    type_ = type_of(*type_);
    return {};
}

std::string DataTypes::go_through(DataPlace& place) {
    return is_reference(tag_of(type_)) ? point(place) : std::string();
}

std::string DataTypes::enter(const std::string& name, DataPlace& place) {
    if (!is_structure(tag_of(type_))) {
        const bool is_pointer = tag_of(type_) == DW_TAG_pointer_type;
        return "'" + said_ + "' is " + described() +
               (is_pointer ? ": write " + said_ + "->" + name : ", without members");
    }
    const auto member = find_member(*type_, name, 0);
    if (!member) {
        const std::string known = members_of(*type_);
        return "'" + said_ + "' is " + described() + ", without a member '" + name + "'" +
               (known.empty() ? "" : "; it has " + known);
    }
    struct_bytes_ = member->bytes;
    struct_at_ = place.offsets.back() + member->container;
    if (!move(place, member->offset)) {
        return "'" + said_ + "' is too large";
    }
    bits_of_.reset();
    if (number_of(member->die, DW_AT_bit_size)) {
        bits_of_ = member->die;
    }
    type_ = type_of(member->die);
    return {};
}

std::string DataTypes::index(std::uint64_t at, DataPlace& place) {
    const unsigned tag = tag_of(type_);
    if (tag == DW_TAG_pointer_type) {
        if (const std::string problem = point(place); !problem.empty()) {
            return problem;
        }
        const std::uint64_t bytes = type_ ? bytes_of(*type_) : 0;
        std::int64_t by = 0;
        if (bytes == 0 || __builtin_mul_overflow(at, bytes, &by) || !move(place, by)) {
            return "'" + said_ + "' points to nothing of a size that is known, or the index is too large";
        }
        return {};
    }
    if (tag != DW_TAG_array_type) {
        return "'" + said_ + "' is " + described() + ", without elements";
    }
    std::uint64_t elements = 0;  // of the first dimension; 0: not known
    std::uint64_t inner = 1;     // elements of one of its elements
    int dimensions = 0;
    for_each_child(*type_, [&](Dwarf_Die child) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) {
            return;
        }
        const auto upper = number_of(child, DW_AT_upper_bound);
        const auto count = number_of(child, DW_AT_count);
        const std::uint64_t size = count ? *count : upper ? *upper + 1 : 0;
        (dimensions++ == 0 ? elements : inner) = dimensions == 1 ? size : inner * size;
    });
    if (elements != 0 && at >= elements) {
        return "'" + said_ + "' has " + std::to_string(elements) + " elements, from 0";
    }
    if (dimensions > 1) {
        return "'" + said_ + "' has " + std::to_string(dimensions) +
               " dimensions; elements of one are all that can be named";
    }
    const auto element = type_of(*type_);
    const std::uint64_t bytes = element ? bytes_of(*element) : 0;
    std::int64_t by = 0;
    if (bytes == 0 || inner == 0 || __builtin_mul_overflow(at, bytes, &by) || !move(place, by)) {
        return "'" + said_ + "' has elements of no size that is known, or the index is too large";
    }
    type_ = element;
    return {};
}

std::string DataTypes::step(const DataStep& step, DataPlace& place) {
    if (const std::string problem = go_through(place); !problem.empty()) {
        return problem;
    }
    const bool is_field = bits_of_.has_value();
    bits_of_.reset();
    if (is_field) {
        return "'" + said_ + "' is a bit-field, without parts";
    }
    switch (step.kind) {
        case DataStep::Kind::kMember:
            return enter(step.member, place);
        case DataStep::Kind::kIndex:
            return index(step.index, place);
        case DataStep::Kind::kArrow:
        case DataStep::Kind::kDereference:
            break;
    }
    const bool is_arrow = step.kind == DataStep::Kind::kArrow;
    if (tag_of(type_) == DW_TAG_array_type) {
        const std::string problem = index(0, place);
        return problem.empty() && is_arrow ? enter(step.member, place) : problem;
    }
    if (tag_of(type_) != DW_TAG_pointer_type) {
        return "'" + said_ + "' is " + described() + ", not a pointer" +
               (is_arrow && is_structure(tag_of(type_)) ? ": write " + said_ + "." + step.member : "");
    }
    const std::string problem = point(place);
    return problem.empty() && is_arrow ? enter(step.member, place) : problem;
}

std::string DataTypes::settle_bits(DataPlace& place) const {
    const std::uint64_t bits = number_of(*bits_of_, DW_AT_bit_size).value_or(0);
    std::uint64_t first = 0;  // bit, from the structure's begin
    if (const auto at = number_of(*bits_of_, DW_AT_data_bit_offset)) {
        first = *at;
        place.offsets.back() = struct_at_;
    } else {  // before DWARF 4: from the upper end of a unit of storage
        const std::uint64_t unit = number_of(*bits_of_, DW_AT_byte_size).value_or(place.bytes) * 8;
        const std::uint64_t above = number_of(*bits_of_, DW_AT_bit_offset).value_or(0);
        if (above + bits > unit) {
            return "'" + said_ + "' is a bit-field whose place is not known";
        }
        first = unit - above - bits + static_cast<std::uint64_t>(place.offsets.back() - struct_at_) * 8;
        place.offsets.back() = struct_at_;
    }
    // In the smallest aligned piece that holds it, inside the structure.
    for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
        const std::uint64_t piece = first / 8 / bytes * bytes;
        const std::uint64_t shift = first - piece * 8;
        if (bits != 0 && shift + bits <= std::uint64_t{bytes} * 8 && piece + bytes <= struct_bytes_) {
            place.bytes = bytes;
            place.shift = static_cast<unsigned>(shift);
            place.bits = static_cast<unsigned>(bits);
            place.offsets.back() += static_cast<std::int64_t>(piece);
            return {};
        }
    }
    return "'" + said_ + "' is a bit-field across units of storage";
}

// The number at the end.
std::string DataTypes::settle(DataPlace& place) {
    if (const std::string problem = go_through(place); !problem.empty()) {
        return problem;
    }
    const unsigned tag = tag_of(type_);
    std::uint64_t bytes = type_ ? bytes_of(*type_) : 0;
    place.is_signed = false;
    if (tag == DW_TAG_pointer_type) {
        bytes = bytes == 0 ? 8 : bytes;
    } else if (tag == DW_TAG_enumeration_type) {
        const auto under = type_of(*type_);
        const std::uint64_t encoding = under ? number_of(*under, DW_AT_encoding).value_or(0) : 0;
        place.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    } else if (tag == DW_TAG_base_type) {
        switch (number_of(*type_, DW_AT_encoding).value_or(0)) {
            case DW_ATE_signed:
            case DW_ATE_signed_char:
                place.is_signed = true;
                break;
            case DW_ATE_boolean:
            case DW_ATE_unsigned:
            case DW_ATE_unsigned_char:
            case DW_ATE_UTF:
            case DW_ATE_address:
                break;
            default:
                return "'" + said_ + "' is " + described() + "; whole numbers are all that can be compared";
        }
    } else {
        const std::string known = is_structure(tag) ? members_of(*type_) : "";
        return "'" + said_ + "' is " + described() +
               (tag == DW_TAG_array_type
                    ? "; name an element: " + said_ + "[0]"
                    : "; " + (known.empty() ? "numbers are all that can be compared" : "name a member: " + known));
    }
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
        return "'" + said_ + "' is " + std::to_string(bytes) + " bytes wide; 1, 2, 4 or 8 can be read";
    }
    place.bytes = static_cast<unsigned>(bytes);
    place.shift = 0;
    place.bits = place.bytes * 8;
    return bits_of_ ? settle_bits(place) : std::string();
}

bool DataTypes::has_member(Dwarf_Die pointer, const std::string& name) {
    const auto type = type_of(pointer);
    const auto object = type ? type_of(*type) : std::nullopt;
    return object && find_member(*object, name, 0).has_value();
}

std::string DataTypes::follow(const DataPath& path, Dwarf_Die variable, DataPlace& place) {
    said_ = path.name;
    bits_of_.reset();
    type_ = type_of(variable);
    DataPath so_far{path.name, {}};
    for (const DataStep& each : path.steps) {
        if (const std::string problem = step(each, place); !problem.empty()) {
            return problem;
        }
        so_far.steps.push_back(each);
        said_ = text_of(so_far);
    }
    return settle(place);
}

}  // namespace kymo::program
