// The tests of exercise 20: which numbers of heads fit some shapes, and which one has the lowest loss.
#pragma once

#include "base/task.h"
#include "lesson/recipe.h"
#include "lesson/teach.h"
#include "train/held_out.h"

using namespace teach;

/// "4/1 8/2 ": four query heads with one head of keys, or eight with two.
inline std::string text(const std::vector<Heads>& all) {
  std::string text;
  for (const auto [H, G] : all) text += std::to_string(H) + "/" + std::to_string(G) + " ";
  return text;
}

inline void test_possible() {
  auto possible = [](const Config& config) { return text(possible_heads(Parameters(gpt_shapes(config)))); };
  calling("possible_heads(), as H/G, where W_Q and W_K have 12 rows",
          "D can be 12, 6, 4, 3, 2 or 1. There are 12 / D heads of queries, and 12 / D of keys.");
  usual_text("12/12 ", "With D = 1 it fits. What other D divides 12?");
  usual_text("12/12 6/6 4/4 3/3 2/2 1/1 ", "Fewest heads first: the largest D makes the fewest heads.");
  usual_text("1/1 2/2 4/4 12/12 ", "Heads need not be a power of two. Every D that divides 12 is possible.");
  should_read(possible({.vocab_size = 27, .n_embd = 12}), "1/1 2/2 3/3 4/4 6/6 12/12 ");
  calling("possible_heads(), as H/G, where W_Q has 12 rows and W_K has 6",
          "Two query heads share a head of keys, whatever D is. D must divide 6; H comes first.");
  usual_text("2/2 4/4 6/6 12/12 ", "G is the rows of W_K / D.");
  usual_text("1/0 2/1 3/1 4/2 6/3 12/6 ", "A head of keys has D numbers, too. So D must divide the rows of W_K.");
  should_read(possible({.vocab_size = 27, .n_embd = 12, .n_head = 4, .n_kv_head = 2}), "2/1 4/2 6/3 12/6 ");
}

/// Trains two models to copy words, and reads them with each possible number of heads.
inline void test_trained() {
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 4800, random),
                              others = draw_documents({}, Part::held_out, 600, random);
  const Tokenizer tokenizer(words);
  for (const Heads& with : {Heads{8, 2}, Heads{2, 2}}) {
    Config config{.n_head = with.H, .n_kv_head = with.G};
    BatchTrainer<double> trainer =
        trained({config, {.num_steps = 300, .batch_size = 16, .learning_rate = 0.02}}, words, tokenizer);
    Parameters parameters(gpt_shapes(config = trainer.model().config));
    trainer.model().copy_to(parameters);
    auto loss_of = [&](Heads heads) {
      config.n_head = heads.H;
      config.n_kv_head = heads.G;
      TensorModel<double> model(config, parameters);
      return token_loss(model, others, tokenizer, 1);
    };
    calling("heads_of() a model that copies words, trained with " + text({with}), "The lowest loss is the right one.");
    usual_text("0/0 ", "No number of heads. Is the lowest loss so far infinite at first, and < the right way round?");
    const std::vector<Heads> all = possible_heads(parameters);
    usual_text(text({all.front()}), "That is the first possible one. Ask loss_of() about each of them.");
    usual_text(text({all.back()}), "Is that the highest loss, or the last one? The lowest is the right one.");
    should_read(text({heads_of(parameters, loss_of)}), text({with}));
    std::printf("trained with %sheads, read with\n", text({with}).c_str());
    for (const Heads& heads : all) std::printf("  %5s %7.3f\n", text({heads}).c_str(), loss_of(heads));
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_possible, test_trained}); }
