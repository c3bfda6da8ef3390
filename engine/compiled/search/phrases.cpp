#include "phrases.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace pinpoint {

namespace {

constexpr int32_t FAR = std::numeric_limits<int32_t>::max() / 2;

SharedMatches sharing_of(const std::vector<PhraseAutomaton::Phrase>& phrases) {
  std::vector<int32_t> group_of;
  std::vector<std::vector<SharedForms::Member>> members;
  for (size_t p = 0; p < phrases.size(); p++) {
    const PhraseAutomaton::Phrase& phrase = phrases[p];
    group_of.push_back(phrase.group);
    if (phrase.group < 0) continue;
    if (members.size() <= static_cast<size_t>(phrase.group)) members.resize(phrase.group + 1);
    members[phrase.group].push_back({static_cast<int32_t>(p), phrase.count, phrase.num_pieces});
  }
  return SharedMatches(std::move(group_of), {members.begin(), members.end()});
}

}  // namespace

PhraseAutomaton::PhraseAutomaton(const Vocabulary& vocabulary, std::vector<Phrase> phrases, Patterns patterns,
                                 std::vector<Spelling> spellings)
    : vocabulary_(vocabulary), phrases_(std::move(phrases)), patterns_(std::move(patterns)),
      spellings_(std::move(spellings)), sharing_(sharing_of(phrases_)) {
  for (const Pattern& pattern : patterns_) tracks_sentences_ |= pattern.is_initial;
  for (size_t number = 0; number < spellings_.size(); number++)
    spellings_by_first_[spellings_[number].pieces[0]].push_back(static_cast<int32_t>(number));
  for (const Phrase& phrase : phrases_) has_turns_ |= phrase.turn >= 0;
}

PhraseAutomaton::State PhraseAutomaton::start() const {
  State start;
  start.context.sentence = tracks_sentences_ ? AT_START : UNTRACKED;
  start.shared = sharing_.start();
  return start;
}

PhraseAutomaton::State PhraseAutomaton::after(const State& state, int32_t piece, Counts counts) const {
  if (vocabulary_.text(piece).is_empty()) return state;
  const bool has_space = state.context.has_space_before(vocabulary_, piece);
  if (state.context.unfinished.size && (has_space || !is_byte(vocabulary_.first_code(piece)))) {  // it stays unfinished
    State broken = state;
    broken.progress.clear();
    for (uint8_t i = 0; i < state.context.unfinished.size; i++) read(broken, BROKEN, counts);
    broken.context.unfinished = {};
    return after(broken, piece, counts);
  }
  return has_space ? after_text(after_space(state, counts), piece, counts) : after_text(state, piece, counts);
}

// After the piece's own characters.
PhraseAutomaton::State PhraseAutomaton::after_text(const State& state, int32_t piece, Counts counts) const {
  State after = state;
  after.progress.clear();
  if (vocabulary_.any_bytes) {
    const ReadText text = read_text(vocabulary_, piece, false, state.context.unfinished);
    for (const Character& character : text.characters) read(after, character, counts);
  } else {
    for (uint32_t number : vocabulary_.text(piece)) read(after, vocabulary_.alphabet[number], counts);
  }
  after.progress = advanced_spellings(state.progress, piece, after);
  after.context.close(vocabulary_, piece);
  return after;
}

// With the partial spellings that continue with a space or have not written a character.
PhraseAutomaton::State PhraseAutomaton::after_space(const State& state, Counts counts) const {
  State after = state;
  after.progress.clear();
  read(after, SPACE_CHARACTER, counts);
  for (const auto& [number, depth] : state.progress) {
    const int32_t length = spellings_[number].lengths[depth];
    if (!length || contains(after.partial, Match{spellings_[number].pattern, length + 1}))
      after.progress.emplace_back(number, depth);
  }
  return after;
}

bool PhraseAutomaton::is_idle_behind_space(const State& state) const {
  std::vector<int32_t> ignored(phrases_.size());
  return !state.context.unfinished.size && after_space(state, ignored.data()).is_idle();
}

// A match of the current turn is pending, until the word or number ends.
bool PhraseAutomaton::waits(const State& state) const {
  return has_turns_ && std::any_of(state.pending.begin(), state.pending.end(),
                                   [&](const Match& match) { return turn_of(match.first) == state.turn; });
}

// Reads one character, without the spellings.
void PhraseAutomaton::read(State& state, const Character& character, Counts counts) const {
  if (!state.pending.empty()) decide(state, character, counts);
  const bool may_be_next = waits(state);
  const auto is_fresh = [&](int32_t number) {
    const int32_t own = turn_of(number);
    return own < 0 || own == state.turn ||
           (may_be_next && own == state.turn + 1 && !patterns_[number].joins_numbers);
  };
  const std::vector<int32_t> fresh = patterns_.beginning(state.context, character, is_fresh);
  if (!fresh.empty() || !state.partial.empty()) {
    auto [going, ended] = patterns_.read(state.partial, fresh, character);
    state.partial = std::move(going);
    for (const Match& match : ended) insert(state.pending, match);
  }
  if (!state.shared.empty()) sharing_.move_on(patterns_, state.shared, state.partial, state.pending);
  state.context.read(character);
}

