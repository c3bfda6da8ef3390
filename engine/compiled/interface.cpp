#include "interface.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "alignment.h"
#include "encoder.h"
#include "prefix_tree.h"

using pinpoint::Kernels;

struct PinpointModel {
  pinpoint::Model model;
};

struct PinpointTree {
  const pinpoint::Model& model;
  pinpoint::PrefixTree tree;
};

struct PinpointAlignment {
  const pinpoint::Model& model;
  pinpoint::AlignmentHead head;
};

namespace {

thread_local char last_error[256] = "";

int failed(int error, const char* message) {
  std::strncpy(last_error, message, sizeof last_error - 1);
  return error;
}

// Calls `work` and turns what it throws into an error.
template <class Work>
int guarded(Work work) {
  try {
    work();
    return PINPOINT_OK;
  } catch (const pinpoint::Stopped& error) {
    return failed(PINPOINT_CANCELLED, error.what());
  } catch (const std::bad_alloc&) {
    return failed(PINPOINT_NO_MEMORY, "there is not enough memory");
  } catch (const std::length_error& error) {
    return failed(PINPOINT_TOO_LONG, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(PINPOINT_BAD_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    return failed(PINPOINT_OUR_FAULT, error.what());
  } catch (...) {
    return failed(PINPOINT_OUR_FAULT, "unknown error");
  }
}

void require(bool is_right, const char* message) {
  if (!is_right) throw std::invalid_argument(message);
}

const Kernels& kernels_of(const char* name) {
  if (name == nullptr) return pinpoint::best_kernels();
  int count;
  const Kernels* const* all = pinpoint::all_kernels(&count);
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(all[i]->name, name) == 0 && all[i]->is_supported()) return *all[i];
  }
  throw std::invalid_argument("this processor or build has no kernels of the family " + std::string(name));
}

pinpoint::Config checked(const PinpointConfig& config) {
  const int32_t sizes[] = {config.vocabulary_size,           config.source_vocabulary_size,
                           config.model_size,                config.num_heads,
                           config.encoder_feed_forward_size, config.decoder_feed_forward_size,
                           config.encoder_layers,            config.decoder_layers,
                           config.num_positions};
  for (const int32_t size : sizes) require(size > 0, "a size of the model is not positive");
  require(config.activation >= 0 && config.activation <= 2, "the activation is unknown");
  return {config.vocabulary_size,
          config.source_vocabulary_size,
          config.model_size,
          config.num_heads,
          config.encoder_feed_forward_size,
          config.decoder_feed_forward_size,
          config.encoder_layers,
          config.decoder_layers,
          config.num_positions,
          config.is_post_norm != 0,
          static_cast<pinpoint::Activation>(config.activation),
          config.is_recurrent != 0,
          config.has_guided_alignment != 0};
}

void check_pieces(const int32_t* pieces, int count, int vocabulary_size) {
  for (int i = 0; i < count; ++i) {
    require(pieces[i] >= 0 && pieces[i] < vocabulary_size, "a piece is not in the vocabulary");
  }
}

void check_nodes(const PinpointTree& tree, const int32_t* nodes, int count) {
  for (int i = 0; i < count; ++i) require(nodes[i] >= 0 && nodes[i] < tree.tree.num_nodes(), "a node does not exist");
}

}  // namespace

int pinpoint_interface_version(void) { return PINPOINT_INTERFACE_VERSION; }

const char* pinpoint_last_error(void) { return last_error; }

const char* pinpoint_kernels(int index, int* is_supported) {
  int count;
  const Kernels* const* all = pinpoint::all_kernels(&count);
  if (index < 0 || index >= count) return nullptr;
  *is_supported = all[index]->is_supported();
  return all[index]->name;
}

PinpointModel* pinpoint_model_new(const PinpointConfig* config, const float* embedding, const float* source_embedding,
                                  const float* positions, const char* kernels) {
  PinpointModel* made = nullptr;
  guarded([&] {
    made = new PinpointModel{{checked(*config), embedding, source_embedding, positions, kernels_of(kernels)}};
  });
  return made;
}

void pinpoint_model_free(PinpointModel* model) { delete model; }

const char* pinpoint_model_kernels(const PinpointModel* model) { return model->model.kernels.name; }

int pinpoint_model_set_linear(PinpointModel* model, const char* name, const float* weights, const float* bias,
                              int num_outputs, int num_inputs, const float* weight_steps, float input_step) {
  return guarded([&] {
    require(input_step >= 0, "the step of the inputs is negative");
    model->model.set_linear(name, weights, bias, num_outputs, num_inputs, weight_steps, input_step);
  });
}

int pinpoint_model_set_norm(PinpointModel* model, const char* name, const float* gain, const float* bias, int size) {
  return guarded([&] { model->model.set_norm(name, gain, bias, size); });
}

int pinpoint_model_check(const PinpointModel* model) {
  return guarded([&] { model->model.check(); });
}

