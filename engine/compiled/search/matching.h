// Finding texts in a stream of characters: the twin of `engine/search/matching.py` and of `Attached`.
#pragma once

#include <stddef.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "byte_pieces.h"
#include "vocabulary.h"

namespace pinpoint {

using Match = std::pair<int32_t, int32_t>;  // a pattern with the characters matched, or with those since its end
using Matches = std::vector<Match>;         // in order

enum Place : uint8_t { UNTRACKED, AT_START, INSIDE, ENDED };  // in a sentence

void insert(Matches&, Match);

template <class Items, class Item>
bool contains(const Items& sorted, const Item& item) {
  return std::binary_search(sorted.begin(), sorted.end(), item);
}

// The end of a text, as far as it affects the next characters.
struct Context {
  uint8_t before_last = OTHER, last = OTHER, is_first = true, is_open = false, sentence = UNTRACKED;
  Unfinished unfinished{};

  bool goes_on(uint32_t traits) const;  // a character of these traits continues a word or number
  bool has_space_before(const Vocabulary&, int32_t piece) const;
  bool begins_with_space(const Vocabulary&, int32_t piece) const;  // as above, or the piece itself does
  void read(const Character&);
  // Sets what does not follow from the characters of the piece, which have been read.
  void close(const Vocabulary&, int32_t piece);
  // The characters that the piece adds, with the space before it; a character comes with the last of its bytes.
  std::vector<Character> emission(const Vocabulary&, int32_t piece) const;
  auto facts() const { return std::tie(before_last, last, is_first, is_open, sentence, unfinished); }
};

// A text to find; `owner` is the number of its phrase.
struct Pattern {
  int32_t owner;
  bool bounded_left, bounded_right, is_initial, goes_on, ends_in_digit, joins_numbers, begins_with_digit, ignores_case;
  std::vector<uint32_t> text;

  int32_t length() const { return static_cast<int32_t>(text.size()); }
  bool matches(int32_t place, const Character& character) const {
    return text[place] == (ignores_case ? character.lower : character.code);
  }
};

class Patterns {
 public:
  explicit Patterns(std::vector<Pattern>);

  const Pattern& operator[](int32_t number) const { return all_[number]; }
  int32_t size() const { return static_cast<int32_t>(all_.size()); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  // The patterns that may begin with a character here; those that `is_fresh` leaves out may not.
  template <class IsFresh>
  std::vector<int32_t> beginning(const Context& context, const Character& character, IsFresh is_fresh) const {
    std::vector<int32_t> found;
    const bool is_inside = context.goes_on(character.traits);
    for (const auto* by_first : {&exact_, &folded_}) {
      const auto numbers = by_first->find(by_first == &exact_ ? character.code : character.lower);
      if (numbers == by_first->end()) continue;
      for (int32_t number : numbers->second) {
        const Pattern& pattern = all_[number];
        if (is_inside ? pattern.bounded_left : pattern.goes_on) continue;
        if (pattern.is_initial && context.sentence != AT_START) continue;
        if (is_fresh(number)) found.push_back(number);
      }
    }
    return found;
  }
  // Partial matches after a character, and those that it completes.
  std::pair<Matches, Matches> read(const Matches& partial, const std::vector<int32_t>& fresh, const Character&) const;
  // Pending matches that a character confirms, and those that remain pending.
  std::pair<Matches, Matches> decide(const Matches& pending, const Character&) const;
  // A next piece may break a match that ended `since` characters before the end of the text.
  static bool may_break(const Vocabulary&, const Pattern&, int32_t since, const Context&);

 private:
  std::vector<Pattern> all_;
  std::unordered_map<uint32_t, std::vector<int32_t>> exact_, folded_;  // by first character
};

// States with a number each.
template <class State>
class Numbered {
 public:
  int32_t number(State&& state) {
    const auto [place, is_new] = numbers_.try_emplace(std::move(state), static_cast<int32_t>(states_.size()));
    if (is_new) states_.push_back(&place->first);
    return place->second;
  }
  const State& operator[](int32_t number) const { return *states_[number]; }
  int32_t size() const { return static_cast<int32_t>(states_.size()); }

 private:
  std::map<State, int32_t> numbers_;    // whose keys keep their places
  std::vector<const State*> states_;
};

}  // namespace pinpoint
