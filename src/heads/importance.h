// How much a model loses without a head: the loss and the accuracy without it minus those with it, document by
// document. And pruning: taking heads out of it, one after the other, until none is left. An order is chosen on some
// documents and reported on others; on its own documents, a choice looks better than it is.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

/// A model without some of its heads.
struct Pruned {
  std::vector<HeadId> removed;
  double loss;      // mean over the documents it is reported on
  double accuracy;  // the same
};

/// The least important head first: the one without which the loss is smallest. When it is out, the others are measured
/// again, because heads can stand in for one another. A head that changes no document's loss at all goes before all
/// others. Takes H (H + 1) / 2 runs for H heads.
std::vector<HeadId> greedy_order(
    Probe& chosen_on, const OnRun& on_run = [](std::size_t, std::size_t) {});

/// The same from one ranking of the whole model. Takes H runs.
std::vector<HeadId> ranked_order(Probe& chosen_on);

/// The models that an order makes, from no head removed to all of them.
std::vector<Pruned> follow(std::span<const HeadId> order, Probe& reported_on);

/// Of all ways to remove 0, 1, 2, ... heads, that with the smallest loss. Takes 2^H runs; nothing if that is more than
/// 2^12.
std::optional<std::vector<Pruned>> best_subsets(Probe& chosen_on, Probe& reported_on, const OnRun& on_run);

/// How many heads can go before the accuracy is more than a percentage point below that of the whole model.
std::size_t spare_heads(std::span<const Pruned> path);

}  // namespace microgpt
