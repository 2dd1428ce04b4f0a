// The map. Read these headers from top to bottom and you have walked from a line of text to an invented name.
//
//   text -> tokens -> parameters -> graph -> gradients -> Adam -> names
#pragma once

// What everything stands on.
#include "base/config.h"         // the shape of a model, and the two published microgpts
#include "base/dataset.h"        // a file to documents
#include "base/error.h"          // one line that says what is wrong, where, and what to do
#include "base/libm.h"           // CPython's x ** y, to the last bit
#include "base/parameters.h"     // the numbers that learn
#include "base/python_random.h"  // CPython's random numbers, to the last bit
#include "base/tokenizer.h"      // characters to tokens
#include "base/utf8.h"           // bytes to characters

// One scalar at a time: the path to read.
#include "scalar/arena.h"   // memory that never moves
#include "scalar/gpt.h"     // tokens in, logits out
#include "scalar/matrix.h"  // parameters as Values
#include "scalar/node.h"    // one number, and how it came about
#include "scalar/ops.h"     // linear, softmax, rmsnorm
#include "scalar/tape.h"    // all nodes in order; backward() walks them
#include "scalar/value.h"   // a number that remembers: + * exp log
#include "scalar/values.h"  // a list of them

// Learning and inventing.
#include "train/adam.h"        // how a parameter moves
#include "train/checkpoint.h"  // a trained model in a file
#include "train/sampling.h"    // one character after the other
#include "train/trainer.h"     // forward, backward, update, again

// Looking at it.
#include "debug/graphviz.h"    // a small graph as a drawing
#include "debug/trace.h"       // every node as it happens
#include "inspect/bench.h"     // how fast
#include "inspect/progress.h"  // how far
#include "inspect/summary.h"   // what is in a model
