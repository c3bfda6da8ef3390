// The automaton for the phrases of one sentence: which a text has met, and its progress with the others. The twin of
// `engine/search/automaton.py` with the rules of `engine/search/matching.py`, for phrases that share no form and have no
// `max_count`, and for pieces without bytes.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracker.h"
#include "vocabulary.h"

namespace pinpoint {

class PhraseAutomaton : public Tracker {
 public:
  struct Phrase {
    int32_t num_pieces, turn;  // -1: none
    bool ends_text;
  };
  struct Pattern {
    int32_t owner;
    bool bounded_left, bounded_right, is_initial, goes_on, ends_in_digit, joins_numbers, begins_with_digit;
    std::vector<uint32_t> text;
  };
  struct Spelling {
    int32_t pattern;
    std::vector<int32_t> pieces, lengths;
  };

  static constexpr int32_t START = 2;  // the state of the empty text

  // The vocabulary must live as long as this is used.
  PhraseAutomaton(const Vocabulary&, std::vector<Phrase>, std::vector<Pattern>, std::vector<Spelling>);

  const Buffers& buffers() const override { return buffers_; }
  void follow(int32_t count) override;
  void describe(int32_t count) override;
  int32_t forced(int32_t state) override;
  int32_t prefix_pieces(int32_t) override { return 0; }  // there is no prefix

 private:
  using Match = std::pair<int32_t, int32_t>;  // see `matching.Match`
  using Matches = std::vector<Match>;         // in order
  using Counts = int32_t*;                    // by phrase

  struct Context {  // `matching.Context`
    uint8_t before_last = OTHER, last = OTHER, is_first = true, is_open = false, sentence = 0;
    bool goes_on(uint8_t character_class) const;
    void read(uint8_t character_class);
  };
  struct State {  // `automaton.PhraseState`
    Context context;
    Matches partial, pending, progress;
    int32_t turn = 0;
    bool is_idle() const { return partial.empty() && pending.empty() && progress.empty(); }
    bool operator<(const State&) const;
  };

  int32_t number_of(State&&);
  bool has_space_before(const Context&, int32_t piece) const;
  State after(const State&, int32_t piece, Counts) const;
  State after_space(const State&, Counts) const;
  void read(State&, uint32_t character, uint8_t character_class, Counts) const;
  void decide(State&, uint8_t character_class, Counts) const;
  void confirm(const Matches&, State&, Counts, int32_t& since_turn, std::vector<int32_t>& since_end) const;
  Matches advanced_spellings(const Matches& progress, int32_t piece, const State& after) const;
  Matches matches_at_end(const State&) const;
  bool may_begin(const State&, int32_t piece, const Pattern&) const;
  bool breaks_number(const State&, int32_t piece, const Pattern&) const;
  int32_t turn_of(int32_t pattern) const { return phrases_[patterns_[pattern].owner].turn; }
  int num_phrases() const { return static_cast<int>(phrases_.size()); }

  const Vocabulary& vocabulary_;
  std::vector<Phrase> phrases_;
  std::vector<Pattern> patterns_;
  std::vector<Spelling> spellings_;
  std::unordered_map<uint32_t, std::vector<int32_t>> patterns_by_first_;      // by first character
  std::unordered_map<int32_t, std::vector<int32_t>> spellings_by_first_;      // by first piece
  bool has_turns_ = false;
  size_t most_spellings_ = 0;  // of any phrase
  std::vector<State> states_;
  std::map<State, int32_t> numbers_;
  std::vector<int32_t> memory_;  // of the buffers
  Buffers buffers_;
};

}  // namespace pinpoint
