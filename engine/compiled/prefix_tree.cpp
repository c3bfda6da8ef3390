#include "prefix_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pinpoint {

namespace {
constexpr int ROWS_AT_ONCE = 64;  // more are not computed faster, and a cancellation waits for them
}

PrefixTree::PrefixTree(const Model& model, const float* cross, int source_length, const std::vector<int32_t>& starts,
                       size_t max_bytes)
    : model_(model),
      cross_(cross),
      source_length_(source_length),
      first_position_(static_cast<int>(starts.size()) - 1),
      max_bytes_(max_bytes),
      layer_size_(static_cast<size_t>(model.config.is_recurrent ? 1 : 2) * model.config.model_size),
      memory_size_(model.config.decoder_layers * layer_size_),
      state_size_(memory_size_ + model.config.model_size + (model.config.has_guided_alignment ? source_length : 0)),
      results_size_(static_cast<size_t>(model.output.stride()) + model.output.stride() / BLOCK),
      states_(state_size_),
      results_(results_size_) {
  static_assert(BLOCK == COLUMNS, "a block of logits is a block of the product's outputs");
  nodes_.resize(starts.size());
  for (int i = 0; i <= first_position_; ++i) {  // node 0 has the last start, the nodes behind it those before that
    Node& node = nodes_[i == first_position_ ? 0 : i + 1];
    node.before = i - 1 < 0 ? -1 : i;
    node.piece = starts[i];
    node.position = i;
  }
}

int PrefixTree::max_depth() const { return model_.config.num_positions - 1 - std::max(1, first_position_); }

size_t PrefixTree::num_bytes() const {
  constexpr size_t CHILD = 48;  // an entry of the table of children
  return sizeof(float) * (num_states_ * state_size_ + num_results_ * results_size_) + nodes_.capacity() * sizeof(Node) +
         children_.size() * CHILD;
}

int PrefixTree::child(int node, int32_t piece) {
  const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(piece);
  const auto [place, is_new] = children_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (is_new) {
    try {
      nodes_.emplace_back();
    } catch (...) {
      children_.erase(place);
      throw;
    }
    nodes_.back().before = node;
    nodes_.back().piece = piece;
    nodes_.back().position = nodes_[node].position + 1;
  }
  return place->second;
}

void PrefixTree::expand(const int* nodes, int count) {
  const std::vector<int> unknown = unknown_of(nodes, count, model_.config.decoder_layers, true);
  if (unknown.empty()) return;
  make_room(nodes, count, unknown.size(), count);
  is_wanted_.assign(nodes_.size(), 0);
  for (int i = 0; i < count; ++i) is_wanted_[nodes[i]] = 1;
  compute(unknown, model_.config.decoder_layers, watch_);
}

void PrefixTree::read(const int* nodes, int count, int num_layers) {
  const std::vector<int> unknown = unknown_of(nodes, count, num_layers, false);
  if (unknown.empty()) return;
  make_room(nodes, count, unknown.size(), 0);
  is_wanted_.assign(nodes_.size(), 0);
  compute(unknown, num_layers, watch_);
}

// The nodes to compute, beginnings first: those without results, if these are asked for, and those, with all beginnings,
// of which fewer layers are known.
std::vector<int> PrefixTree::unknown_of(const int* nodes, int count, int num_layers, bool has_results) {
  std::vector<int> unknown;
  ++num_expansions_;
  for (int i = 0; i < count; ++i) {
    if (depth(nodes[i]) > max_depth()) throw std::length_error("the prefix is longer than the model writes");
    for (int node = nodes[i]; node >= 0 && nodes_[node].seen != num_expansions_; node = nodes_[node].before) {
      nodes_[node].seen = num_expansions_;
      const bool is_asked = has_results && node == nodes[i];
      const bool is_known = nodes_[node].num_layers >= num_layers && (!is_asked || nodes_[node].results);
      if (!is_known) unknown.push_back(node);
    }
  }
  // A node that was met as the beginning of another one may be asked for, too.
  for (int i = 0; has_results && i < count; ++i) {
    if (has_state(nodes_[nodes[i]]) && !nodes_[nodes[i]].results) unknown.push_back(nodes[i]);
  }
  const auto comes_first = [&](int a, int b) {
    return nodes_[a].position != nodes_[b].position ? nodes_[a].position < nodes_[b].position : a < b;
  };
  std::sort(unknown.begin(), unknown.end(), comes_first);
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  return unknown;
}

// Forgets results, and if that is not enough states, that the running call does not need.
void PrefixTree::make_room(const int* nodes, int count, size_t num_states, size_t num_results) {
  const size_t needed = sizeof(float) * (num_states * state_size_ + num_results * results_size_);
  if (num_bytes() + needed <= max_bytes_) return;
  std::vector<char> is_asked(nodes_.size(), 0);
  for (int i = 0; i < count; ++i) is_asked[nodes[i]] = 1;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!is_asked[node] && nodes_[node].results) {
      results_.give_back(std::exchange(nodes_[node].results, nullptr));
      --num_results_;
    }
  }
  if (num_bytes() + needed <= max_bytes_) return;
  for (Node& node : nodes_) {
    if (node.seen != num_expansions_ && node.state) {
      states_.give_back(std::exchange(node.state, nullptr));
      node.num_layers = 0;
      --num_states_;
    }
  }
}

