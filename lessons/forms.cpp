// Every form of attention that train can choose, trained long, with three seeds, and compared with plain multi-head
// attention: each kind of heads, with each mask, with both ways to tell positions. `make forms` prints the table.
#include <fmt/format.h>

#include <cstdio>

#include "base/split.h"
#include "draw/progress.h"
#include "lesson/comparison.h"

using namespace microgpt;

int main(int argc, char** argv) try {
  const Candidate kinds[]{{"mha", {}},
                          {"gqa", {.n_kv_head = 2}},
                          {"mqa", {.n_kv_head = 1}},
                          {"mla", {.q_latent = 8, .kv_latent = 8}},
                          {"mla+rotary", {.q_latent = 8, .kv_latent = 8, .rope_dim = 2}}};
  std::vector<Candidate> forms;
  for (const bool rope : {false, true}) {
    for (const Candidate& kind : kinds) {
      if (rope && kind.label == "mla") continue;  // nothing to rotate
      for (const std::string mask :
           {"full", "local:3", "strided:2:3", "global:2:1", "random:2", "bigbird:2:1:1", "block:4"}) {
        Candidate& form = forms.emplace_back(kind);
        form.config.rope = rope;
        form.config.masks = parse_mask_patterns(mask);
        form.label += (rope ? ", rope" : "") + (mask == "full" ? "" : ", " + mask);
      }
    }
  }

  std::vector<Document> documents = read_documents(argc > 1 ? argv[1] : "data/names.txt");
  PythonRandom(42).shuffle(documents);  // as the lessons do, so that the same names are held out
  const Tokenizer tokenizer(documents);
  Comparison all{{.num_steps = 10000, .batch_size = 16}, split(documents).held_out.size(), {}};
  for (const Candidate& form : forms) {
    TerminalLine line;
    line.show(fmt::format("{} of {}: {}", all.outcomes.size() + 1, forms.size(), form.label));
    all.outcomes.push_back(compare(documents, tokenizer, {form}, all.budget).outcomes.front());
  }
  all.print();
} catch (const Error& error) {
  fmt::print(stderr, "forms: {}\n", error.what());
  return 1;
}
