// Pieces with bytes of characters: the twin of `engine/text/byte_pieces.py` and `engine/search/byte_masks.py`.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "vocabulary.h"

namespace pinpoint {

// Some bytes of a character whose other bytes are still to come.
struct Unfinished {
  uint8_t size = 0;
  std::array<uint8_t, 3> bytes{};
  bool operator<(const Unfinished& other) const { return std::tie(size, bytes) < std::tie(other.size, other.bytes); }
};

struct ReadText {
  std::vector<Character> characters;
  Unfinished unfinished;   // behind them
  bool is_broken = false;  // some bytes are part of no character
};

// What a piece writes after an unfinished character, with a space before it if `has_space`.
ReadText read_text(const Vocabulary&, int32_t piece, bool has_space, const Unfinished&);

// The bytes of a character in UTF-8.
std::vector<uint8_t> utf8(uint32_t code);

// The unfinished character at the end of a text.
Unfinished unfinished_behind(const Vocabulary&, const std::vector<int32_t>& pieces);

// The only pieces that may follow an unfinished character.
std::vector<int32_t> pieces_after(const Vocabulary&, const Unfinished&);

}  // namespace pinpoint
