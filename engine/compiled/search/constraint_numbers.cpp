#include "constraint_numbers.h"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pinpoint {

namespace {

constexpr int32_t MANY = 1 << 24;  // more than there are constraint tokens or characters

class Numbers {
 public:
  Numbers(const int32_t* first, int32_t length) : next_(first), end_(first + length) {}

  // The next number, at least `least` and less than `limit`.
  int32_t next(int32_t least, int32_t limit) {
    if (next_ == end_ || *next_ < least || *next_ >= limit)
      throw std::invalid_argument("the numbers of the constraints are not as the search expects them");
    return *next_++;
  }
  bool flag() { return next(0, 2) != 0; }
  // Calls `read` as often as the next number says; returns what it returned. No list is longer than the numbers left.
  template <class Read>
  auto list(Read read) {
    std::vector<decltype(read())> found;
    for (int64_t left = next(0, static_cast<int32_t>(end_ - next_)); left; left--) found.push_back(read());
    return found;
  }
  std::vector<uint32_t> characters() {
    return list([&] { return static_cast<uint32_t>(next(0, 0x110000)); });
  }
  bool is_at_end() const { return next_ == end_; }

 private:
  const int32_t *next_, *end_;
};

Pattern read_pattern(Numbers& numbers, int32_t num_owners) {
  const int32_t owner = numbers.next(-1, num_owners), flags = numbers.next(0, 1 << 8);
  const auto has = [flags](int bit) { return (flags >> bit & 1) != 0; };
  Pattern pattern{owner, has(0), has(1), has(2), has(3), has(4), has(5), has(6), has(7), numbers.characters()};
  if (pattern.text.empty()) throw std::invalid_argument("a required or avoided text is empty");
  return pattern;
}

Spelling read_spelling(Numbers& numbers, const Vocabulary& vocabulary, int32_t num_patterns) {
  Spelling spelling{numbers.next(0, num_patterns), {}, {}};
  spelling.pieces = numbers.list([&] { return numbers.next(0, vocabulary.size); });
  spelling.lengths = numbers.list([&] { return numbers.next(0, MANY); });
  if (spelling.pieces.empty() || spelling.lengths.size() != spelling.pieces.size() + 1)
    throw std::invalid_argument("a spelling has no pieces, or not a length for each");
  return spelling;
}

PhraseAutomaton read_phrases(Numbers& numbers, const Vocabulary& vocabulary) {
  std::vector<PhraseAutomaton::Phrase> phrases = numbers.list([&] {
    const int32_t count = numbers.next(0, MANY), num_pieces = numbers.next(0, MANY), turn = numbers.next(-1, MANY);
    const int32_t max_count = numbers.next(-1, MANY), group = numbers.next(-1, MANY);
    return PhraseAutomaton::Phrase{count, num_pieces, turn, max_count, group, numbers.flag()};
  });
  int64_t num_tokens = 0;
  for (const PhraseAutomaton::Phrase& phrase : phrases) {
    num_tokens += static_cast<int64_t>(phrase.count) * phrase.num_pieces;
    if (num_tokens >= MANY) throw std::invalid_argument("the phrases have too many constraint tokens");
    if (phrase.group >= static_cast<int32_t>(phrases.size())) throw std::invalid_argument("there is no such group");
  }
  const int32_t num_phrases = static_cast<int32_t>(phrases.size());
  Patterns patterns(numbers.list([&] { return read_pattern(numbers, num_phrases); }));
  for (const Pattern& pattern : patterns)
    if (pattern.owner < 0) throw std::invalid_argument("a required text belongs to no phrase");
  const int32_t num_patterns = patterns.size();
  std::vector<Spelling> spellings = numbers.list([&] { return read_spelling(numbers, vocabulary, num_patterns); });
  return {vocabulary, std::move(phrases), std::move(patterns), std::move(spellings)};
}

PrefixAvoidAutomaton::Prefix read_prefix(Numbers& numbers, const Vocabulary& vocabulary) {
  using Prefix = PrefixAvoidAutomaton::Prefix;
  Prefix prefix;
  prefix.text = numbers.characters();
  prefix.beginnings = numbers.list([&] {
    return numbers.list([&] {
      const auto first = static_cast<uint32_t>(numbers.next(1, 0x110000));
      return Prefix::Beginning{first, static_cast<uint32_t>(numbers.next(0, 0x110000))};
    });
  });
  if (prefix.beginnings.size() != prefix.text.size())
    throw std::invalid_argument("a prefix has not a beginning for each place");
  for (const auto& [place, piece] : numbers.list([&] {
         const int32_t written = numbers.next(0, MANY), num_bytes = numbers.next(0, 4);
         return std::make_pair(Prefix::Place{written, num_bytes}, numbers.next(0, vocabulary.size));
       }))
    prefix.fixed[place] = piece;
  prefix.open_from = numbers.next(0, MANY);
  prefix.ignores_case = numbers.flag();
  return prefix;
}

}  // namespace

std::unique_ptr<Constraints> read_constraints(const Vocabulary& vocabulary, const int32_t* first, int32_t length) {
  Numbers numbers(first, length);
  PhraseAutomaton phrases = read_phrases(numbers, vocabulary);
  const bool fits_in_a_piece = numbers.flag();
  std::optional<PrefixAvoidAutomaton> prefix_avoid;
  if (numbers.flag()) {
    Patterns patterns(numbers.list([&] { return read_pattern(numbers, 1); }));
    const int32_t num_avoided = numbers.next(0, patterns.size() + 1);
    prefix_avoid.emplace(vocabulary, std::move(patterns), num_avoided, read_prefix(numbers, vocabulary));
  }
  if (!numbers.is_at_end()) throw std::invalid_argument("there are more numbers than the constraints need");
  Tracker tracker(vocabulary, std::move(phrases), std::move(prefix_avoid), fits_in_a_piece);
  return std::make_unique<Constraints>(std::move(tracker));
}

}  // namespace pinpoint
