// The map. Read these headers from top to bottom and you have walked from a line of text to an invented name.
//
//   text -> tokens -> parameters -> graph -> gradients -> Adam -> names
#pragma once

// What everything stands on.
#include "base/attention_shape.h"  // what attention learns, and what it must remember
#include "base/bigram.h"           // predicting by counting: the baseline
#include "base/config.h"           // the shape of a model, and the two published microgpts
#include "base/count.h"            // numbers that do not wrap around
#include "base/dataset.h"          // a file to documents
#include "base/error.h"            // one line that says what is wrong, where, and what to do
#include "base/file.h"             // whole files in and out
#include "base/libm.h"             // CPython's x ** y, to the last bit, and whether it is here
#include "base/mask_pattern.h"     // who may look at whom, in a word
#include "base/parameters.h"       // the numbers that learn
#include "base/parse_double.h"     // text to a number, in every country
#include "base/python_random.h"    // CPython's random numbers, to the last bit
#include "base/replace_file.h"     // a file replaced whole or not at all
#include "base/tokenizer.h"        // characters to tokens
#include "base/utf8.h"             // bytes to characters

// One scalar at a time: the path to read.
#include "scalar/arena.h"   // memory that never moves
#include "scalar/gpt.h"     // a model that sees all before it: tokens in, logits out
#include "scalar/matrix.h"  // parameters as Values
#include "scalar/mlp.h"     // a model that sees one token
#include "scalar/node.h"    // one number, and how it came about
#include "scalar/ops.h"     // linear, softmax, rmsnorm
#include "scalar/tape.h"    // all nodes in order; backward() walks them
#include "scalar/trace.h"   // every node as it happens, printed
#include "scalar/value.h"   // a number that remembers: + * exp log
#include "scalar/values.h"  // a list of them

// Many positions at a time: the path that is fast.
#include "tensor/aligned.h"            // memory that begins where a cache line begins
#include "tensor/attention_cache.h"    // what attention remembers
#include "tensor/attention_layer.h"    // many heads, and what they share
#include "tensor/attention_weights.h"  // where each query looks
#include "tensor/batch.h"              // several documents, one after the other
#include "tensor/decoder.h"            // scalar/gpt.h again, for one position
#include "tensor/drop.h"               // a matrix of which some is dropped
#include "tensor/dropout.h"            // what training sets to zero
#include "tensor/flash.h"              // attention in blocks
#include "tensor/fma_peak.h"           // how fast a processor can be
#include "tensor/gpt.h"                // scalar/gpt.h again, for a batch
#include "tensor/kernels.h"            // scalar/ops.h again, forward and backward: naive and fast
#include "tensor/lanes.h"              // how many numbers at a time
#include "tensor/mask.h"               // who may look at whom
#include "tensor/matmul.h"             // one matrix product for everything
#include "tensor/multiply_add.h"       // a * b + c, rounded once
#include "tensor/rope.h"               // positions as angles
#include "tensor/rows.h"               // single rows of numbers
#include "tensor/short_attention.h"    // attention of names
#include "tensor/simd.h"               // vectors: 16 numbers at a time
#include "tensor/tensor.h"             // a matrix that owns its numbers
#include "tensor/threads.h"            // shares of a task
#include "tensor/tile.h"               // the innermost loop
#include "tensor/transpose.h"          // rows to columns
#include "tensor/view.h"               // a matrix somewhere in memory
#include "tensor/visible.h"            // a mask, as vectors take it
#include "tensor/weight.h"             // a matrix of parameters

// Learning and inventing.
#include "train/adam.h"           // a step that suits each parameter
#include "train/batch_trainer.h"  // the same for the tensor path
#include "train/checkpoint.h"     // a trained model in a file
#include "train/evaluation.h"     // how good is the model?
#include "train/gradient.h"       // is the gradient right?
#include "train/held_out.h"       // how good at names it has never seen?
#include "train/safetensors.h"    // named tensors in a file
#include "train/sampling.h"       // one character after the other
#include "train/sgd.h"            // a small step downhill
#include "train/thread_trials.h"  // how many threads help, now
#include "train/trainer.h"        // forward, backward, update, again

// Looking at it.
#include "debug/graphviz.h"     // a small graph as a drawing
#include "inspect/attention.h"  // where a position looked
#include "inspect/bench.h"      // how fast
#include "inspect/likeliest.h"  // what a model expects next
#include "inspect/plot.h"       // heat maps, shades and curves
#include "inspect/progress.h"   // how far
#include "inspect/published.h"  // other people's models
#include "inspect/summary.h"    // what is in a model
#include "inspect/svg.h"        // drawings for a browser
#include "inspect/work.h"       // what a computation costs

// The program.
#include "program/command_line.h"   // what was typed
#include "program/commands.h"       // train, sample, ...
#include "program/options.h"        // what they take
#include "program/print.h"          // what they print
#include "program/shape_options.h"  // the shape of a model, as it is typed

// Around a lesson.
#include "lesson/comparison.h"  // forms of a model, and whether they differ
#include "lesson/counted.h"     // arithmetic that counts itself
#include "lesson/lesson.h"      // names to learn from, lines that look alike, checks that count
#include "lesson/one_head.h"    // what goes into a head, and what comes out
#include "lesson/softmax.h"     // scores to weights
