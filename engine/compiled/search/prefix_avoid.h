// The automaton for the prefix and the avoided texts of one sentence: the twin of `engine/search/prefix_avoid.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "matching.h"

namespace pinpoint {

class PrefixAvoidAutomaton {
 public:
  // The text that a sentence begins with, of one character each. If it `ignores_case`, `text` has small letters.
  struct Prefix {
    using Place = std::pair<int32_t, int32_t>;  // prefix characters that are written, and bytes of the next one
    struct Beginning {
      uint32_t first, second;  // 0: none
    };
    std::vector<uint32_t> text;
    std::vector<std::vector<Beginning>> beginnings;  // of the text from each character on, in the cases that it may have
    std::map<Place, int32_t> fixed;                  // the next piece at each place that leaves no choice
    int32_t open_from = 0;                           // characters that these pieces write
    bool ignores_case = false;
    int32_t length() const { return static_cast<int32_t>(text.size()); }
  };

  // The required texts that may still enclose one avoided match. It stays open until one of them is confirmed.
  struct Exemption {
    Matches partial, pending;
    bool is_over() const { return partial.empty() && pending.empty(); }
    bool operator<(const Exemption& other) const {
      return std::tie(partial, pending) < std::tie(other.partial, other.pending);
    }
    bool operator==(const Exemption& other) const { return partial == other.partial && pending == other.pending; }
  };

  // All that can affect avoided texts and the prefix. `written` counts characters, with a limit.
  struct State {
    Context context;
    Matches partial, pending;
    std::vector<Exemption> exemptions;  // in order
    int32_t written = 0;
    auto facts() const { return std::tuple_cat(std::tie(written, partial, pending, exemptions), context.facts()); }
    bool operator<(const State& other) const { return facts() < other.facts(); }
  };

  // The first `num_avoided` patterns are avoided; the others are required texts that contain one. The vocabulary must live
  // as long as this is used.
  PrefixAvoidAutomaton(const Vocabulary&, Patterns, int32_t num_avoided, Prefix);

  const Patterns& patterns() const { return patterns_; }
  // The prefix is far behind, and no match is under way.
  bool is_idle(const State&) const;
  // The state after a piece; nothing if no continuation can repair the text.
  std::optional<State> after(const State&, int32_t piece) const;
  // The sentence may end here: the prefix is complete and every avoided match is exempt.
  bool may_end(const State&) const;
  // Later pieces cannot violate anything: the prefix is complete, and there are no avoided texts.
  bool is_done(const State& state) const { return !num_avoided_ && !in_prefix(state); }
  // The fewest pieces that complete the prefix. A space at its end is written with the next word.
  int32_t pieces_left(const State&) const;
  bool in_prefix(const State& state) const { return state.written < prefix_.length(); }
  // The pieces that continue an incomplete prefix, ascending.
  std::vector<int32_t> prefix_pieces(const State&) const;

 private:
  bool is_avoided(const Match& match) const { return match.first < num_avoided_; }
  bool is_in_prefix(int32_t written, int32_t since) const;
  bool is_equal(uint32_t of_prefix, const Character&) const;
  bool fits_prefix(const State&, const std::vector<Character>& emission, int32_t piece) const;
  bool continues(const State&, int32_t piece) const;
  std::vector<int32_t> writing(const Context&, Prefix::Beginning) const;
  void add_beginning(uint32_t code, const Context&, std::vector<int32_t>& found) const;
  bool settle(State&, const Character&) const;
  bool advance_exemptions(State&, const Matches& ended) const;
  Exemption exemption_of(const Match&, const Matches& partial, const Matches& pending) const;
  bool is_doomed(const State&) const;

  const Vocabulary& vocabulary_;
  Patterns patterns_;
  int32_t num_avoided_;
  Prefix prefix_;
};

}  // namespace pinpoint