int pinpoint_encode(const PinpointModel* model, const int32_t* source, int length, int32_t (*look)(void),
                    float* memory, float* cross) {
  return guarded([&] {
    const pinpoint::Config& config = model->model.config;
    require(length > 0, "the source is empty");
    if (length > config.num_positions) throw std::length_error("the source is longer than the model reads");
    const bool has_own = model->model.source_embedding != nullptr;
    check_pieces(source, length, has_own ? config.source_vocabulary_size : config.vocabulary_size);
    pinpoint::encode(model->model, source, length, pinpoint::Watch(look), memory, cross);
  });
}

PinpointTree* pinpoint_tree_new(const PinpointModel* model, const float* cross, int source_length,
                                const int32_t* starts, int num_starts, int64_t max_bytes) {
  PinpointTree* made = nullptr;
  guarded([&] {
    const pinpoint::Config& config = model->model.config;
    require(source_length > 0, "the source is empty");
    require(num_starts > 0 && num_starts <= config.num_positions, "a target needs a start, and places behind it");
    require(max_bytes >= 0, "the memory is negative");
    check_pieces(starts, num_starts, config.vocabulary_size);
    const std::vector<int32_t> copied(starts, starts + num_starts);
    made = new PinpointTree{model->model,
                            {model->model, cross, source_length, copied, static_cast<size_t>(max_bytes)}};
  });
  return made;
}

void pinpoint_tree_free(PinpointTree* tree) { delete tree; }

int pinpoint_tree_watch(PinpointTree* tree, int32_t (*look)(void)) {
  return guarded([&] { tree->tree.watch(pinpoint::Watch(look)); });
}

int pinpoint_tree_children(PinpointTree* tree, const int32_t* nodes, const int32_t* pieces, int count,
                           int32_t* children) {
  return guarded([&] {
    check_nodes(*tree, nodes, count);
    check_pieces(pieces, count, tree->tree.vocabulary_size());
    for (int i = 0; i < count; ++i) children[i] = tree->tree.child(nodes[i], pieces[i]);
  });
}

int pinpoint_tree_expand(PinpointTree* tree, const int32_t* nodes, int count) {
  return guarded([&] {
    check_nodes(*tree, nodes, count);
    tree->tree.expand(nodes, count);
  });
}

int pinpoint_tree_log_probs(PinpointTree* tree, const int32_t* nodes, int count, float* log_probs) {
  return guarded([&] {
    check_nodes(*tree, nodes, count);
    tree->tree.expand(nodes, count);
    const int vocabulary_size = tree->tree.vocabulary_size();
    for (int i = 0; i < count; ++i, log_probs += vocabulary_size) {
      const float* logits = tree->tree.logits(nodes[i]);
      const float log_sum = tree->tree.log_sum(nodes[i]);
      for (int piece = 0; piece < vocabulary_size; ++piece) log_probs[piece] = logits[piece] - log_sum;
    }
  });
}

int pinpoint_tree_states(PinpointTree* tree, const int32_t* nodes, int count, float* states) {
  return guarded([&] {
    check_nodes(*tree, nodes, count);
    tree->tree.expand(nodes, count);
    const size_t size = tree->tree.memory_size();
    for (int i = 0; i < count; ++i) std::memcpy(states + i * size, tree->tree.state(nodes[i]), size * sizeof(float));
  });
}

int pinpoint_tree_source_weights(PinpointTree* tree, const int32_t* nodes, int count, float* weights) {
  return guarded([&] {
    require(tree->model.config.has_guided_alignment, "the model has no guided alignment");
    check_nodes(*tree, nodes, count);
    tree->tree.read(nodes, count, tree->model.config.decoder_layers);
    const size_t length = tree->tree.source_length();
    for (int i = 0; i < count; ++i, weights += length) {
      std::memcpy(weights, tree->tree.source_weights(nodes[i]), length * sizeof(float));
    }
  });
}

int pinpoint_tree_walk(PinpointTree* tree, int node, const int32_t* pieces, int count, int32_t* nodes) {
  return guarded([&] {
    check_nodes(*tree, &node, 1);
    check_pieces(pieces, count, tree->tree.vocabulary_size());
    for (int i = 0; i < count; ++i) nodes[i] = node = tree->tree.child(node, pieces[i]);
  });
}

int pinpoint_tree_piece_log_probs(PinpointTree* tree, const int32_t* nodes, const int32_t* pieces, int count,
                                  float* log_probs) {
  constexpr int AT_ONCE = 64;  // the logits of long prefixes would not fit into the memory of the tree
  return guarded([&] {
    check_nodes(*tree, nodes, count);
    check_pieces(pieces, count, tree->tree.vocabulary_size());
    for (int first = 0; first < count; first += AT_ONCE) {
      const int behind = first + AT_ONCE < count ? first + AT_ONCE : count;
      tree->tree.expand(nodes + first, behind - first);
      for (int i = first; i < behind; ++i) log_probs[i] = tree->tree.logits(nodes[i])[pieces[i]] - tree->tree.log_sum(nodes[i]);
    }
  });
}

