#include "byte_pieces.h"

#include <algorithm>

namespace pinpoint {

namespace {

// The number of bytes of a character that begins with this one; 0: none does.
size_t size_of(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

bool may_continue(uint8_t lead, size_t place, uint8_t byte) {
  if (byte < 0x80 || byte > 0xBF) return false;
  if (place > 1) return true;
  if (lead == 0xE0) return byte >= 0xA0;  // no longer spelling than needed
  if (lead == 0xED) return byte <= 0x9F;  // no surrogates
  if (lead == 0xF0) return byte >= 0x90;
  return lead != 0xF4 || byte <= 0x8F;
}

// `byte_pieces.split_bytes`
ReadText split(const Vocabulary& vocabulary, const std::vector<uint8_t>& run) {
  ReadText found;
  for (size_t first = 0; first < run.size();) {
    const uint8_t lead = run[first];
    const size_t size = size_of(lead);
    size_t length = 1;
    while (length < size && first + length < run.size() && may_continue(lead, length, run[first + length])) length++;
    if (length == size) {
      uint32_t code = size == 1 ? lead : lead & (0x7F >> size);
      for (size_t i = 1; i < size; i++) code = code << 6 | (run[first + i] & 0x3F);
      found.characters.push_back(vocabulary.character(code));
      first += size;
    } else if (size && first + length == run.size()) {
      found.unfinished.size = static_cast<uint8_t>(length);
      std::copy_n(run.begin() + first, length, found.unfinished.bytes.begin());
      break;
    } else {
      found.characters.push_back(BROKEN);
      found.is_broken = true;
      first++;
    }
  }
  return found;
}

}  // namespace

std::vector<uint8_t> utf8(uint32_t code) {
  const auto byte = [](uint32_t value) { return static_cast<uint8_t>(value); };
  const auto next = [&](int shift) { return byte(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), next(0)};
  if (code < 0x10000) return {byte(0xE0 | code >> 12), next(6), next(0)};
  return {byte(0xF0 | code >> 18), next(12), next(6), next(0)};
}

ReadText read_text(const Vocabulary& vocabulary, int32_t piece, bool has_space, const Unfinished& unfinished) {
  if (!vocabulary.has_bytes(piece)) {
    ReadText found;
    found.is_broken = unfinished.size != 0;
    found.characters.assign(unfinished.size, BROKEN);
    if (has_space) found.characters.push_back(SPACE_CHARACTER);
    for (uint32_t number : vocabulary.text(piece)) found.characters.push_back(vocabulary.alphabet[number]);
    return found;
  }
  std::vector<uint8_t> run(unfinished.bytes.begin(), unfinished.bytes.begin() + unfinished.size);
  if (has_space) run.push_back(' ');
  for (uint32_t number : vocabulary.text(piece)) {
    const uint32_t code = vocabulary.alphabet[number].code;
    const std::vector<uint8_t> bytes =
        is_byte(code) ? std::vector<uint8_t>{static_cast<uint8_t>(code - FIRST_BYTE)} : utf8(code);
    run.insert(run.end(), bytes.begin(), bytes.end());
  }
  return split(vocabulary, run);
}

Unfinished unfinished_behind(const Vocabulary& vocabulary, const std::vector<int32_t>& pieces) {
  constexpr size_t MAX_BEGINNING = 3;  // bytes of an unfinished character
  size_t first = pieces.size();
  while (first > 0 && pieces.size() - first < MAX_BEGINNING && vocabulary.has_bytes(pieces[first - 1])) {
    first--;
    if (!(vocabulary.traits[pieces[first]] & GLUES_LEFT)) break;
  }
  Unfinished unfinished;
  for (; first < pieces.size(); first++) unfinished = read_text(vocabulary, pieces[first], false, unfinished).unfinished;
  return unfinished;
}

std::vector<int32_t> pieces_after(const Vocabulary& vocabulary, const Unfinished& unfinished) {
  std::vector<int32_t> found;
  for (int32_t piece : vocabulary.continuing)
    if (!read_text(vocabulary, piece, false, unfinished).is_broken) found.push_back(piece);
  return found;
}

}  // namespace pinpoint
