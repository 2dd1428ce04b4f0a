// The map: every header of src, in an order in which they can be read: each stands after those it includes. The
// algorithm itself is src/microgpt.cpp. Read that first; it needs nothing from here but scalar/.
//
//   text -> tokens -> parameters -> graph -> gradients -> Adam -> names
#pragma once

// clang-format off

// What both paths stand on.
#include "base/error.h"            // one line that says what is wrong and where
#include "base/count.h"            // numbers that do not wrap around
#include "base/file.h"             // whole files in and out
#include "base/replace_file.h"     // a file replaced whole or not at all
#include "base/utf8.h"             // bytes to characters
#include "base/parse_double.h"     // text to a number, in every country
#include "base/libm.h"             // CPython's x ** y, to the last bit, and whether it is here
#include "base/python_random.h"    // CPython's random numbers, to the last bit
#include "base/dataset.h"          // a file to documents
#include "base/tokenizer.h"        // characters to tokens
#include "base/split.h"            // what to learn from, and what to evaluate on
#include "base/mask_pattern.h"     // who may look at whom, in a word
#include "base/activation.h"       // what the MLP does between its matrices
#include "base/config.h"           // the shape of a model, and the two published microgpts
#include "base/schedule.h"         // how the learning rate falls
#include "base/parameters.h"       // the numbers that learn
#include "base/attention_shape.h"  // what attention learns, and what it must remember
#include "base/bigram.h"           // predicting by counting: the baseline

// One scalar at a time: the path to read.
#include "scalar/arena.h"   // memory that never moves
#include "scalar/value.h"   // a number that remembers how it was computed; the tape; backward()
#include "scalar/values.h"  // a list of them
#include "scalar/matrix.h"  // parameters as Values
#include "scalar/ops.h"     // linear, softmax, rmsnorm
#include "scalar/gpt.h"     // what src/microgpt.cpp defines: the model, Adam, training, sampling
#include "scalar/mlp.h"     // a model that sees one token

// Many positions at a time: the path that is fast.
#include "tensor/lanes.h"              // how many numbers at a time
#include "tensor/aligned.h"            // memory that begins where a cache line begins
#include "tensor/view.h"               // a matrix somewhere in memory
#include "tensor/tensor.h"             // a matrix that owns its numbers
#include "tensor/threads.h"            // shares of a task
#include "tensor/batch.h"              // several documents, one after the other
#include "tensor/dropout.h"            // what training sets to zero
#include "tensor/mask.h"               // who may look at whom
#include "tensor/transpose.h"          // rows to columns
#include "tensor/weight.h"             // a matrix of parameters
#include "tensor/attention_call.h"     // what attention is called with
#include "tensor/kernels.h"            // scalar/ops.h again, forward and backward: naive and fast
#include "tensor/multiply_add.h"       // a * b + c, rounded once
#include "tensor/simd.h"               // vectors: 16 numbers at a time
#include "tensor/rows.h"               // single rows of numbers
#include "tensor/drop.h"               // a matrix of which some is dropped
#include "tensor/matmul.h"             // one matrix product for everything
#include "tensor/tile.h"               // the innermost loop
#include "tensor/rope.h"               // positions as angles
#include "tensor/visible.h"            // a mask, as vectors take it
#include "tensor/flash.h"              // attention in blocks
#include "tensor/short_attention.h"    // attention of names
#include "tensor/attention_layer.h"    // many heads, and what they share
#include "tensor/attention_weights.h"  // where each query looks
#include "tensor/gpt.h"                // scalar/gpt.h again, for a batch
#include "tensor/attention_cache.h"    // what attention remembers
#include "tensor/decoder.h"            // scalar/gpt.h again, for one position
#include "tensor/fma_peak.h"           // how fast a processor can be

// Learning and generating.
#include "train/optimizer.h"      // Adam and SGD, for both paths
#include "train/gradient.h"       // is the gradient right?
#include "train/batch_trainer.h"  // training on the tensor path
#include "train/thread_trials.h"  // how many threads help, now
#include "train/sampling.h"       // new names from the tensor path
#include "train/evaluation.h"     // losses, and how far to trust their mean
#include "train/held_out.h"       // how good a model is at names it has not seen
#include "train/safetensors.h"    // named tensors in a file
#include "train/checkpoint.h"     // a trained model in a file

// Looking at it.
#include "debug/graphviz.h"     // a small graph as a drawing
#include "inspect/progress.h"   // how far
#include "inspect/svg.h"        // drawings for a browser
#include "inspect/plot.h"       // heat maps, shades and curves
#include "inspect/attention.h"  // where a position looked
#include "inspect/likeliest.h"  // what a model expects next
#include "inspect/work.h"       // what a computation costs
#include "inspect/summary.h"    // what is in a model
#include "inspect/published.h"  // other people's models
#include "inspect/bench.h"      // how fast

// The program.
#include "program/options.h"        // what they take
#include "program/shape_options.h"  // the shape of a model, as it is typed
#include "program/command_line.h"   // what was typed
#include "program/commands.h"       // train, sample, ...
#include "program/print.h"          // what they print

// Around a lesson.
#include "lesson/lesson.h"      // names to learn from, lines that look alike, checks that count
#include "lesson/softmax.h"     // scores to weights
#include "lesson/one_head.h"    // what goes into a head, and what comes out
#include "lesson/counted.h"     // arithmetic that counts itself
#include "lesson/comparison.h"  // forms of a model, and whether they differ
