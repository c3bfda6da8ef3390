#include "phrases.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace pinpoint {

namespace {

constexpr int32_t FAR = std::numeric_limits<int32_t>::max() / 2, CAPACITY = 64;
enum Place : uint8_t { UNTRACKED, AT_START, INSIDE, ENDED };  // in a sentence

uint8_t kind(uint8_t character_class) { return character_class & KIND; }
bool is_word(uint8_t a_kind) { return a_kind == WORD || a_kind == DIGIT; }

uint8_t place_after(uint8_t place, uint8_t of) {  // `matching.sentence_after`
  if (place == UNTRACKED) return UNTRACKED;
  if (of & SENTENCE_END || (place == ENDED && of & SENTENCE_CLOSER)) return ENDED;
  if (of & SPACE) return place == INSIDE ? INSIDE : AT_START;
  return place == AT_START && of & SENTENCE_OPENER ? AT_START : INSIDE;
}

void insert(std::vector<std::pair<int32_t, int32_t>>& matches, std::pair<int32_t, int32_t> match) {
  const auto place = std::lower_bound(matches.begin(), matches.end(), match);
  if (place == matches.end() || *place != match) matches.insert(place, match);
}

template <class Container, class Item>
bool contains(const Container& sorted, const Item& item) {
  return std::binary_search(sorted.begin(), sorted.end(), item);
}

}  // namespace

bool PhraseAutomaton::Context::goes_on(uint8_t of) const {
  return is_word(last) || (last == NUMBER_JOINER && before_last == DIGIT && kind(of) == DIGIT);
}

void PhraseAutomaton::Context::read(uint8_t of) {
  before_last = kind(of) == NUMBER_JOINER ? last : static_cast<uint8_t>(OTHER);
  last = kind(of);
  is_first = false;
  sentence = place_after(sentence, of);
}

bool PhraseAutomaton::State::operator<(const State& other) const {
  const auto facts = [](const State& one) {
    const Context& c = one.context;
    return std::tie(one.turn, c.before_last, c.last, c.is_first, c.is_open, c.sentence, one.partial, one.pending,
                    one.progress);
  };
  return facts(*this) < facts(other);
}

PhraseAutomaton::PhraseAutomaton(const Vocabulary& vocabulary, std::vector<Phrase> phrases,
                                 std::vector<Pattern> patterns, std::vector<Spelling> spellings)
    : vocabulary_(vocabulary), phrases_(std::move(phrases)), patterns_(std::move(patterns)),
      spellings_(std::move(spellings)), states_(START) {
  bool any_initial = false;
  for (size_t number = 0; number < patterns_.size(); number++) {
    patterns_by_first_[patterns_[number].text[0]].push_back(static_cast<int32_t>(number));
    any_initial |= patterns_[number].is_initial;
  }
  std::vector<size_t> num_spellings(phrases_.size());
  for (size_t number = 0; number < spellings_.size(); number++) {
    spellings_by_first_[spellings_[number].pieces[0]].push_back(static_cast<int32_t>(number));
    most_spellings_ = std::max(most_spellings_, ++num_spellings[patterns_[spellings_[number].pattern].owner]);
  }
  for (const Phrase& phrase : phrases_) has_turns_ |= phrase.turn >= 0;
  State start;
  start.context.sentence = any_initial ? AT_START : UNTRACKED;
  number_of(std::move(start));
  const size_t num = phrases_.size(), width = NUM_FLAGS + 2 * num;
  memory_.resize(CAPACITY * (3 + num + width) + num * most_spellings_);
  int32_t* free = memory_.data();
  const auto take = [&free](size_t size) { return std::exchange(free, free + size); };
  buffers_ = {take(CAPACITY), take(CAPACITY), take(CAPACITY), take(CAPACITY * num), take(CAPACITY * width),
              take(num * most_spellings_), CAPACITY};
}

int32_t PhraseAutomaton::number_of(State&& state) {
  const auto [place, is_new] = numbers_.try_emplace(std::move(state), static_cast<int32_t>(states_.size()));
  if (is_new) states_.push_back(place->first);
  return place->second;
}

