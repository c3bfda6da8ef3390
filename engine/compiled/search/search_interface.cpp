// The C interface of the compiled search; `engine/search/compiled.py` calls it. No exception leaves it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "../interface.h"
#include "beam_search.h"
#include "phrases.h"

namespace {

using namespace pinpoint;

constexpr int32_t CALLBACK_FAILED = -1;  // beside the errors of PinpointError

// Plain data, filled by ctypes; arrays have a place for each of `Task::nbest` hypotheses.
struct Output {
  int32_t* pieces;       // (nbest, max_length)
  double* log_probs;     // (nbest, max_length), of the pieces
  double* scores;        // (nbest, 5): log_prob, score, penalty, total, ranking_score
  int32_t* lengths;      // (nbest,)
  int32_t* num_missing;  // (nbest,)
  int64_t num_rows;
  int32_t num_hypotheses, is_satisfying, num_steps, num_model_steps;
  Outcome outcome;
  char message[256];  // of an error
};

void write(const BeamSearch& search, const BeamSearch::Result& result, int32_t max_length, Output& output) {
  output.num_rows = result.num_rows;
  output.num_hypotheses = static_cast<int32_t>(result.hypotheses.size());
  output.is_satisfying = result.is_satisfying;
  output.num_steps = result.num_steps;
  output.num_model_steps = result.num_model_steps;
  output.outcome = result.outcome;
  for (size_t i = 0; i < result.hypotheses.size(); i++) {
    const Hypothesis& one = result.hypotheses[i];
    const double scores[] = {one.log_prob, one.score, one.penalty, one.total, one.ranking_score};
    std::copy(std::begin(scores), std::end(scores), output.scores + 5 * i);
    output.lengths[i] = one.length;
    output.num_missing[i] = one.num_missing;
    size_t place = i * max_length + one.length;
    search.walk_back(one.history, [&](int32_t piece, double log_prob) {
      output.pieces[--place] = piece;
      output.log_probs[place] = log_prob;
    });
  }
}

template <class Work>
int32_t guarded(char* message, size_t size, Work work) noexcept {
  try {
    work();
    return PINPOINT_OK;
  } catch (const CallbackFailed&) {
    return CALLBACK_FAILED;
  } catch (const std::bad_alloc&) {
    return PINPOINT_NO_MEMORY;
  } catch (const std::length_error&) {
    return PINPOINT_TOO_LONG;
  } catch (const std::exception& error) {
    std::strncpy(message, error.what(), size - 1);
  } catch (...) {
    std::strncpy(message, "unknown error", size - 1);
  }
  message[size - 1] = 0;
  return PINPOINT_OUR_FAULT;
}

}  // namespace

// The sizes of what ctypes fills, so that both sides can compare them: `Task`, `Output`, `Callbacks`, `TrackerCallbacks`
// and `Buffers`.
PINPOINT_API void pinpoint_search_sizes(int32_t* sizes) noexcept {
  sizes[0] = sizeof(Task);
  sizes[1] = sizeof(Output);
  sizes[2] = sizeof(Callbacks);
  sizes[3] = sizeof(TrackerCallbacks);
  sizes[4] = sizeof(Tracker::Buffers);
}

