#include "unwind/compile.h"

#include "unwind/native.h"
#include "unwind/rows/compiler.h"

namespace kymo::unwind {

bool compile(const CompileInput& input, Table* table) {
    return compile_for<native::Arch::RulePacker>(input, table);
}

void release(Table* table) {
    const auto drop = [](const void* data, std::size_t bytes) {
        if (bytes != 0) {
            image::unmap_pages(const_cast<void*>(data), bytes);
        }
    };
    drop(table->starts, table->rows * sizeof(*table->starts));
    drop(table->rules, table->rows * sizeof(*table->rules));
    drop(table->extended, table->extended_rows * sizeof(*table->extended));
    drop(table->expressions.data(), table->expressions.size());
    drop(table->functions_begin, table->function_count * sizeof(*table->functions_begin));
    *table = Table{};
}

}  // namespace kymo::unwind
