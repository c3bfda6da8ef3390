// Reads the constraints of a sentence from the numbers in which Python describes them.
#pragma once

#include <cstdint>
#include <memory>

#include "constraints.h"
#include "vocabulary.h"

namespace pinpoint {

// `numbers` are, with the length before each list: the phrases, with count, num_pieces, turn, max_count, group (-1: none)
// and ends_text; their patterns, with owner, flags and characters; the spellings, with pattern, pieces and the lengths
// before and after each; whether a phrase with a `max_count` fits into a piece; whether there is a prefix or avoided
// text and, if so, the patterns of these (`prefix_avoid.h`), the number of avoided ones, and the prefix: its characters,
// its beginnings in other cases by place, its fixed pieces with place and bytes, open_from and ignores_case.
// Throws std::invalid_argument if they do not describe constraints of this vocabulary, which must live as long as the
// result.
std::unique_ptr<Constraints> read_constraints(const Vocabulary&, const int32_t* numbers, int32_t length);

}  // namespace pinpoint
