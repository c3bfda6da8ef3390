// A model's pieces, as far as the search needs them.
#pragma once

#include <stddef.h>
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "callbacks.h"

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

// A character as texts are compared. `lower` is 0 if the small letter takes several characters, which match no single one.
struct Character {
  uint32_t code, lower, first_lower, traits;  // the first character of the small letter; bits of `CharacterClass`
};

constexpr uint32_t FIRST_BYTE = 0xDC00, LAST_BYTE = 0xDCFF;  // characters that stand for bytes (`byte_pieces.py`)
constexpr Character BROKEN{0xFFFD, 0xFFFD, 0xFFFD, OTHER};   // a byte that is part of no character
constexpr Character SPACE_CHARACTER{' ', ' ', ' ', SPACE};

inline bool is_byte(uint32_t code) { return FIRST_BYTE <= code && code <= LAST_BYTE; }

struct Vocabulary {
  // The numbers of a piece's characters in `alphabet`.
  struct Text {
    const uint32_t *first, *last;
    const uint32_t* begin() const { return first; }
    const uint32_t* end() const { return last; }
    bool is_empty() const { return first == last; }
  };
  Text text(int32_t piece) const {
    return {characters.data() + text_starts[piece], characters.data() + text_starts[piece + 1]};
  }
  uint32_t first_code(int32_t piece) const { return alphabet[*text(piece).first].code; }  // of a piece with a text
  bool has_bytes(int32_t piece) const {
    if (!any_bytes) return false;
    const Text own = text(piece);
    return std::any_of(own.begin(), own.end(), [this](uint32_t number) { return is_byte(alphabet[number].code); });
  }
  // A character that bytes write.
  Character character(uint32_t code) const;

  int32_t size, begin, end;
  std::vector<uint8_t> bans, traits;  // by piece
  std::vector<std::string> surfaces;  // by piece, in UTF-8; empty if texts are not the surfaces of their pieces
  std::vector<int32_t> layouts;       // by piece (`engine/search/layouts.py`)
  std::vector<int32_t> text_starts;   // by piece, in `characters`, and their number
  std::vector<uint32_t> characters;   // in `alphabet`
  std::vector<Character> alphabet;
  int32_t (*describe)(uint32_t code, Character*);  // a function of Python, for characters that no piece contains
  // Computed from these by `index`.
  std::unordered_map<uint32_t, uint32_t> number_of{};                // in `alphabet`, by code
  std::unordered_map<uint32_t, std::vector<int32_t>> pieces_with{};  // by code
  std::unordered_set<uint32_t> attached{};  // first characters of pieces that glue to their left
  std::vector<int32_t> continuing{};        // pieces that begin with a byte and glue to their left
  mutable std::unordered_map<uint32_t, Character> described{};  // by code
  bool any_bytes = false, attaches_words = false, attaches_numbers = false, attaches_marks = false;

  void index();
};

}  // namespace pinpoint
