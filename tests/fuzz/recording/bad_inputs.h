// The malformed recording files of bad/, each named after what is wrong with it, and what the reader says of it.
#pragma once

#include "../../unit/recording/file_image.h"

#include <string>
#include <vector>

namespace kymo::testing {

struct BadInput {
    std::string name;  // of the file, without ".krec"
    Bytes bytes;
    std::string says;        // part of the error, or of the damage
    bool opens = false;      // the file opens and the damage is in its report
    unsigned rows_left = 0;  // marks that are read all the same
};

std::vector<BadInput> bad_inputs();

}  // namespace kymo::testing