// Confirms, breaks or keeps the pending matches. The search for a phrase restarts after each occurrence: a match that
// began inside one does not count.
void PhraseAutomaton::decide(State& state, const Character& character, Counts counts) const {
  Matches lasting;
  for (const Match& match : state.pending)
    if (!phrases_[patterns_[match.first].owner].ends_text) lasting.push_back(match);
  auto [confirmed, waiting] = patterns_.decide(lasting, character);
  state.pending = std::move(waiting);
  if (confirmed.empty() && !has_turns_) return;
  state.shared = sharing_.take(patterns_, std::move(state.shared), confirmed);
  const Since since = confirm(confirmed, state.turn, counts);
  const bool may_be_next = waits(state);
  const auto is_taken = [&](int32_t number, int32_t reach) {  // by an occurrence that it would overlap
    const int32_t own = turn_of(number);
    if (own < 0) return reach > since.end[patterns_[number].owner];
    return own < state.turn || own > state.turn + may_be_next || reach > since.turn;
  };
  const auto drop = [](Matches& matches, auto is_one) {
    matches.erase(std::remove_if(matches.begin(), matches.end(), is_one), matches.end());
  };
  drop(state.partial, [&](const Match& match) { return is_taken(match.first, match.second); });
  drop(state.pending, [&](const Match& match) {
    return is_taken(match.first, match.second - 1 + patterns_[match.first].length());
  });
}

// Counts the matches, earliest end first, that do not overlap and whose turn it is, and moves the turn on.
PhraseAutomaton::Since PhraseAutomaton::confirm(const Matches& matches, int32_t& turn, Counts counts) const {
  Since found{FAR, std::vector<int32_t>(phrases_.size(), FAR)};
  Matches in_order = matches;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Match& a, const Match& b) { return a.second > b.second; });
  for (const auto& [number, since] : in_order) {
    const Pattern& pattern = patterns_[number];
    const int32_t own = turn_of(number);
    if (sharing_.group_of(pattern) >= 0 || (own >= 0 && own != turn)) continue;
    if (since + pattern.length() > (own < 0 ? found.end[pattern.owner] : found.turn)) continue;
    counts[pattern.owner]++;
    found.end[pattern.owner] = since;
    if (own >= 0) {
      turn++;
      found.turn = since;
    }
  }
  return found;
}

void PhraseAutomaton::count_pending(const State& state, Counts counts) const {
  int32_t turn = state.turn;
  confirm(state.pending, turn, counts);
}

void PhraseAutomaton::count_sure(const State& state, Counts counts) const {
  Matches sure;
  for (const Match& match : state.pending)
    if (!Patterns::may_break(vocabulary_, patterns_[match.first], match.second, state.context)) sure.push_back(match);
  int32_t turn = state.turn;
  confirm(sure, turn, counts);
}

// Partial spellings after `piece`: those whose characters still match the text.
PhraseAutomaton::Progress PhraseAutomaton::advanced_spellings(const Progress& progress, int32_t piece,
                                                              const State& after) const {
  Progress going;
  const auto try_one = [&](int32_t number, int32_t depth) {
    const Spelling& spelling = spellings_[number];
    if (depth == spelling.size() || spelling.pieces[depth] != piece) return;
    const int32_t length = spelling.lengths[depth + 1];
    const bool matches = depth + 1 == spelling.size()
                             ? contains(after.pending, Match{spelling.pattern, 0})
                             : !length || contains(after.partial, Match{spelling.pattern, length});
    if (matches) insert(going, {number, depth + 1});
  };
  for (const auto& [number, depth] : progress) try_one(number, depth);
  if (const auto starting = spellings_by_first_.find(piece); starting != spellings_by_first_.end())
    for (int32_t number : starting->second) try_one(number, 0);
  return going;
}

// The matches at the end of the text, without those in an open word, which the next piece breaks.
Matches PhraseAutomaton::matches_at_end(const State& state) const {
  const bool is_open = state.context.is_open || state.context.unfinished.size;
  Matches found;
  for (const Match& match : state.pending)
    if (!(is_open && patterns_[match.first].bounded_right)) found.push_back(match);
  return found;
}

bool PhraseAutomaton::shared_met(const State& state) const {
  const std::vector<int32_t> missing = sharing_.missing(sharing_.take(patterns_, state.shared, state.pending));
  return std::all_of(missing.begin(), missing.end(), [](int32_t pieces) { return pieces == 0; });
}

