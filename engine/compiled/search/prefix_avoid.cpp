#include "prefix_avoid.h"

#include <algorithm>
#include <iterator>

namespace pinpoint {

namespace {

Matches in_both(const Matches& a, const Matches& b) {
  Matches found;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(found));
  return found;
}

void sort_distinct(std::vector<PrefixAvoidAutomaton::Exemption>& exemptions) {
  std::sort(exemptions.begin(), exemptions.end());
  exemptions.erase(std::unique(exemptions.begin(), exemptions.end()), exemptions.end());
}

bool any_over(const std::vector<PrefixAvoidAutomaton::Exemption>& exemptions) {
  return std::any_of(exemptions.begin(), exemptions.end(), [](const auto& exemption) { return exemption.is_over(); });
}

bool begins_with(const std::vector<uint8_t>& bytes, const Unfinished& unfinished) {
  return unfinished.size <= bytes.size() &&
         std::equal(unfinished.bytes.begin(), unfinished.bytes.begin() + unfinished.size, bytes.begin());
}

}  // namespace

PrefixAvoidAutomaton::PrefixAvoidAutomaton(const Vocabulary& vocabulary, Patterns patterns, int32_t num_avoided,
                                           Prefix prefix)
    : vocabulary_(vocabulary), patterns_(std::move(patterns)), num_avoided_(num_avoided),
      prefix_(std::move(prefix)) {}

bool PrefixAvoidAutomaton::is_idle(const State& state) const {
  const bool is_behind_prefix = prefix_.text.empty() || state.written == prefix_.length() + 2;
  return is_behind_prefix && state.partial.empty() && state.pending.empty() && state.exemptions.empty() &&
         !state.context.unfinished.size;
}

std::optional<PrefixAvoidAutomaton::State> PrefixAvoidAutomaton::after(const State& before, int32_t piece) const {
  if (vocabulary_.text(piece).is_empty()) return before;
  const std::vector<Character> emission = before.context.emission(vocabulary_, piece);
  if (!fits_prefix(before, emission, piece)) return std::nullopt;
  State state = before;
  for (const Character& character : emission) {
    if (!(state.pending.empty() && state.exemptions.empty()) && !settle(state, character)) return std::nullopt;
    const std::vector<int32_t> fresh =
        patterns_.beginning(state.context, character, [](int32_t) { return true; });
    auto [going, ended] = patterns_.read(state.partial, fresh, character);
    state.partial = std::move(going);
    for (const Match& match : ended) insert(state.pending, match);
    if (!state.exemptions.empty() && !advance_exemptions(state, ended)) return std::nullopt;
    state.context.read(character);
    if (!prefix_.text.empty()) state.written = std::min(state.written + 1, prefix_.length() + 2);
  }
  state.context.close(vocabulary_, piece);
  if (is_doomed(state)) return std::nullopt;
  return state;
}

bool PrefixAvoidAutomaton::may_end(const State& state) const {
  if (in_prefix(state) || state.context.unfinished.size) return false;
  for (const Exemption& exemption : state.exemptions)
    if (exemption.pending.empty()) return false;
  return std::all_of(state.pending.begin(), state.pending.end(), [&](const Match& match) {
    return !is_avoided(match) || is_in_prefix(state.written, match.second) ||
           !exemption_of(match, {}, state.pending).pending.empty();
  });
}

// ---- the prefix ----

int32_t PrefixAvoidAutomaton::pieces_left(const State& state) const {
  const Prefix::Place place{state.written, state.context.unfinished.size};
  const auto num_fixed = std::distance(prefix_.fixed.lower_bound(place), prefix_.fixed.end());
  const auto open_word = prefix_.text.begin() + std::min(std::max(state.written, prefix_.open_from), prefix_.length());
  const bool is_open = std::any_of(open_word, prefix_.text.end(), [](uint32_t code) { return code != ' '; });
  return static_cast<int32_t>(num_fixed) + is_open;
}

