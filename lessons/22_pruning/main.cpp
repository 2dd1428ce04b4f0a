// Lesson 22: pruning. A head is taken out of a trained model, and the model is measured again. Which heads does it
// need, how many can go, and how do we know?
#include <algorithm>
#include <cmath>
#include <vector>

#include "show.h"

namespace lesson22 {

/// Zeros in the columns [h*D, (h+1)*D) of attn_wo: nothing reads head h any more.
void take_out(HeadId id, std::size_t D, const Parameters& parameters) {
  const Parameter& attn_wo = parameters[fmt::format("layer{}.attn_wo", id.layer)];
  for (std::size_t j = id.head * D; j < (id.head + 1) * D; j++) {
    for (std::size_t i = 0; i < attn_wo.rows; i++) attn_wo.row(i)[j] = 0;
  }
}

/// Loss and accuracy of every document of the probe, without these heads.
Scores scores_without(const Heads& out, Parameters& parameters, Probe& probe) {
  const Numbers whole(parameters.data().begin(), parameters.data().end());
  for (const HeadId id : out) take_out(id, probe.config().head_dim(), parameters);
  probe.use(parameters);
  const Scores scores = probe.scores();
  std::copy(whole.begin(), whole.end(), parameters.data().begin());  // put the heads back
  probe.use(parameters);
  return scores;
}

/// How much larger the mean of the second list is, and by how much two standard errors of each could move that.
Difference as_two_lists(const Numbers& before, const Numbers& after) {
  const Estimate a = estimate(before), b = estimate(after);
  return {b.mean - a.mean, 2 * std::hypot(a.standard_error, b.standard_error)};
}

/// The same if both lists are about the same documents, in the same order.
Difference in_pairs(const Numbers& before, const Numbers& after) {
  Numbers differences;
  for (std::size_t i = 0; i < before.size(); i++) differences.push_back(after[i] - before[i]);
  const Estimate e = estimate(differences);
  return {e.mean, 2 * e.standard_error};  // stop: pairs
}

/// The heads in the order of what each costs alone.
Heads one_ranking(const Heads& heads, const LossWithout& loss) {
  std::vector<std::pair<double, HeadId>> ranking;
  for (const HeadId id : heads) ranking.emplace_back(loss({id}), id);
  std::sort(ranking.begin(), ranking.end());
  Heads order;
  for (const auto& [cost, id] : ranking) order.push_back(id);
  return order;
}

/// The first of a ranking goes. Then the others are ranked again, without it.
Heads one_by_one(Heads left, const LossWithout& loss) {
  Heads out;
  while (!left.empty()) {
    const Heads ranking = one_ranking(left, [&](Heads one_more) {
      one_more.insert(one_more.end(), out.begin(), out.end());
      return loss(one_more);
    });
    out.push_back(ranking.front());  // stop: goes
    std::erase(left, ranking.front());
  }
  return out;
}

}  // namespace lesson22

int main(int argc, char** argv) {
  using namespace lesson22;
  Lesson lesson(argc, argv);
  show_pairs();
  show_zeros();
  show_orders();

  fmt::print("\n--- names: 2 layers of 4 heads ---\n");
  Patient speller = learn_names(lesson);
  show_attempt(speller);
  show_importance(speller);
  show_promises(speller);
  draw_cost(lesson, prune(speller));
  check(lesson, speller);

  fmt::print("\n--- copying words: 1 layer of 4 heads ---\n");
  Patient copier = learn_to_copy();
  show_importance(copier);
  const Heads order = prune(copier)[0].back().removed;
  show_letters(lesson, copier, order);
  check(lesson, copier);
  return lesson.finish();
}
