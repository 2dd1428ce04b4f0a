// Every form of attention that train can choose, trained long, with three seeds, and compared with plain multi-head
// attention: each kind of heads, with each mask, with both ways to tell positions. `make forms` prints the table.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/python_random.h"
#include "draw/progress.h"
#include "lesson/comparison.h"

using namespace microgpt;

namespace {

constexpr TrainConfig budget{.num_steps = 10000, .batch_size = 16};
constexpr std::array masks{"full", "local:3", "strided:2:3", "global:2:1", "random:2", "bigbird:2:1:1", "block:4"};

std::vector<Candidate> kinds() {
  std::vector<Candidate> all{{"mha", {}}, {"gqa", {}}, {"mqa", {}}, {"mla", {}}, {"mla+rotary", {}}};
  all[1].config.n_kv_head = 2;
  all[2].config.n_kv_head = 1;
  for (const std::size_t i : {3, 4}) all[i].config.q_latent = all[i].config.kv_latent = 8;
  all[4].config.rope_dim = 2;
  return all;
}

std::vector<Candidate> forms() {
  std::vector<Candidate> all;
  for (const bool rope : {false, true}) {
    for (const Candidate& kind : kinds()) {
      if (rope && kind.config.is_latent() && kind.config.rope_dim == 0) continue;  // nothing to rotate
      for (const std::string mask : masks) {
        Candidate form = kind;
        form.config.rope = rope;
        form.config.masks = parse_mask_patterns(mask);
        form.label += (rope ? ", rope" : "") + (mask == "full" ? "" : ", " + mask);
        all.push_back(form);
      }
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Candidate> all = forms();
  Comparison comparison;
  try {
    std::vector<Document> documents = read_documents(argc > 1 ? argv[1] : "data/names.txt");
    PythonRandom(42).shuffle(documents);  // as the lessons do, so that the same names are held out
    const Tokenizer tokenizer(documents);
    for (const Candidate& form : all) {
      TerminalLine line;
      line.show(fmt::format("{} of {}: {}", comparison.outcomes.size() + 1, all.size(), form.label));
      const Comparison one = compare(documents, tokenizer, {form}, budget);
      comparison.budget = one.budget;
      comparison.num_held_out = one.num_held_out;
      comparison.outcomes.push_back(one.outcomes.front());
    }
  } catch (const Error& error) {
    fmt::print(stderr, "forms: {}\n", error.what());
    return 1;
  }
  comparison.print();
}
