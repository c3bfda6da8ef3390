#include "placement.h"

namespace pinpoint {

Endings Endings::after(uint8_t traits, int32_t max_sentences, bool is_lacking) const {
  constexpr int32_t OTHER = 0, ENDED = 1, NUMBERED = 2, OPEN = 3;
  const bool begins = end == ENDED && traits & BEGINS_WORD;
  const bool is_late = begins && is_lacking && begun + 1 >= max_sentences;
  const bool ends = traits & ENDS_SENTENCE && !(end == NUMBERED && traits & IS_STOP);
  const bool is_glued = traits & GLUES_LEFT || end != ENDED;  // otherwise, for example, an opening quotation mark
  const bool is_ended = ends || ((end == ENDED || end == OPEN) && !(traits & HAS_WORD));
  int32_t end_after = is_ended ? ENDED : traits & ENDS_IN_NUMBER ? NUMBERED : OTHER;
  if (is_ended && is_glued && traits & GLUES_RIGHT) end_after = OPEN;
  return {begun + begins, end_after, late + is_late};
}

std::vector<int32_t> repeating(const std::vector<int32_t>& tokens) {
  std::vector<int32_t> found;
  const size_t size = tokens.size();
  for (size_t i = 0; i + 2 < size; i++)
    if (tokens[i] == tokens[size - 2] && tokens[i + 1] == tokens[size - 1]) found.push_back(tokens[i + 2]);
  return found;
}

}  // namespace pinpoint
