// The study: do more heads help, and do they specialise? Models of one width, and so of the same number of parameters,
// are cut into 1 to 16 heads and trained on two tasks and on names, at three learning rates and with several seeds.
// `make study` prints the tables and draws the pictures beside this file. Everything is computed in double, so other
// processors print the same, but where training is chaotic: names at the largest rate.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "pictures.h"
#include "results.h"
#include "tables.h"
#include "training.h"

using namespace microgpt;

namespace {

void draw(const std::vector<Result>& all) {
  const std::string folder = "lessons/study/";
  convergence("With large steps, few heads learn slowly or not at all; with small steps all learn", all)
      .write(folder + "convergence.svg");
  accuracies("More heads forgive a learning rate that is too large", all).write(folder + "accuracy.svg");
  head_entropies("With more heads, the average head is less sharp", all).write(folder + "entropy.svg");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<Result> all;
    for (Subject& subject : subjects(argc > 1 ? argv[1] : "data/names.txt")) all.push_back({std::move(subject), {}});
    run_all(jobs(all));
    fmt::print("One layer of width {}; {} seeds, {} documents a step. Margins: 2.78 standard errors (Student's t).\n",
               d_model, num_seeds, batch_size);
    for (const Result& result : all) print_learning(result);
    fmt::print(
        "\nWhat the heads look like. Spread: of a layer's entropies, their standard deviation. Distance: between\n"
        "two heads' rows, from 0 (alike) to 1 (nothing in common), the mean over all pairs. Before: before "
        "training.\n");
    for (const Result& result : all) print_heads(result);
    fmt::print("\nSixteen heads beside two, seed by seed:\n");
    for (const Result& result : all) print_specialisation(result);
    fmt::print("\nThe entropy of every head, from the lowest on; each the mean over seeds:\n");
    for (const Result& result : all) print_entropies(result);
    draw(all);
  } catch (const Error& error) {
    fmt::print(stderr, "study: {}\n", error.what());
    return 1;
  }
}