// `bans`, `traits`, `bytes`, `surfaces` and `layouts` are (size,); `surfaces` may be null. `text_starts` is (size + 1,):
// where the characters of each piece begin in `characters` and `classes`. Returns null if memory is exhausted.
PINPOINT_API Vocabulary* pinpoint_search_vocabulary_new(int32_t size, int32_t begin, int32_t end, const uint8_t* bans,
                                                        const uint8_t* traits, const int16_t* bytes,
                                                        const char* const* surfaces, const int32_t* layouts,
                                                        const int32_t* text_starts, const uint32_t* characters,
                                                        const uint8_t* classes) noexcept {
  try {
    std::vector<std::string> texts;
    if (surfaces) texts.assign(surfaces, surfaces + size);
    const int32_t num_characters = text_starts[size];
    auto made = std::make_unique<Vocabulary>(
        Vocabulary{size, begin, end, {bans, bans + size}, {traits, traits + size}, {bytes, bytes + size}, texts,
                   {layouts, layouts + size}, {text_starts, text_starts + size + 1},
                   {characters, characters + num_characters}, {classes, classes + num_characters}, {}});
    for (int32_t piece = 0; piece < size; piece++)
      for (int32_t i = text_starts[piece]; i < text_starts[piece + 1]; i++) {
        std::vector<int32_t>& pieces = made->pieces_with[characters[i]];
        if (pieces.empty() || pieces.back() != piece) pieces.push_back(piece);
      }
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

PINPOINT_API void pinpoint_search_vocabulary_free(Vocabulary* vocabulary) noexcept { delete vocabulary; }

// `phrases` is (num_phrases, 4): required, num_pieces, is_sharing, ends_text. `layouts` is (num_layouts,), by piece. The
// buffers must live as long as this.
PINPOINT_API Constraints* pinpoint_search_constraints_new(int32_t num_phrases, const int32_t* phrases,
                                                          int32_t num_tokens, int32_t is_bounded, int32_t num_layouts,
                                                          const int32_t* layouts, const Tracker::Buffers* buffers,
                                                          const TrackerCallbacks* python) noexcept {
  try {
    std::vector<Constraints::Phrase> all;
    for (const int32_t* p = phrases; p != phrases + 4 * num_phrases; p += 4)
      all.push_back({p[0], p[1], p[2] != 0, p[3] != 0});
    return new Constraints(std::move(all), num_tokens, is_bounded != 0, {layouts, layouts + num_layouts},
                           std::make_unique<PythonTracker>(*buffers, *python));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// The constraints of phrases that share no form and have no `max_count`, tracked without Python. `numbers` describes them:
// the number of phrases, with count, num_pieces, turn (-1: none) and ends_text of each; the number of patterns, with
// owner, flags, length and characters of each; the number of spellings, with pattern, number of pieces, pieces and
// lengths of each. The vocabulary must live as long as this is used.
PINPOINT_API Constraints* pinpoint_search_phrases_new(const Vocabulary* vocabulary, const int32_t* numbers) noexcept {
  try {
    const int32_t* next = numbers;
    std::vector<Constraints::Phrase> required;
    std::vector<PhraseAutomaton::Phrase> phrases;
    int num_tokens = 0;
    for (int32_t left = *next++; left; left--, next += 4) {
      required.push_back({next[0], next[1], false, next[3] != 0});
      phrases.push_back({next[1], next[2], next[3] != 0});
      num_tokens += next[0] * next[1];
    }
    std::vector<PhraseAutomaton::Pattern> patterns;
    for (int32_t left = *next++; left; left--) {
      const int32_t owner = *next++, flags = *next++, length = *next++;
      const auto has = [flags](int bit) { return (flags >> bit & 1) != 0; };
      patterns.push_back({owner, has(0), has(1), has(2), has(3), has(4), has(5), has(6), {next, next + length}});
      next += length;
    }
    std::vector<PhraseAutomaton::Spelling> spellings;
    for (int32_t left = *next++; left; left--) {
      const int32_t pattern = *next++, length = *next++;
      spellings.push_back({pattern, {next, next + length}, {next + length, next + 2 * length + 1}});
      next += 2 * length + 1;
    }
    std::vector<int32_t> layouts = vocabulary->layouts;
    for (const PhraseAutomaton::Spelling& spelling : spellings) layouts[spelling.pieces[0]] = NO_LAYOUT;
    for (const PhraseAutomaton::Pattern& pattern : patterns)
      if (const auto found = vocabulary->pieces_with.find(pattern.text[0]); found != vocabulary->pieces_with.end())
        for (int32_t piece : found->second) layouts[piece] = NO_LAYOUT;
    auto tracker = std::make_unique<PhraseAutomaton>(*vocabulary, std::move(phrases), std::move(patterns),
                                                     std::move(spellings));
    return new Constraints(std::move(required), num_tokens, false, std::move(layouts), std::move(tracker));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

PINPOINT_API void pinpoint_search_constraints_free(Constraints* constraints) noexcept { delete constraints; }

// Searches one sentence to its end. Searches may run in several threads at once if no two of them have the same `steps`
// or `constraints`.
PINPOINT_API int32_t pinpoint_search_run(Steps* steps, const Vocabulary* vocabulary, Constraints* constraints,
                                         const Task* task, const Callbacks* python, Output* output) noexcept {
  return guarded(output->message, sizeof output->message, [&] {
    BeamSearch search(*task, *steps, *vocabulary, *python, *constraints);
    const BeamSearch::Result result = search.run();
    write(search, result, task->max_length, *output);
  });
}
