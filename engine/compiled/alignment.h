// The word alignment head (engine/model/alignment.py): how well each piece of a source fits each piece of a target.
#pragma once

#include <utility>
#include <vector>

#include "prefix_tree.h"

namespace pinpoint {

// y = x W^T + b, in 32 bits.
class FloatLinear {
 public:
  // Copies weights (outputs, inputs) and the bias, which may be null, all times `factor`.
  FloatLinear(int num_outputs, int num_inputs, const float* weights, const float* bias, float factor = 1);
  int stride() const { return round_up(num_outputs_, COLUMNS); }
  // The products of `num_rows` rows of x, `stride()` apart.
  std::vector<float> multiply(const Kernels& kernels, const std::vector<float>& x, int num_rows) const;

 private:
  int num_outputs_, num_inputs_;
  std::vector<float> numbers_, bias_;
};

class AlignmentHead {
 public:
  AlignmentHead(const Model& model, int head_size, const float* query, const float* query_bias, const float* key,
                const float* key_bias);
  // The logits (nodes, S) of the nodes of all paths, one path after the other. A node that occurs in several paths is
  // computed once, and what a search has read before is not read again. `source` are the pieces of the tree's source,
  // `memory` the encoder's states of it.
  void logits(PrefixTree& tree, const int32_t* source, int source_length, const float* memory,
              const std::vector<std::vector<int>>& paths, float* logits) const;

 private:
  void add_features(int32_t piece, const float* state, std::vector<float>& features) const;

  const Model& model_;
  const int head_size_;
  FloatLinear query_, key_;
  std::vector<float> ones_, zeros_;
};

// A word is its pieces: the first, and one past the last.
using Words = std::vector<std::pair<int, int>>;

// The probability that two words are translations of each other, (target words, source words), from the logits of
// (target pieces, source pieces): see `word_probabilities` in `engine/model/alignment.py`.
void word_probabilities(const float* logits, int num_rows, int num_columns, const Words& sources, const Words& targets,
                        float* probabilities);

}  // namespace pinpoint
