// A model's pieces, as far as the search needs them.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <string>
#include <vector>

namespace pinpoint {

// What a piece does to sentences (`engine/search/endings.py`), as bits of `Vocabulary::traits`.
enum Trait : uint8_t {
  ENDS_SENTENCE = 1,
  IS_STOP = 2,
  GLUES_LEFT = 4,
  GLUES_RIGHT = 8,
  ENDS_IN_NUMBER = 16,
  HAS_WORD = 32,
  BEGINS_WORD = 64,
};

// Which rows may not write a piece, as bits of `Vocabulary::bans`.
enum Ban : uint8_t {
  NEVER = 1,        // no row
  NOT_FIRST = 2,    // free rows: the piece is a byte that begins no character
  NOT_CLOSING = 4,  // rows that must end a word
};

struct Vocabulary {
  int32_t size, begin, end;
  std::vector<uint8_t> bans, traits;  // by piece
  std::vector<int16_t> bytes;         // by piece: the value of a byte piece, -1 for others
  std::vector<std::string> surfaces;  // by piece, in UTF-8; empty if texts are not the surfaces of their pieces
};

}  // namespace pinpoint
