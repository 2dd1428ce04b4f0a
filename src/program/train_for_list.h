// microgpt train --data FILE, with nothing said about the model: the program chooses, keeps a tenth of the names back,
// watches the loss on them, and keeps the best model of the run.
#pragma once

#include <span>

#include "program/after_step.h"

namespace microgpt {

/// Whether the choice is left to the program: a file was named, no option of the model or its training was typed, and
/// there are ten distinct documents at least. The two lists of names with published figures are trained as published.
bool is_left_to_the_program(const Options& table, std::span<const Document> documents);

/// Sets the model, the training and the engine to what suits these documents, some of which must be held out, and tells
/// of it.
void choose_training(TrainOptions& options, const Start& start);

/// Trains on run.start and leaves the model with the smallest loss on the held-out documents, or on the first of
/// thousands, in run.parameters; saves each better one if options.save says where. Prints that loss at times, and
/// generates names. Throws Interrupted, after saving, if the program was asked to stop.
void train_watched(Run& run);

}  // namespace microgpt
