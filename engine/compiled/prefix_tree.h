// The decoder: the tree of prefixes of one source's translations (steps.h), computed with a model.
#pragma once

#include <unordered_map>
#include <vector>

#include "blocks.h"
#include "pass.h"
#include "steps.h"

namespace pinpoint {

class PrefixTree : public Steps {
 public:
  // `cross` is that of `encode`, for a source of `source_length` pieces; it is not copied. `starts`, at least one, is
  // what the decoder reads before the first piece. Results take at most `max_bytes`, or what one `expand` needs.
  PrefixTree(const Model& model, const float* cross, int source_length, const std::vector<int32_t>& starts,
             size_t max_bytes);

  void watch(const Watch& watch) override { watch_ = watch; }

  int child(int node, int32_t piece) override;
  int parent(int node) const override { return node == 0 ? -1 : nodes_[node].before; }
  int32_t piece(int node) const override { return nodes_[node].piece; }
  int depth(int node) const override { return nodes_[node].position - first_position_; }
  void expand(const int* nodes, int count) override;
  const float* logits(int node) const override { return nodes_[node].results; }
  float log_sum(int node) const override { return nodes_[node].log_sum; }
  const float* block_maxima(int node) const override { return logits(node) + model_.output.stride(); }
  int vocabulary_size() const override { return model_.config.vocabulary_size; }
  int max_depth() const override;

  // The decoder's memory of the last piece, keys and values of each layer: (layers, 2, E), or the cells of a recurrent
  // decoder: (layers, E). Null if it is not known.
  const float* state(int node) const { return has_state(nodes_[node]) ? nodes_[node].state : nullptr; }
  size_t memory_size() const { return memory_size_; }  // numbers of a state
  // Computes the first layers after each node, as far as they are not known.
  void read(const int* nodes, int count, int num_layers);
  // After `read`: the output of the first layer, (E), and of a model with guided alignment, after all layers, the weights
  // of the source's pieces, (S). Valid until the next call.
  const float* first_layer(int node) const { return nodes_[node].state + memory_size_; }
  const float* source_weights(int node) const { return first_layer(node) + model_.config.model_size; }
  // What the decoder reads for a prefix: the starts and the pieces; and the node of one less, -1 before the first.
  int num_read(int node) const { return nodes_[node].position + 1; }
  int before(int node) const { return nodes_[node].before; }
  int source_length() const { return source_length_; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  size_t num_bytes() const;
  // Prefixes that were computed so far, one that was forgotten in between each time.
  int64_t num_computed() const { return num_computed_; }

 private:
  struct Node {
    int before;  // the node of one piece less, -1 for the first that the decoder reads
    int32_t piece;
    int position;
    int seen = 0;  // the number of the `expand` that needs the node
    int num_layers = 0;  // of which the state is known
    float log_sum = 0;
    float* state = nullptr;    // the decoder's memory, the output of the first layer, the weights of guided alignment
    float* results = nullptr;  // logits and block maxima
  };

  bool has_state(const Node& node) const { return node.num_layers == model_.config.decoder_layers; }
  std::vector<int> unknown_of(const int* nodes, int count, int num_layers, bool has_results);
  void make_room(const int* nodes, int count, size_t num_states, size_t num_results);
  void compute(const std::vector<int>& nodes, int num_layers, const Watch& watch);
  void compute_together(const int* nodes, int count, int num_layers, const Watch& watch);
  void recur(Pass& pass, const int* nodes, int index);
  void find_results(Pass& pass, const int* nodes);

  const Model& model_;
  const float* cross_;
  const int source_length_;
  const int first_position_;
  const size_t max_bytes_;
  const size_t layer_size_, memory_size_, state_size_, results_size_;  // numbers of a node
  Watch watch_;
  Blocks states_, results_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, int> children_;
  std::vector<char> is_wanted_;  // by node: whether the running `expand` asks for its logits
  int num_expansions_ = 0;
  size_t num_states_ = 0, num_results_ = 0;
  int64_t num_computed_ = 0;
};

}  // namespace pinpoint
