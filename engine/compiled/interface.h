// The C interface of the compiled core, which engine/compiled/c_interface.py calls. It throws nothing.
//
// A function that returns `int` returns PINPOINT_OK or the kind of its error; one that returns an object returns null
// for an error. `pinpoint_last_error` has the sentence to it. An object must not be used by two threads at once, except a
// model that is complete.
//
// Whoever changes a function increases PINPOINT_INTERFACE_VERSION, here and in c_interface.py.
#pragma once

#include <stdint.h>

#define PINPOINT_INTERFACE_VERSION 6

#if defined(_WIN32)
#define PINPOINT_API extern "C" __declspec(dllexport)
#else
#define PINPOINT_API extern "C" __attribute__((visibility("default")))
#endif

enum PinpointError {
  PINPOINT_OK = 0,
  PINPOINT_BAD_ARGUMENT = 1,
  PINPOINT_NO_MEMORY = 2,
  PINPOINT_CANCELLED = 3,
  PINPOINT_TOO_LONG = 4,  // a prefix is longer than the model writes
  PINPOINT_OUR_FAULT = 5,
};

// The sizes and variants of engine/model/config.py.
struct PinpointConfig {
  int32_t vocabulary_size, source_vocabulary_size, model_size, num_heads, encoder_feed_forward_size,
      decoder_feed_forward_size, encoder_layers, decoder_layers, num_positions;
  int32_t is_post_norm;
  int32_t activation;  // 0 relu, 1 gelu, 2 swish
  int32_t is_recurrent;
  int32_t has_guided_alignment;
};

struct PinpointModel;
struct PinpointTree;
struct PinpointAlignment;

PINPOINT_API int pinpoint_interface_version(void);
// Of the last call of this thread that returned an error.
PINPOINT_API const char* pinpoint_last_error(void);
// The families of kernels of this build, best first, null behind the last; and whether this processor supports one.
PINPOINT_API const char* pinpoint_kernels(int index, int* is_supported);

// A model without weights. `embedding` (V, E), `source_embedding` (its V, E; null: the same) and `positions`
// (num_positions, E) must stay where they are as long as the model. `kernels`: a family, or null for the best.
PINPOINT_API PinpointModel* pinpoint_model_new(const PinpointConfig* config, const float* embedding,
                                               const float* source_embedding, const float* positions,
                                               const char* kernels);
PINPOINT_API void pinpoint_model_free(PinpointModel* model);
PINPOINT_API const char* pinpoint_model_kernels(const PinpointModel* model);
// Copies and rounds the weights (outputs, inputs) of a part, such as "encoder.0.attention.qkv" or "output". A part that was
// made in 8 bits has the distance of two neighbouring weights of each output, and of two neighbouring inputs; others have
// null and 0.
PINPOINT_API int pinpoint_model_set_linear(PinpointModel* model, const char* name, const float* weights,
                                           const float* bias, int num_outputs, int num_inputs,
                                           const float* weight_steps, float input_step);
PINPOINT_API int pinpoint_model_set_norm(PinpointModel* model, const char* name, const float* gain, const float* bias,
                                         int size);
// An error if a part is not set. Call it before the first source.
PINPOINT_API int pinpoint_model_check(const PinpointModel* model);

// Encodes a source: `memory` (S, E), and `cross` (decoder layers, 2, S, E), the keys and values of each decoder layer.
// `look` may be null; it is called every few milliseconds, and if it returns another value than 0, the call ends with
// PINPOINT_CANCELLED.
PINPOINT_API int pinpoint_encode(const PinpointModel* model, const int32_t* source, int length, int32_t (*look)(void),
                                 float* memory, float* cross);

// The tree of prefixes (steps.h) of a source. `cross` and `model` must stay where they are as long as the tree.
PINPOINT_API PinpointTree* pinpoint_tree_new(const PinpointModel* model, const float* cross, int source_length,
                                             const int32_t* starts, int num_starts, int64_t max_bytes);