PhraseAutomaton::Missing PhraseAutomaton::shared_missing(const State& state) const {
  const Shared met_at_end = sharing_.take(patterns_, state.shared, matches_at_end(state));
  const std::vector<int32_t> left = sharing_.missing(met_at_end);
  std::vector<int32_t> begun(left.size(), FAR);
  for (const auto& [number, depth] : state.progress) {
    const Spelling& own = spellings_[number];
    const int32_t group = sharing_.group_of(patterns_[own.pattern]);
    if (group < 0 || depth == own.size()) continue;
    begun[group] =
        std::min(begun[group], sharing_.missing_with(patterns_, met_at_end, state.partial, own, depth));
  }
  Missing found;
  for (size_t group = 0; group < left.size(); group++) {
    found.num_pieces += std::min(left[group], begun[group]);
    found.is_under_way |= begun[group] < left[group];
  }
  return found;
}

bool PhraseAutomaton::ends_here(const State& state) const {
  return std::any_of(state.pending.begin(), state.pending.end(),
                     [&](const Match& match) { return phrases_[patterns_[match.first].owner].ends_text; });
}

std::vector<int32_t> PhraseAutomaton::to_go(const State& state) const {
  std::vector<int32_t> missing;
  for (const Phrase& phrase : phrases_) missing.push_back(phrase.num_pieces);
  for (const auto& [number, depth] : state.progress) {
    int32_t& own = missing[patterns_[spellings_[number].pattern].owner];
    own = std::min(own, spellings_[number].size() - depth);
  }
  for (const Match& match : matches_at_end(state)) missing[patterns_[match.first].owner] = 0;
  return missing;
}

// The next piece of a partial spelling, or the first of a shorter rest. At most one piece for each spelling: of two
// partial matches of it, the longer one continues.
std::vector<std::vector<int32_t>> PhraseAutomaton::next_pieces(const State& state) const {
  const Matches at_end = matches_at_end(state);
  std::set<int32_t> met_at_end, met_turns;
  for (const Match& match : at_end) {
    if (sharing_.group_of(patterns_[match.first]) >= 0) continue;
    met_at_end.insert(patterns_[match.first].owner);
    met_turns.insert(turn_of(match.first));
  }
  int32_t turn = state.turn;
  while (met_turns.count(turn)) turn++;  // the next word confirms them
  const Shared shared = sharing_.take(patterns_, state.shared, at_end);
  const std::vector<int32_t> lacking = sharing_.missing(shared);
  std::map<int32_t, int32_t> deepest;
  for (const auto& [number, depth] : state.progress) {
    const Spelling& own = spellings_[number];
    const Pattern& pattern = patterns_[own.pattern];
    if (depth == own.size() || met_at_end.count(pattern.owner)) continue;
    const int32_t group = sharing_.group_of(pattern);
    if (group >= 0 && sharing_.missing_with(patterns_, shared, state.partial, own, depth) >= lacking[group]) continue;
    deepest[number] = std::max(deepest[number], depth);
  }
  std::vector<std::set<int32_t>> following(phrases_.size());
  std::vector<int32_t> to_go(phrases_.size(), vocabulary_.size);
  for (const auto& [number, depth] : deepest) {
    const Spelling& own = spellings_[number];
    const int32_t owner = patterns_[own.pattern].owner;
    following[owner].insert(own.pieces[depth]);
    to_go[owner] = std::min(to_go[owner], own.size() - depth);
  }
  std::map<int32_t, bool> is_useful;  // of phrases that share a form: one more occurrence
  for (const Spelling& own : spellings_) {
    const Pattern& pattern = patterns_[own.pattern];
    const int32_t begins = own.pieces[0], own_turn = phrases_[pattern.owner].turn;
    if (own_turn >= 0 && own_turn != turn) continue;
    if (own.size() > to_go[pattern.owner] || !may_begin(state, begins, pattern)) continue;
    if (const int32_t group = sharing_.group_of(pattern); group >= 0) {
      const auto [place, is_new] = is_useful.try_emplace(pattern.owner);
      if (is_new) place->second = sharing_.missing_with_another(shared, pattern.owner) < lacking[group];
      if (!place->second) continue;
    }
    if (turn == state.turn || !breaks_number(state, begins, pattern)) following[pattern.owner].insert(begins);
  }
  std::vector<std::vector<int32_t>> found;
  for (const std::set<int32_t>& pieces : following) found.emplace_back(pieces.begin(), pieces.end());
  return found;
}

// True if the piece can begin the pattern here, with no open word or character before it.
bool PhraseAutomaton::may_begin(const State& state, int32_t piece, const Pattern& pattern) const {
  if (state.context.unfinished.size) return false;
  if (pattern.is_initial && state.context.sentence != AT_START && state.context.sentence != ENDED) return false;
  const bool has_space = state.context.begins_with_space(vocabulary_, piece);
  if (pattern.is_initial && state.context.sentence == ENDED && !has_space) return false;
  return has_space || !pattern.bounded_left || !state.context.goes_on(pattern.begins_with_digit ? DIGIT : OTHER);
}

// True if the pattern, begun with the piece, would join the digit before it into one number.
bool PhraseAutomaton::breaks_number(const State& state, int32_t piece, const Pattern& pattern) const {
  return pattern.joins_numbers && state.context.last == DIGIT &&
         !state.context.begins_with_space(vocabulary_, piece);
}

}  // namespace pinpoint
