// How much a model loses without a head: the loss and the accuracy without it minus those with it, document by
// document.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heads/probe.h"
#include "train/evaluation.h"

namespace microgpt {

/// A mean over documents.
using Change = Estimate;

/// Of two lists with a number for each document: after - before.
Change change(std::span<const double> before, std::span<const double> after);

struct Effect {
  Change loss;      // in nats; positive: the model is worse without the head
  Change accuracy;  // negative: the model is worse without the head
};

struct Importance {
  HeadId id;
  Effect zeroed;  // zeros replace the head's output
  Effect mean;    // its mean output over all documents does, which takes away only what differs between them
};

/// Called when `done` of `total` runs over the documents are done.
using OnRun = std::function<void(std::size_t done, std::size_t total)>;

/// The importance of every head, in the order of all_heads().
std::vector<Importance> importances(
    Probe& probe, const OnRun& on_run = [](std::size_t, std::size_t) {});

}  // namespace microgpt
