// The automaton for the phrases of one sentence: which a text has met, and its progress with the others. The twin of
// `engine/search/automaton.py`.
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "matching.h"
#include "shared_matches.h"

namespace pinpoint {

class PhraseAutomaton {
 public:
  struct Phrase {
    int32_t count, num_pieces;
    int32_t turn, max_count, group;  // -1: none; `group` numbers the phrases that share a form with one another
    bool ends_text;
    int32_t required() const { return group < 0 ? count : 0; }  // a group has `shared_missing` instead
  };
  using Counts = int32_t*;  // by phrase
  using Progress = Matches;  // spellings with the number of pieces matched

  struct State {  // `automaton.PhraseState`
    Context context;
    Matches partial, pending;
    Progress progress;
    int32_t turn = 0;
    Shared shared;

    bool is_idle() const {
      return partial.empty() && pending.empty() && progress.empty() && shared.empty() && !context.unfinished.size;
    }
    auto facts() const { return std::tuple_cat(std::tie(turn, partial, pending, progress, shared), context.facts()); }
    bool operator<(const State& other) const { return facts() < other.facts(); }
  };
  struct Missing {
    int32_t num_pieces = 0;     // the least number, of phrases that share a form
    bool is_under_way = false;  // one of them is partial
  };

  // The vocabulary must live as long as this is used.
  PhraseAutomaton(const Vocabulary&, std::vector<Phrase>, Patterns, std::vector<Spelling>);

  const std::vector<Phrase>& phrases() const { return phrases_; }
  const Patterns& patterns() const { return patterns_; }
  const std::vector<Spelling>& spellings() const { return spellings_; }
  State start() const;
  // The state after a piece, with how many occurrences of each phrase it confirmed added to `counts`.
  State after(const State&, int32_t piece, Counts counts) const;
  bool is_idle_behind_space(const State&) const;
  // Adds the occurrences that would count if the sentence ended here, and those that the next piece cannot break.
  void count_pending(const State&, Counts counts) const;
  void count_sure(const State&, Counts counts) const;
  bool shared_met(const State&) const;
  Missing shared_missing(const State&) const;
  bool ends_here(const State&) const;
  // For each phrase, the least number of missing pieces of its partial occurrence.
  std::vector<int32_t> to_go(const State&) const;
  // For each phrase, the pieces that advance it, ascending.
  std::vector<std::vector<int32_t>> next_pieces(const State&) const;

 private:
  struct Since {  // characters since the last turn ended and, by phrase, since its last occurrence
    int32_t turn;
    std::vector<int32_t> end;
  };

  State after_text(const State&, int32_t piece, Counts) const;
  State after_space(const State&, Counts) const;
  void read(State&, const Character&, Counts) const;
  void decide(State&, const Character&, Counts) const;
  Since confirm(const Matches&, int32_t& turn, Counts) const;
  Progress advanced_spellings(const Progress&, int32_t piece, const State& after) const;
  Matches matches_at_end(const State&) const;
  bool may_begin(const State&, int32_t piece, const Pattern&) const;
  bool breaks_number(const State&, int32_t piece, const Pattern&) const;
  bool waits(const State&) const;
  int32_t turn_of(int32_t pattern) const { return phrases_[patterns_[pattern].owner].turn; }

  const Vocabulary& vocabulary_;
  std::vector<Phrase> phrases_;
  Patterns patterns_;
  std::vector<Spelling> spellings_;
  SharedMatches sharing_;
  std::unordered_map<int32_t, std::vector<int32_t>> spellings_by_first_;  // by first piece
  bool has_turns_ = false, tracks_sentences_ = false;
};

}  // namespace pinpoint
