// The C interface of the compiled search; `engine/search/compiled.py` calls it. No exception leaves it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "../interface.h"
#include "beam_search.h"
#include "constraint_numbers.h"

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

// The sizes of what ctypes fills, so that both sides can compare them: `Task`, `Output`, `Callbacks` and `Character`.
PINPOINT_API void pinpoint_search_sizes(int32_t* sizes) noexcept {
  sizes[0] = sizeof(Task);
  sizes[1] = sizeof(Output);
  sizes[2] = sizeof(Callbacks);
  sizes[3] = sizeof(Character);
}

// `bans`, `traits`, `surfaces` and `layouts` are (size,); `surfaces` may be null. `text_starts` is (size + 1,):
// where the characters of each piece begin in `characters`, which are numbers of an `alphabet`. `describe` is a function of
// Python. Returns null if memory is exhausted.
PINPOINT_API Vocabulary* pinpoint_search_vocabulary_new(int32_t size, int32_t begin, int32_t end, const uint8_t* bans,
                                                        const uint8_t* traits, const char* const* surfaces, const int32_t* layouts,
                                                        const int32_t* text_starts, const uint32_t* characters,
                                                        const Character* alphabet, int32_t alphabet_size,
                                                        int32_t (*describe)(uint32_t, Character*)) noexcept {
  try {
    std::vector<std::string> texts;
    if (surfaces) texts.assign(surfaces, surfaces + size);
    auto made = std::make_unique<Vocabulary>(
        Vocabulary{size, begin, end, {bans, bans + size}, {traits, traits + size}, texts,
                   {layouts, layouts + size}, {text_starts, text_starts + size + 1},
                   {characters, characters + text_starts[size]}, {alphabet, alphabet + alphabet_size}, describe});
    made->index();
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

PINPOINT_API void pinpoint_search_vocabulary_free(Vocabulary* vocabulary) noexcept { delete vocabulary; }

// The constraints of a sentence, in `made`; constraint_numbers.h describes the numbers. The vocabulary must live as long as
// they are used.
PINPOINT_API int32_t pinpoint_search_constraints_new(const Vocabulary* vocabulary, const int32_t* numbers,
                                                     int32_t length, Constraints** made, char* message,
                                                     int32_t message_size) noexcept {
  return guarded(message, message_size,
                 [&] { *made = read_constraints(*vocabulary, numbers, length).release(); });
}

// The number of states and transitions that searches have learned, up to 2^31 - 1.
PINPOINT_API int32_t pinpoint_search_constraints_size(const Constraints* constraints) noexcept {
  return static_cast<int32_t>(std::min<size_t>(constraints->num_learned(), INT32_MAX));
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
