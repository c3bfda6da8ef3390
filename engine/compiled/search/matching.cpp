#include "matching.h"

namespace pinpoint {

namespace {

uint8_t kind(uint32_t traits) { return traits & KIND; }
bool is_word(uint8_t a_kind) { return a_kind == WORD || a_kind == DIGIT; }

uint8_t place_after(uint8_t place, uint32_t traits) {  // `matching.sentence_after`
  if (place == UNTRACKED) return UNTRACKED;
  if (traits & SENTENCE_END || (place == ENDED && traits & SENTENCE_CLOSER)) return ENDED;
  if (traits & SPACE) return place == INSIDE ? INSIDE : AT_START;
  return place == AT_START && traits & SENTENCE_OPENER ? AT_START : INSIDE;
}

}  // namespace

void insert(Matches& matches, Match match) {
  const auto place = std::lower_bound(matches.begin(), matches.end(), match);
  if (place == matches.end() || *place != match) matches.insert(place, match);
}

bool Context::goes_on(uint32_t traits) const {
  return is_word(last) || (last == NUMBER_JOINER && before_last == DIGIT && kind(traits) == DIGIT);
}

bool Context::has_space_before(const Vocabulary& vocabulary, int32_t piece) const {
  return !((is_first && !unfinished.size) || is_open || vocabulary.traits[piece] & GLUES_LEFT);
}

bool Context::begins_with_space(const Vocabulary& vocabulary, int32_t piece) const {
  if (unfinished.size) return false;
  return has_space_before(vocabulary, piece) ||
         (!vocabulary.text(piece).is_empty() && vocabulary.first_code(piece) == ' ');
}

void Context::read(const Character& character) {
  before_last = kind(character.traits) == NUMBER_JOINER ? last : static_cast<uint8_t>(OTHER);
  last = kind(character.traits);
  is_first = false;
  sentence = place_after(sentence, character.traits);
}

void Context::close(const Vocabulary& vocabulary, int32_t piece) {
  const bool is_apart = !(is_open || vocabulary.traits[piece] & GLUES_LEFT);
  if (vocabulary.any_bytes) unfinished = read_text(vocabulary, piece, false, is_apart ? Unfinished() : unfinished).unfinished;
  is_open = (vocabulary.traits[piece] & GLUES_RIGHT) != 0;
}

std::vector<Character> Context::emission(const Vocabulary& vocabulary, int32_t piece) const {
  return read_text(vocabulary, piece, has_space_before(vocabulary, piece), unfinished).characters;
}

Patterns::Patterns(std::vector<Pattern> patterns) : all_(std::move(patterns)) {
  for (int32_t number = 0; number < size(); number++)
    (all_[number].ignores_case ? folded_ : exact_)[all_[number].text[0]].push_back(number);
}

std::pair<Matches, Matches> Patterns::read(const Matches& partial, const std::vector<int32_t>& fresh,
                                           const Character& character) const {
  Matches going, ended;
  const auto go_on = [&](int32_t number, int32_t matched) {
    if (matched == all_[number].length())
      insert(ended, {number, 0});
    else
      insert(going, {number, matched});
  };
  for (const auto& [number, matched] : partial)
    if (all_[number].matches(matched, character)) go_on(number, matched + 1);
  for (int32_t number : fresh) go_on(number, 1);
  return {going, ended};
}

std::pair<Matches, Matches> Patterns::decide(const Matches& pending, const Character& character) const {
  Matches confirmed, waiting;
  const uint8_t own = kind(character.traits);
  for (const auto& [number, since] : pending) {
    const Pattern& pattern = all_[number];
    if (since == 0 && pattern.ends_in_digit && own == NUMBER_JOINER) {
      insert(waiting, {number, 1});
      continue;
    }
    const bool is_broken =
        since == 0 ? character.traits & MARK || (pattern.bounded_right && is_word(own)) : own == DIGIT;
    if (!is_broken) confirmed.emplace_back(number, since);
  }
  return {confirmed, waiting};
}

bool Patterns::may_break(const Vocabulary& vocabulary, const Pattern& pattern, int32_t since, const Context& context) {
  if (!pattern.bounded_right) return vocabulary.attaches_marks;
  return context.is_open || vocabulary.attaches_words ||
         (pattern.ends_in_digit && since == 0 && vocabulary.attaches_numbers);
}

}  // namespace pinpoint
