#include "program/flow/decode.h"

#include <elf.h>

namespace kymo::program {

const Decoder* decoder_for(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64:
            return &x86_64_decoder();
        default:
            return nullptr;
    }
}

}  // namespace kymo::program