int pinpoint_tree_path(const PinpointTree* tree, int node, int32_t* nodes, int capacity) {
  if (node < 0 || node >= tree->tree.num_nodes()) return 0;
  const int length = tree->tree.num_read(node);
  for (int place = length - 1; place >= 0; --place, node = tree->tree.before(node)) {
    if (place < capacity) nodes[place] = node;
  }
  return length;
}

void* pinpoint_tree_steps(PinpointTree* tree) { return static_cast<pinpoint::Steps*>(&tree->tree); }

int pinpoint_tree_num_nodes(const PinpointTree* tree) { return tree->tree.num_nodes(); }

int64_t pinpoint_tree_num_bytes(const PinpointTree* tree) { return static_cast<int64_t>(tree->tree.num_bytes()); }

int64_t pinpoint_tree_num_computed(const PinpointTree* tree) { return tree->tree.num_computed(); }

PinpointAlignment* pinpoint_alignment_new(const PinpointModel* model, int head_size, const float* query,
                                          const float* query_bias, const float* key, const float* key_bias) {
  PinpointAlignment* made = nullptr;
  guarded([&] {
    require(head_size > 0, "the head has no size");
    require(model->model.source_embedding == nullptr, "the head has one table of embeddings for both sides");
    made = new PinpointAlignment{model->model, {model->model, head_size, query, query_bias, key, key_bias}};
  });
  return made;
}

void pinpoint_alignment_free(PinpointAlignment* alignment) { delete alignment; }

int pinpoint_alignment_logits(const PinpointAlignment* alignment, PinpointTree* tree, const int32_t* source,
                              int source_length, const float* memory, const int32_t* pieces, const int32_t* lengths,
                              int num_targets, float* logits) {
  return guarded([&] {
    require(&alignment->model == &tree->model, "the tree is of another model");
    require(source_length == tree->tree.source_length(), "the tree is of another source");
    check_pieces(source, source_length, tree->tree.vocabulary_size());
    std::vector<std::vector<int>> paths;
    for (int target = 0; target < num_targets; pieces += lengths[target++]) {
      require(lengths[target] >= 0, "a length is negative");
      if (lengths[target] > tree->tree.max_depth()) {
        throw std::length_error("the target is longer than the model writes");
      }
      check_pieces(pieces, lengths[target], tree->tree.vocabulary_size());
      std::vector<int>& path = paths.emplace_back(1, 0);
      for (int i = 0; i < lengths[target]; ++i) path.push_back(tree->tree.child(path.back(), pieces[i]));
    }
    alignment->head.logits(tree->tree, source, source_length, memory, paths, logits);
  });
}

int pinpoint_word_probabilities(const float* logits, int source_length, const int32_t* lengths, int num_targets,
                                const int32_t* source_words, int num_source_words, const int32_t* target_words,
                                const int32_t* num_words, float* probabilities) {
  return guarded([&] {
    const auto words_of = [](const int32_t* numbers, int count, int num_pieces) {
      pinpoint::Words words;
      for (int i = 0; i < count; ++i, numbers += 2) {
        require(0 <= numbers[0] && numbers[0] < numbers[1] && numbers[1] <= num_pieces, "a word has other pieces");
        words.emplace_back(numbers[0], numbers[1]);
      }
      return words;
    };
    const pinpoint::Words sources = words_of(source_words, num_source_words, source_length);
    for (int target = 0; target < num_targets; ++target) {
      const int num_rows = 1 + lengths[target];
      const pinpoint::Words targets = words_of(target_words, num_words[target], num_rows);
      pinpoint::word_probabilities(logits, num_rows, source_length, sources, targets, probabilities);
      logits += static_cast<ptrdiff_t>(num_rows) * source_length;
      target_words += 2 * targets.size();
      probabilities += targets.size() * sources.size();
    }
  });
}

int pinpoint_product(const char* kernels, const float* rows, int count, const float* weights, const float* bias,
                     int num_outputs, int num_inputs, const float* weight_steps, float input_step, float* products) {
  return guarded([&] {
    require(count > 0 && num_outputs > 0 && num_inputs > 0, "a size is not positive");
    const Kernels& family = kernels_of(kernels);
    pinpoint::Linear linear(num_outputs, num_inputs);
    linear.set(weights, bias, weight_steps, input_step);
    pinpoint::QuantisedRows quantised;
    linear.quantise(family, rows, num_inputs, count, quantised);
    std::vector<float> y(static_cast<size_t>(count) * linear.stride());
    std::vector<float*> pointers;
    for (int row = 0; row < count; ++row) pointers.push_back(y.data() + static_cast<size_t>(row) * linear.stride());
    linear.multiply(family, quantised, count, pointers.data());
    for (int row = 0; row < count; ++row) std::memcpy(products + static_cast<size_t>(row) * num_outputs, pointers[row], num_outputs * sizeof(float));
  });
}