void PrefixTree::compute(const std::vector<int>& nodes, int num_layers, const Watch& watch) {
  for (size_t first = 0; first < nodes.size(); first += ROWS_AT_ONCE) {
    const size_t count = std::min<size_t>(ROWS_AT_ONCE, nodes.size() - first);
    compute_together(nodes.data() + first, static_cast<int>(count), num_layers, watch);
  }
}

// The first layers of some nodes, and the results of those that are wanted if these are all layers.
void PrefixTree::compute_together(const int* nodes, int count, int num_layers, const Watch& watch) {
  const Config& config = model_.config;
  const int size = config.model_size;
  const ptrdiff_t to_source_value = static_cast<ptrdiff_t>(source_length_) * size;
  Pass pass(model_, count, std::max(3 * size, config.decoder_feed_forward_size));
  std::vector<const float*> past;  // the states of each row's pieces, newest first, one row after the other
  std::vector<size_t> firsts(1, 0);
  int longest = source_length_;
  for (int row = 0; row < count; ++row) {
    Node& node = nodes_[nodes[row]];
    model_.embed(model_.embedding, node.piece, node.position, pass.x(row));
    if (!node.state) {
      node.state = states_.take();
      ++num_states_;
    }
    for (int seen = nodes[row]; seen >= 0 && !config.is_recurrent; seen = nodes_[seen].before) {
      past.push_back(nodes_[seen].state);
    }
    firsts.push_back(past.size());
    longest = std::max(longest, node.position + 1);
  }
  std::vector<float> weights(round_up(longest, PLACES)), unused(config.head_size());
  std::vector<const float*> source(source_length_);
  for (int index = 0; index < num_layers; ++index) {
    watch.glance();
    const DecoderLayer& layer = model_.decoder_layers[index];
    if (config.is_recurrent) {
      recur(pass, nodes, index);
    } else {
      const float* qkv = pass.read(layer.attention.norm, layer.attention.qkv);
      const size_t stride = layer.attention.qkv.stride(), own = index * layer_size_;
      for (int row = 0; row < count; ++row) {
        std::copy_n(qkv + row * stride + size, 2 * size, nodes_[nodes[row]].state + own);
      }
      for (int row = 0; row < count; ++row) {
        model_.kernels.attend(qkv + row * stride, past.data() + firsts[row], size,
                              static_cast<int>(firsts[row + 1] - firsts[row]), config.num_heads, config.head_size(),
                              weights.data(), pass.mixed(row));
      }
      for (const float*& state : past) state += 2 * size;
      pass.write(layer.attention.out);
    }

    const float* queries = pass.read(layer.cross.norm, layer.cross.q);
    for (int s = 0; s < source_length_; ++s) source[s] = cross_ + 2 * index * to_source_value + static_cast<ptrdiff_t>(s) * size;
    for (int row = 0; row < count; ++row) {
      const float* query = queries + static_cast<size_t>(row) * layer.cross.q.stride();
      model_.kernels.attend(query, source.data(), to_source_value, source_length_, config.num_heads, config.head_size(),
                            weights.data(), pass.mixed(row));
      if (config.has_guided_alignment && index == config.decoder_layers - 1) {  // the weights of the first head
        model_.kernels.attend(query, source.data(), to_source_value, source_length_, 1, config.head_size(),
                              weights.data(), unused.data());
        std::copy_n(weights.data(), source_length_, nodes_[nodes[row]].state + memory_size_ + size);
      }
    }
    pass.write(layer.cross.out);
    pass.feed_forward(layer.feed_forward);
    for (int row = 0; index == 0 && row < count; ++row) {
      std::copy_n(pass.x(row), size, nodes_[nodes[row]].state + memory_size_);
    }
  }
  if (num_layers == config.decoder_layers) {
    pass.finish(model_.decoder_norm);
    find_results(pass, nodes);
    num_computed_ += count;
  }
  for (int row = 0; row < count; ++row) nodes_[nodes[row]].num_layers = num_layers;
}

// The recurrence of one layer. A node's beginning comes before it among the rows, or is known.
void PrefixTree::recur(Pass& pass, const int* nodes, int index) {
  const Recurrence& recurrence = model_.decoder_layers[index].recurrence;
  const int size = model_.config.model_size;
  const float* gates = pass.read(recurrence.norm, recurrence.gates);
  const std::vector<float> nothing(size);
  for (int row = 0; row < pass.num_rows(); ++row, gates += recurrence.gates.stride()) {
    const Node& node = nodes_[nodes[row]];
    const size_t own = index * layer_size_;
    const float* before = node.before < 0 ? nothing.data() : nodes_[node.before].state + own;
    model_.kernels.recur(gates, gates + size, before, size, nodes_[nodes[row]].state + own, pass.x(row));
  }
}

// The logits of the rows that are asked for.
void PrefixTree::find_results(Pass& pass, const int* nodes) {
  std::vector<int> rows;
  for (int row = 0; row < pass.num_rows(); ++row) {
    if (is_wanted_[nodes[row]]) rows.push_back(row);
  }
  std::vector<float*> logits;
  for (int row : rows) {
    float* known = nodes_[nodes[row]].results;
    logits.push_back(known != nullptr ? known : results_.take());
  }
  pass.project(model_.output, rows, logits.data());
  for (size_t i = 0; i < rows.size(); ++i) {
    Node& node = nodes_[nodes[rows[i]]];
    num_results_ += node.results == nullptr ? 1 : 0;
    node.log_sum = model_.kernels.log_sum(logits[i], model_.output.stride(), logits[i] + model_.output.stride());
    node.results = logits[i];
  }
}

}  // namespace pinpoint
