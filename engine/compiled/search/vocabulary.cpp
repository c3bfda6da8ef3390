#include "vocabulary.h"

namespace pinpoint {

void Vocabulary::index() {
  for (uint32_t number = 0; number < alphabet.size(); number++) {
    number_of[alphabet[number].code] = number;
    any_bytes |= is_byte(alphabet[number].code);
  }
  for (int32_t piece = 0; piece < size; piece++) {
    for (uint32_t number : text(piece)) {
      std::vector<int32_t>& pieces = pieces_with[alphabet[number].code];
      if (pieces.empty() || pieces.back() != piece) pieces.push_back(piece);
    }
    if (text(piece).is_empty() || !(traits[piece] & GLUES_LEFT)) continue;
    const Character& first = alphabet[*text(piece).first];
    attached.insert(first.code);
    const uint32_t kind = first.traits & KIND;
    if (is_byte(first.code)) continuing.push_back(piece);
    attaches_words |= kind == WORD || kind == DIGIT;
    attaches_numbers |= kind == NUMBER_JOINER;
    attaches_marks |= (first.traits & MARK) != 0;
  }
  if (continuing.empty()) return;
  for (uint32_t code : {U'a', U'.', U'\u0301'}) attached.insert(code);  // bytes spell anything
  attaches_words = attaches_numbers = attaches_marks = true;
}

Character Vocabulary::character(uint32_t code) const {
  if (const auto found = number_of.find(code); found != number_of.end()) return alphabet[found->second];
  if (const auto found = described.find(code); found != described.end()) return found->second;
  Character character{};
  checked(describe(code, &character));
  return described[code] = character;
}

}  // namespace pinpoint
