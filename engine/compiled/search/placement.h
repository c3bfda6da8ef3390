// Late sentences and repetitions: the twins of `engine/search/endings.py` and `engine/search/repeats.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <vector>

#include "vocabulary.h"

namespace pinpoint {

// Sentences begun after the first, how the text ends, and late beginnings.
struct Endings {
  int32_t begun = 0, end = 0, late = 0;

  // After one more piece; `is_lacking`: phrases were missing before it.
  Endings after(uint8_t traits, int32_t max_sentences, bool is_lacking) const;
};

// The pieces with which a row of these tokens would write a run of three pieces again; a piece may occur twice.
std::vector<int32_t> repeating(const std::vector<int32_t>& tokens);

}  // namespace pinpoint