PINPOINT_API void pinpoint_tree_free(PinpointTree* tree);
// What may end later calls, as of `pinpoint_encode`; null for nothing.
PINPOINT_API int pinpoint_tree_watch(PinpointTree* tree, int32_t (*look)(void));
// The node of each node's prefix with one more piece.
PINPOINT_API int pinpoint_tree_children(PinpointTree* tree, const int32_t* nodes, const int32_t* pieces, int count,
                                        int32_t* children);
PINPOINT_API int pinpoint_tree_expand(PinpointTree* tree, const int32_t* nodes, int count);
// Log-probabilities (count, V) of the piece after each node, which are computed as far as they are not known.
PINPOINT_API int pinpoint_tree_log_probs(PinpointTree* tree, const int32_t* nodes, int count, float* log_probs);
// The decoder's keys and values of the last piece of each node, (count, layers, 2, E), or the cells of a recurrent decoder,
// (count, layers, E), computed as far as necessary.
PINPOINT_API int pinpoint_tree_states(PinpointTree* tree, const int32_t* nodes, int count, float* states);
// Of a model with guided alignment: the weights (count, S) of the source's pieces for the piece after each node.
PINPOINT_API int pinpoint_tree_source_weights(PinpointTree* tree, const int32_t* nodes, int count, float* weights);
// The nodes of a prefix followed by these pieces, one for each piece.
PINPOINT_API int pinpoint_tree_walk(PinpointTree* tree, int node, const int32_t* pieces, int count, int32_t* nodes);
// The log-probability of one piece after each node.
PINPOINT_API int pinpoint_tree_piece_log_probs(PinpointTree* tree, const int32_t* nodes, const int32_t* pieces,
                                               int count, float* log_probs);
// The nodes of all that the decoder reads up to a node, that is, the starts and the pieces. Returns their number, of which
// at most `capacity` are written.
PINPOINT_API int pinpoint_tree_path(const PinpointTree* tree, int node, int32_t* nodes, int capacity);
// The tree for a search (search/search_interface.cpp): a pointer to `Steps`.
PINPOINT_API void* pinpoint_tree_steps(PinpointTree* tree);
PINPOINT_API int pinpoint_tree_num_nodes(const PinpointTree* tree);
PINPOINT_API int64_t pinpoint_tree_num_bytes(const PinpointTree* tree);
PINPOINT_API int64_t pinpoint_tree_num_computed(const PinpointTree* tree);

// The word alignment head of a model (engine/model/alignment.py): weights (head_size, 2 E) and biases (head_size) of queries
// and keys, which are copied. `model` must stay where it is as long as the head.
PINPOINT_API PinpointAlignment* pinpoint_alignment_new(const PinpointModel* model, int head_size, const float* query,
                                                       const float* query_bias, const float* key,
                                                       const float* key_bias);
PINPOINT_API void pinpoint_alignment_free(PinpointAlignment* alignment);
// The logits of targets of the tree's source, given its pieces and `memory` of `pinpoint_encode`. `pieces` has those of
// all targets, end to end, `lengths` their numbers. `logits` has S numbers for the start and for each piece of each target.
PINPOINT_API int pinpoint_alignment_logits(const PinpointAlignment* alignment, PinpointTree* tree,
                                           const int32_t* source, int source_length, const float* memory,
                                           const int32_t* pieces, const int32_t* lengths, int num_targets,
                                           float* logits);
// The probabilities of words (alignment.h) from such logits. A word is two numbers: its first piece among the rows or columns
// of its logits, and the one behind its last. `target_words` has those of all targets, `num_words` their numbers.
PINPOINT_API int pinpoint_word_probabilities(const float* logits, int source_length, const int32_t* lengths,
                                             int num_targets, const int32_t* source_words, int num_source_words,
                                             const int32_t* target_words, const int32_t* num_words,
                                             float* probabilities);

// For tests: rounds rows (count, inputs) and weights (outputs, inputs) to 8 bits and multiplies them, with one family.
PINPOINT_API int pinpoint_product(const char* kernels, const float* rows, int count, const float* weights,
                                  const float* bias, int num_outputs, int num_inputs, const float* weight_steps,
                                  float input_step, float* products);
