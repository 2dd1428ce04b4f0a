// The map. Read these headers from top to bottom and you have walked from a line of text to an invented name.
//
//   text -> tokens -> parameters -> graph -> gradients -> Adam -> names
#pragma once

// What everything stands on.
#include "base/error.h"          // one line that says what is wrong, where, and what to do
#include "base/file.h"           // whole files in and out
#include "base/replace_file.h"   // a file replaced whole or not at all
#include "base/python_random.h"  // CPython's random numbers, to the last bit
#include "base/libm.h"           // CPython's x ** y, to the last bit
#include "base/utf8.h"           // bytes to characters
#include "base/dataset.h"        // a file to documents
#include "base/tokenizer.h"      // characters to tokens
#include "base/bigram.h"         // predicting by counting: the baseline
#include "base/config.h"         // the shape of a model, and the two published microgpts
#include "base/parameters.h"     // the numbers that learn

// One scalar at a time: the path to read.
#include "scalar/node.h"    // one number, and how it came about
#include "scalar/arena.h"   // memory that never moves
#include "scalar/tape.h"    // all nodes in order; backward() walks them
#include "scalar/value.h"   // a number that remembers: + * exp log
#include "scalar/values.h"  // a list of them
#include "scalar/matrix.h"  // parameters as Values
#include "scalar/ops.h"     // linear, softmax, rmsnorm
#include "scalar/mlp.h"     // a model that sees one token
#include "scalar/gpt.h"     // a model that sees all before it: tokens in, logits out

// Learning and inventing.
#include "train/sgd.h"         // a small step downhill
#include "train/adam.h"        // a step that suits each parameter
#include "train/trainer.h"     // forward, backward, update, again
#include "train/sampling.h"    // one character after the other
#include "train/gradient.h"    // is the gradient right?
#include "train/evaluation.h"  // how good is the model?
#include "train/checkpoint.h"  // a trained model in a file

// Looking at it.
#include "debug/graphviz.h"     // a small graph as a drawing
#include "debug/trace.h"        // every node as it happens
#include "inspect/svg.h"        // drawings for a browser
#include "inspect/plot.h"       // heat maps, shades and curves
#include "inspect/attention.h"  // where a position looked
#include "inspect/likeliest.h"  // what a model expects next
#include "inspect/work.h"       // what a computation costs
#include "inspect/summary.h"    // what is in a model
#include "inspect/progress.h"   // how far
#include "inspect/bench.h"      // how fast

// Around a lesson.
#include "lesson/lesson.h"  // names to learn from, lines that look alike, checks that count
