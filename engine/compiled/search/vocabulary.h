// A model's pieces, as far as the search needs them.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <string>
#include <unordered_map>
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

// The class of a character: its kind for the boundary rules (`engine/search/matching.py`), and what else matters, as bits.
enum CharacterClass : uint8_t {
  OTHER = 0,
  WORD = 1,
  DIGIT = 2,
  NUMBER_JOINER = 3,
  KIND = 3,  // the bits of the kind
  MARK = 4,
  SPACE = 8,
  SENTENCE_END = 16,
  SENTENCE_CLOSER = 32,
  SENTENCE_OPENER = 64,
};

struct Vocabulary {
  // The characters of a piece with their classes.
  struct Text {
    const uint32_t* characters;
    const uint8_t* classes;
    int32_t length;
  };
  Text text(int32_t piece) const {
    const int32_t first = text_starts[piece];
    return {&characters[first], &classes[first], text_starts[piece + 1] - first};
  }

  int32_t size, begin, end;
  std::vector<uint8_t> bans, traits;  // by piece
  std::vector<int16_t> bytes;         // by piece: the value of a byte piece, -1 for others
  std::vector<std::string> surfaces;  // by piece, in UTF-8; empty if texts are not the surfaces of their pieces
  std::vector<int32_t> layouts;       // by piece (`engine/search/layouts.py`)
  std::vector<int32_t> text_starts;   // by piece, in `characters` and `classes`, and their size
  std::vector<uint32_t> characters;
  std::vector<uint8_t> classes;
  std::unordered_map<uint32_t, std::vector<int32_t>> pieces_with;  // by character
};

}  // namespace pinpoint