void PhraseAutomaton::follow(int32_t count) {
  std::fill_n(buffers_.completed, static_cast<size_t>(count) * num_phrases(), 0);
  for (int32_t i = 0; i < count; i++) {
    Counts counts = buffers_.completed + static_cast<size_t>(i) * num_phrases();
    buffers_.next[i] = number_of(after(states_[buffers_.states[i]], buffers_.pieces[i], counts));
  }
}

bool PhraseAutomaton::has_space_before(const Context& context, int32_t piece) const {
  return !(context.is_first || context.is_open || vocabulary_.traits[piece] & GLUES_LEFT);
}

// `PhraseAutomaton.advance`
PhraseAutomaton::State PhraseAutomaton::after(const State& state, int32_t piece, Counts counts) const {
  const Vocabulary::Text text = vocabulary_.text(piece);
  if (!text.length) return state;
  State read_one = has_space_before(state.context, piece) ? after_space(state, counts) : state;
  const Matches progress = std::move(read_one.progress);
  read_one.progress.clear();
  for (int32_t i = 0; i < text.length; i++) read(read_one, text.characters[i], text.classes[i], counts);
  read_one.context.is_open = (vocabulary_.traits[piece] & GLUES_RIGHT) != 0;
  read_one.progress = advanced_spellings(progress, piece, read_one);
  return read_one;
}

// With the partial spellings that continue with a space or have not written a character.
PhraseAutomaton::State PhraseAutomaton::after_space(const State& state, Counts counts) const {
  State read_one = state;
  read_one.progress.clear();
  read(read_one, ' ', SPACE, counts);
  for (const auto& [number, depth] : state.progress) {
    const int32_t length = spellings_[number].lengths[depth];
    if (!length || contains(read_one.partial, Match{spellings_[number].pattern, length + 1}))
      read_one.progress.emplace_back(number, depth);
  }
  return read_one;
}

// Reads one character, without the spellings.
void PhraseAutomaton::read(State& state, uint32_t character, uint8_t of, Counts counts) const {
  const auto beginning = patterns_by_first_.find(character);
  const bool begins = beginning != patterns_by_first_.end();
  if (!state.pending.empty()) decide(state, of, counts);
  if (begins || !state.partial.empty()) {
    Matches going;
    const auto go_on = [&](int32_t number, int32_t matched) {
      if (static_cast<size_t>(matched) == patterns_[number].text.size())
        insert(state.pending, {number, 0});
      else
        insert(going, {number, matched});
    };
    const bool is_inside = state.context.goes_on(of);
    const auto waits = [&] {  // for the word or number of the current turn to end
      return std::any_of(state.pending.begin(), state.pending.end(),
                         [&](const Match& match) { return turn_of(match.first) == state.turn; });
    };
    const bool may_be_next = has_turns_ && waits();
    std::vector<int32_t> fresh;
    for (size_t i = 0; begins && i < beginning->second.size(); i++) {
      const int32_t number = beginning->second[i], own = turn_of(number);
      const Pattern& pattern = patterns_[number];
      if (is_inside ? pattern.bounded_left : pattern.goes_on) continue;
      if (pattern.is_initial && state.context.sentence != AT_START) continue;
      if (own < 0 || own == state.turn || (may_be_next && own == state.turn + 1 && !pattern.joins_numbers))
        fresh.push_back(number);
    }
    for (const auto& [number, matched] : state.partial)
      if (patterns_[number].text[matched] == character) go_on(number, matched + 1);
    for (int32_t number : fresh) go_on(number, 1);
    state.partial = std::move(going);
  }
  state.context.read(of);
}

