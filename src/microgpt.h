// The map: every header of src, each after those it includes. The algorithm itself is src/microgpt.cpp. Read that
// first; to understand it you only need scalar/.
//
//   text -> tokens -> parameters -> graph -> gradients -> Adam -> names
#pragma once

// clang-format off

// Used by both paths.
#include "base/error.h"            // errors as one line: what is wrong and where
#include "base/count.h"            // counts that saturate instead of wrapping around
#include "base/file.h"             // reading and writing whole files
#include "base/replace_file.h"     // replacing a file completely or not at all
#include "base/base64.h"           // bytes as text
#include "base/utf8.h"             // bytes to characters
#include "base/parse_double.h"     // text to a number, in any locale
#include "base/libm.h"             // CPython's x ** y, to the last bit, if the C library allows it
#include "base/python_random.h"    // CPython's random numbers, to the last bit
#include "base/dataset.h"          // a file to documents
#include "base/tokenizer.h"        // characters to tokens
#include "base/split.h"            // training documents and held-out documents
#include "base/task.h"             // documents that need attention: kqzt=kqzt
#include "base/mask_pattern.h"     // which tokens may attend to which, as one word
#include "base/activation.h"       // what the MLP does between its matrices
#include "base/config.h"           // the shape of a model, and the two published microgpts
#include "base/schedule.h"         // how the learning rate falls
#include "base/parameters.h"       // the numbers that training changes
#include "base/attention_shape.h"  // the matrices of attention, and the size of its cache
#include "base/bigram.h"           // predicting by counting: the baseline

// The scalar path: one number at a time, easy to read.
#include "scalar/arena.h"   // memory that never moves
#include "scalar/value.h"   // a number that remembers how it was computed; the tape; backward()
#include "scalar/values.h"  // a list of Values
#include "scalar/matrix.h"  // parameters as Values
#include "scalar/ops.h"     // linear, softmax, rmsnorm
#include "scalar/gpt.h"     // what src/microgpt.cpp defines: the model, Adam, training, sampling
#include "scalar/mlp.h"     // a model that sees one token

// The tensor path: many positions at a time, fast.
#include "tensor/lanes.h"              // how many numbers fit into a vector
#include "tensor/aligned.h"            // memory aligned to cache lines
#include "tensor/view.h"               // a matrix inside other memory
#include "tensor/tensor.h"             // a matrix that owns its numbers
#include "tensor/threads.h"            // dividing a task among threads
#include "tensor/batch.h"              // several documents, one after the other
#include "tensor/dropout.h"            // numbers that training sets to zero
#include "tensor/mask.h"               // which positions may attend to which
#include "tensor/transpose.h"          // rows to columns
#include "tensor/weight.h"             // a matrix of parameters
#include "tensor/attention_call.h"     // the arguments of the attention kernels
#include "tensor/kernels.h"            // the layers, forward and backward: naive and fast
#include "tensor/multiply_add.h"       // a * b + c, rounded once
#include "tensor/simd.h"               // vectors: up to 16 numbers at a time
#include "tensor/rows.h"               // operations on single rows
#include "tensor/drop.h"               // dropout of a whole matrix
#include "tensor/matmul.h"             // one matrix product for everything
#include "tensor/tile.h"               // the innermost loop
#include "tensor/rope.h"               // positions as rotations
#include "tensor/visible.h"            // a mask in the form that vectors need
#include "tensor/flash.h"              // attention in blocks, without the T by T matrix
#include "tensor/short_attention.h"    // attention for short documents: names
#include "tensor/attention_layer.h"    // attention as a layer: MHA, MQA, GQA, MLA
#include "tensor/attention_weights.h"  // where each query looks
#include "tensor/gpt.h"                // gpt() for a batch
#include "tensor/attention_cache.h"    // the KV cache
#include "tensor/decoder.h"            // gpt() for one position, with a cache
#include "tensor/fma_peak.h"           // the processor's peak speed

// Learning and generating.
#include "train/optimizer.h"        // Adam and SGD
#include "train/batch_optimizer.h"  // the same for the tensor path
#include "train/gradient.h"         // checking a gradient
#include "train/batch_trainer.h"    // training on the tensor path
#include "train/thread_trials.h"    // how many threads are fastest at the moment
#include "train/sampling.h"         // new names from the tensor path
#include "train/evaluation.h"       // losses, and how precise their mean is
#include "train/held_out.h"         // how good a model is at names it has not seen
#include "train/memory.h"           // how much memory a training takes
#include "train/safetensors.h"      // named tensors in a file
#include "train/checkpoint.h"       // a trained model in a file
#include "train/history.h"          // the models of a training, in a directory

// Looking at models.
#include "inspect/progress.h"    // step lines and a progress bar
#include "inspect/svg.h"         // drawings for a browser
#include "inspect/plot.h"        // heat maps, shades and curves
#include "inspect/chart.h"       // lines over any axis
#include "inspect/likeliest.h"   // what a model expects next
#include "inspect/work.h"        // counting multiply-adds
#include "inspect/moments.h"     // a mean, and how precise it is
#include "inspect/probe.h"       // a model run on documents, with heads silenced
#include "inspect/heads.h"       // what heads look at
#include "inspect/importance.h"  // what heads are worth
#include "inspect/head_row.h"    // one head at one position, in numbers
#include "inspect/page.h"        // the inspector
#include "inspect/pruning.h"     // which heads can go
#include "inspect/gallery.h"     // maps of all heads
#include "inspect/published.h"   // the shapes of published models
#include "inspect/bench.h"       // measuring speed
#include "inspect/readable.h"    // 67.5 KiB, 6.738B

// The program.
#include "program/options.h"             // commands and options as data
#include "program/commands.h"            // train, sample, ...
#include "program/print.h"               // output that several commands share
#include "program/heads_report.h"        // tables and JSON of microgpt heads
#include "program/measured_documents.h"  // what heads are measured on
#include "program/inspector.h"           // writing the inspector
#include "program/interrupt.h"           // stopping in good order
#include "program/train_options.h"       // the options of train
#include "program/after_step.h"          // showing a step, and saving
#include "program/resume.h"              // going on with a saved training

// What the lessons share.
#include "lesson/lesson.h"           // names to learn from, uniform output, checks
#include "lesson/softmax.h"          // scores to weights
#include "lesson/array.h"            // a matrix as it stands on paper
#include "lesson/look.h"             // one head at one position of a batch
#include "lesson/nudge.h"            // slopes by trying
#include "lesson/number_grid.h"      // a small matrix in a drawing
#include "lesson/draft_mlp.h"        // the network of lesson 02 for any kind of Value
#include "lesson/plane.h"            // arrows and dots in a drawing
#include "lesson/puzzle.h"           // a task that needs looking back
#include "lesson/puzzle_picture.h"   // what a model gets right of it
#include "lesson/one_head.h"         // the inputs and outputs of one head
#include "lesson/counted.h"          // arithmetic that counts its operations
#include "lesson/comparison.h"       // comparing forms of a model
#include "lesson/recipe.h"           // training by a recipe
#include "lesson/trained.h"          // a trained model, and documents to measure it on
#include "lesson/tensor_gradient.h"  // a loss and its gradient by src/tensor
#include "lesson/draft_gpt.h"        // a GPT around an attention of your own