std::vector<int32_t> PrefixAvoidAutomaton::prefix_pieces(const State& state) const {
  const auto fixed = prefix_.fixed.find({state.written, state.context.unfinished.size});
  if (fixed != prefix_.fixed.end()) return {fixed->second};
  std::vector<int32_t> found;
  for (const Prefix::Beginning& beginning : prefix_.beginnings[state.written])
    for (int32_t piece : writing(state.context, beginning))
      if (continues(state, piece)) found.push_back(piece);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool PrefixAvoidAutomaton::is_equal(uint32_t of_prefix, const Character& character) const {
  return of_prefix == (prefix_.ignores_case ? character.first_lower : character.code);
}

// True if the characters of a piece, and the bytes that begin another, agree with the prefix.
bool PrefixAvoidAutomaton::fits_prefix(const State& state, const std::vector<Character>& emission,
                                       int32_t piece) const {
  if (!in_prefix(state)) return true;
  const int32_t left = prefix_.length() - state.written, length = static_cast<int32_t>(emission.size());
  for (int32_t i = 0; i < std::min(left, length); i++)
    if (!is_equal(prefix_.text[state.written + i], emission[i])) return false;
  if (length >= left) return true;
  Context context = state.context;
  context.close(vocabulary_, piece);
  return begins_with(utf8(prefix_.text[state.written + length]), context.unfinished);
}

// True if a piece continues the open last word: it reaches the end of the prefix, or another can follow it.
bool PrefixAvoidAutomaton::continues(const State& state, int32_t piece) const {
  const std::vector<Character> emission = state.context.emission(vocabulary_, piece);
  const int32_t left = prefix_.length() - state.written, length = static_cast<int32_t>(emission.size());
  for (int32_t i = 0; i < std::min(left, length); i++)
    if (!is_equal(prefix_.text[state.written + i], emission[i])) return false;
  if (length >= left) return true;
  const uint32_t following = prefix_.text[state.written + length];
  Context context = state.context;
  context.close(vocabulary_, piece);
  if (context.unfinished.size) return begins_with(utf8(following), context.unfinished);
  return vocabulary_.traits[piece] & GLUES_RIGHT || following == ' ' || vocabulary_.attached.count(following) ||
         vocabulary_.attached.count(FIRST_BYTE + utf8(following)[0]);
}

// The pieces that, in this context, begin with the first character. If that is a space, the character after it must match
// too, if there is one. Pieces that begin with the first byte of a character are among them, or with its next byte if
// some of its bytes are written.
std::vector<int32_t> PrefixAvoidAutomaton::writing(const Context& context, Prefix::Beginning beginning) const {
  std::vector<int32_t> found, pieces;
  add_beginning(beginning.first, context, pieces);
  for (int32_t piece : pieces)
    if (!context.has_space_before(vocabulary_, piece)) found.push_back(piece);
  if (beginning.first != ' ' || context.is_first || context.is_open || context.unfinished.size) return found;
  pieces.clear();
  if (beginning.second) {
    add_beginning(beginning.second, Context(), pieces);
  } else {
    for (int32_t piece = 0; piece < vocabulary_.size; piece++)
      if (!vocabulary_.text(piece).is_empty()) pieces.push_back(piece);
  }
  for (int32_t piece : pieces)
    if (!(vocabulary_.traits[piece] & GLUES_LEFT)) found.push_back(piece);
  return found;
}

void PrefixAvoidAutomaton::add_beginning(uint32_t code, const Context& context, std::vector<int32_t>& found) const {
  const auto add = [&](uint32_t first) {
    const auto pieces = vocabulary_.pieces_with.find(first);
    if (pieces == vocabulary_.pieces_with.end()) return;
    for (int32_t piece : pieces->second)
      if (vocabulary_.first_code(piece) == first) found.push_back(piece);
  };
  const size_t num_written = context.unfinished.size;
  if (!num_written) add(code);
  const std::vector<uint8_t> bytes = utf8(code);
  if (vocabulary_.any_bytes && num_written < bytes.size()) add(FIRST_BYTE + bytes[num_written]);
}

// True if a match that ended `since` characters ago ended within the prefix.
bool PrefixAvoidAutomaton::is_in_prefix(int32_t written, int32_t since) const {
  return !prefix_.text.empty() && written - since <= prefix_.length();
}

// ---- avoided texts ----

// Decides pending matches and open exemptions before a character; false if an avoided match is confirmed and not exempt.
bool PrefixAvoidAutomaton::settle(State& state, const Character& character) const {
  auto [confirmed, waiting] = patterns_.decide(state.pending, character);
  Matches confirmed_phrases, still_pending;
  for (const Match& match : confirmed)
    if (!is_avoided(match)) confirmed_phrases.push_back(match);
  for (const Match& match : state.pending)
    if (contains(confirmed_phrases, match) || contains(waiting, Match{match.first, match.second + 1}))
      still_pending.push_back(match);
  std::vector<Exemption> open;
  const auto is_confirmed = [&confirmed_phrases](const Exemption& exemption) {  // the match is exempt for good
    return !in_both(exemption.pending, confirmed_phrases).empty();
  };
  for (const Exemption& exemption : state.exemptions)
    if (!is_confirmed(exemption)) open.push_back({exemption.partial, in_both(exemption.pending, still_pending)});
  for (const Match& match : confirmed) {
    if (!is_avoided(match) || is_in_prefix(state.written, match.second)) continue;
    Exemption exemption = exemption_of(match, state.partial, still_pending);
    if (!is_confirmed(exemption)) open.push_back(std::move(exemption));
  }
  for (Exemption& exemption : open)
    for (Match& match : exemption.pending) match.second++;
  sort_distinct(open);
  state.pending = std::move(waiting);
  state.exemptions = std::move(open);
  return !any_over(state.exemptions);
}

// The partial and pending required texts that enclose a whole avoided match.
PrefixAvoidAutomaton::Exemption PrefixAvoidAutomaton::exemption_of(const Match& match, const Matches& partial,
                                                                   const Matches& pending) const {
  const int32_t since = match.second, reach = since + patterns_[match.first].length();
  Exemption found;
  for (const Match& one : partial)
    if (!is_avoided(one) && one.second >= reach) found.partial.push_back(one);
  for (const Match& one : pending)
    if (!is_avoided(one) && one.second <= since && one.second + patterns_[one.first].length() >= reach)
      found.pending.push_back(one);
  return found;
}

// The exemptions after a character that `partial` has read: required texts that it continued or ended; false if one
// has none left.
bool PrefixAvoidAutomaton::advance_exemptions(State& state, const Matches& ended) const {
  for (Exemption& exemption : state.exemptions) {
    Matches going;
    for (const auto& [number, matched] : exemption.partial) {
      if (contains(state.partial, Match{number, matched + 1})) going.emplace_back(number, matched + 1);
      if (matched + 1 == patterns_[number].length() && contains(ended, Match{number, 0}))
        insert(exemption.pending, {number, 0});
    }
    exemption.partial = std::move(going);
  }
  sort_distinct(state.exemptions);
  return !any_over(state.exemptions);
}

// True if the text ends with an avoided match that is not exempt and that no continuation can break.
bool PrefixAvoidAutomaton::is_doomed(const State& state) const {
  return std::any_of(state.pending.begin(), state.pending.end(), [&](const Match& match) {
    return is_avoided(match) && !is_in_prefix(state.written, match.second) &&
           exemption_of(match, state.partial, state.pending).is_over() &&
           !Patterns::may_break(vocabulary_, patterns_[match.first], match.second, state.context);
  });
}

}  // namespace pinpoint