// Confirms, breaks or keeps the pending matches (`matching.decide`, `PhraseAutomaton._decide`).
void PhraseAutomaton::decide(State& state, uint8_t of, Counts counts) const {
  Matches confirmed, waiting;
  for (const auto& [number, since] : state.pending) {
    const Pattern& pattern = patterns_[number];
    if (phrases_[pattern.owner].ends_text) continue;
    if (since == 0 && pattern.ends_in_digit && kind(of) == NUMBER_JOINER) {
      insert(waiting, {number, 1});
      continue;
    }
    const bool is_broken = since == 0 ? of & MARK || (pattern.bounded_right && is_word(kind(of))) : kind(of) == DIGIT;
    if (!is_broken) confirmed.emplace_back(number, since);
  }
  state.pending = std::move(waiting);
  if (confirmed.empty() && !has_turns_) return;
  int32_t since_turn = FAR;
  std::vector<int32_t> since_end(phrases_.size(), FAR);
  confirm(confirmed, state, counts, since_turn, since_end);
  const bool waits = std::any_of(state.pending.begin(), state.pending.end(),
                                 [&](const Match& match) { return turn_of(match.first) == state.turn; });
  const auto is_taken = [&](int32_t number, int32_t reach) {  // by an occurrence that it would overlap
    const int32_t own = turn_of(number);
    if (own < 0) return reach > since_end[patterns_[number].owner];
    return own < state.turn || own > state.turn + waits || reach > since_turn;
  };
  const auto drop = [](Matches& matches, auto is_one) {
    matches.erase(std::remove_if(matches.begin(), matches.end(), is_one), matches.end());
  };
  drop(state.partial, [&](const Match& match) { return is_taken(match.first, match.second); });
  drop(state.pending, [&](const Match& match) {
    return is_taken(match.first, match.second - 1 + static_cast<int32_t>(patterns_[match.first].text.size()));
  });
}

// Counts the matches, earliest end first, that do not overlap and whose turn it is; sets the state's next turn, the
// characters since the last turn ended and, by phrase, since its last occurrence.
void PhraseAutomaton::confirm(const Matches& matches, State& state, Counts counts, int32_t& since_turn,
                              std::vector<int32_t>& since_end) const {
  Matches in_order = matches;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Match& a, const Match& b) { return a.second > b.second; });
  for (const auto& [number, since] : in_order) {
    const int32_t owner = patterns_[number].owner, own = turn_of(number);
    if (own >= 0 && own != state.turn) continue;
    const int32_t free = own < 0 ? since_end[owner] : since_turn;
    if (since + static_cast<int32_t>(patterns_[number].text.size()) > free) continue;
    counts[owner]++;
    since_end[owner] = since;
    if (own >= 0) {
      state.turn++;
      since_turn = since;
    }
  }
}

// Partial spellings after `piece`: those whose characters still match the text.
PhraseAutomaton::Matches PhraseAutomaton::advanced_spellings(const Matches& progress, int32_t piece,
                                                             const State& after) const {
  Matches going;
  const auto try_one = [&](int32_t number, int32_t depth) {
    const Spelling& spelling = spellings_[number];
    const int32_t num_pieces = static_cast<int32_t>(spelling.pieces.size());
    if (depth == num_pieces || spelling.pieces[depth] != piece) return;
    const int32_t length = spelling.lengths[depth + 1];
    const bool matches = depth + 1 == num_pieces ? contains(after.pending, Match{spelling.pattern, 0})
                                                 : !length || contains(after.partial, Match{spelling.pattern, length});
    if (matches) insert(going, {number, depth + 1});
  };
  for (const auto& [number, depth] : progress) try_one(number, depth);
  if (const auto starting = spellings_by_first_.find(piece); starting != spellings_by_first_.end())
    for (int32_t number : starting->second) try_one(number, 0);
  return going;
}

// The matches at the end of the text, without those in an open word, which the next piece breaks.
PhraseAutomaton::Matches PhraseAutomaton::matches_at_end(const State& state) const {
  Matches found;
  for (const Match& match : state.pending)
    if (!(state.context.is_open && patterns_[match.first].bounded_right)) found.push_back(match);
  return found;
}

void PhraseAutomaton::describe(int32_t count) {
  const size_t num = phrases_.size(), width = NUM_FLAGS + 2 * num;
  for (int32_t i = 0; i < count; i++) {
    const State& state = states_[buffers_.states[i]];
    int32_t* record = buffers_.records + i * width;
    std::fill_n(record, width, 0);
    const bool may_have_space = !(state.context.is_first || state.context.is_open);
    std::vector<int32_t> ignored(num);
    record[0] = state.is_idle();
    record[1] = may_have_space && after_space(state, ignored.data()).is_idle();
    record[2] = may_have_space;
    record[3] = state.context.is_open;
    for (const Match& match : state.pending) record[4] |= phrases_[patterns_[match.first].owner].ends_text;
    record[5] = true;  // met if it ended here, as far as the counts by phrase do not show
    int32_t *pending = record + NUM_FLAGS, *to_go = pending + num, since_turn = FAR;
    std::vector<int32_t> since_end(num, FAR);
    State at_end;
    at_end.turn = state.turn;
    confirm(state.pending, at_end, pending, since_turn, since_end);
    for (size_t p = 0; p < num; p++) to_go[p] = phrases_[p].num_pieces;
    for (const auto& [number, depth] : state.progress) {
      int32_t& own = to_go[patterns_[spellings_[number].pattern].owner];
      own = std::min(own, static_cast<int32_t>(spellings_[number].pieces.size()) - depth);
    }
    for (const Match& match : matches_at_end(state)) to_go[patterns_[match.first].owner] = 0;
  }
}

// For each phrase, the pieces that advance it (`PhraseAutomaton.next_pieces`).
int32_t PhraseAutomaton::forced(int32_t number) {
  const State& state = states_[number];
  std::set<int32_t> met_at_end, met_turns;
  for (const Match& match : matches_at_end(state)) {
    met_at_end.insert(patterns_[match.first].owner);
    met_turns.insert(turn_of(match.first));
  }
  int32_t turn = state.turn;
  while (met_turns.count(turn)) turn++;  // the next word confirms them
  std::map<int32_t, int32_t> deepest;
  for (const auto& [spelling, depth] : state.progress) {
    const Spelling& own = spellings_[spelling];
    const bool is_last = depth == static_cast<int32_t>(own.pieces.size());
    if (!is_last && !met_at_end.count(patterns_[own.pattern].owner))
      deepest[spelling] = std::max(deepest[spelling], depth);
  }
  std::vector<std::set<int32_t>> following(phrases_.size());
  std::vector<int32_t> to_go(phrases_.size(), vocabulary_.size);
  for (const auto& [spelling, depth] : deepest) {
    const Spelling& own = spellings_[spelling];
    const int32_t owner = patterns_[own.pattern].owner;
    following[owner].insert(own.pieces[depth]);
    to_go[owner] = std::min(to_go[owner], static_cast<int32_t>(own.pieces.size()) - depth);
  }
  for (const Spelling& own : spellings_) {
    const Pattern& pattern = patterns_[own.pattern];
    const int32_t begins = own.pieces[0], own_turn = phrases_[pattern.owner].turn;
    if (own_turn >= 0 && own_turn != turn) continue;
    if (static_cast<int32_t>(own.pieces.size()) > to_go[pattern.owner] || !may_begin(state, begins, pattern)) continue;
    if (turn == state.turn || !breaks_number(state, begins, pattern)) following[pattern.owner].insert(begins);
  }
  const int32_t size = static_cast<int32_t>(phrases_.size() * most_spellings_);
  std::fill_n(buffers_.choices, size, -1);
  for (size_t p = 0; p < phrases_.size(); p++)
    std::copy(following[p].begin(), following[p].end(), buffers_.choices + p * most_spellings_);
  return size;
}

// True if the piece can begin the pattern here, with no open word before it.
bool PhraseAutomaton::may_begin(const State& state, int32_t piece, const Pattern& pattern) const {
  const Vocabulary::Text text = vocabulary_.text(piece);
  const bool has_space = has_space_before(state.context, piece) || (text.length && text.characters[0] == ' ');
  if (pattern.is_initial && state.context.sentence != AT_START && state.context.sentence != ENDED) return false;
  if (pattern.is_initial && state.context.sentence == ENDED && !has_space) return false;
  return has_space || !pattern.bounded_left || !state.context.goes_on(pattern.begins_with_digit ? DIGIT : OTHER);
}

// True if the pattern, begun with the piece, would join the digit before it into one number.
bool PhraseAutomaton::breaks_number(const State& state, int32_t piece, const Pattern& pattern) const {
  const Vocabulary::Text text = vocabulary_.text(piece);
  const bool has_space = has_space_before(state.context, piece) || (text.length && text.characters[0] == ' ');
  return pattern.joins_numbers && state.context.last == DIGIT && !has_space;
}

}  // namespace pinpoint
