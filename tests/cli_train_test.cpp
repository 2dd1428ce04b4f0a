// microgpt train: the published programs, other shapes, the tensor engine and every form of attention.
#include <filesystem>

#include "first_difference.h"
#include "program.h"
#include "tensor/threads.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

/// Empty if they are the same.
std::string first_different_line(const Words& a, const Words& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return "";
  return fmt::format("line {}: '{}' and '{}'", in_a - a.begin() + 1, in_a == a.end() ? "(none)" : *in_a,
                     in_b == b.end() ? "(none)" : *in_b);
}

TEST_CASE("train prints every line the published programs print, and no other, the tensor engine in double too") {
  const std::vector<std::pair<Words, std::string>> runs{
      {{}, "gist"},
      {{"--preset", "walkthrough", "--digits", "4"}, "walkthrough"},
      {{"--engine", "tensor", "--dtype", "f64"}, "gist"},
      {{"--engine", "tensor", "--dtype", "f64", "--preset", "walkthrough"}, "walkthrough"}};
  for (const auto& [options, name] : runs) {
    const std::string printed = output(Words{"train"} + options);
    CHECK(first_different_line(without_threads(printed), golden_lines(name + "_builtin", false)) == "");
    CHECK(printed.ends_with("\n"));
  }
}

/// Trains as both published programs do. Every line in all its digits, and all parameters in the end, must be theirs.
void check_training(const std::string& names, const std::string& path) {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  const bool same_bits = libm_unlike_published().empty();
  for (const std::string preset : {"gist", "walkthrough"}) {
    CAPTURE(preset);
    const std::string printed =
        output({"train", "--preset", preset, "--data", path, "--digits", same_bits ? "17" : "4", "--save", model});
    CHECK(first_different_line(lines(printed), golden_lines(preset + "_" + names, same_bits)) == "");
    const Checkpoint trained = load_checkpoint(model);
    std::vector<double> golden;  // the parameters with which the published program ended
    for (const std::string& word :
         words_of(contents("tests/golden/microgpt/" + preset + "_" + names + ".params.txt"))) {
      if (word.find("0x") != std::string::npos) golden.push_back(std::stod(word));  // else a matrix's name or size
    }
    CHECK(golden_difference(trained.parameters.data(), golden) == "");
  }
}

TEST_CASE("train ends with the published programs' parameters, on the names that come with the project") {
  check_training("builtin", "data/names.txt");
}

const std::string makemore = fs::exists("data/makemore.txt") ? "data/makemore.txt" : "../shared/data/names.txt";

TEST_CASE("train ends with the published programs' parameters, on the 32,033 names" *
          doctest::description("data/makemore.txt is not there; make names downloads it") *
          doctest::skip(!fs::exists(makemore))) {
  check_training("makemore", makemore);
  // The published run is what this list gives by itself, too.
  CHECK(first_different_line(lines(output({"train", "--data", makemore})), golden_lines("gist_makemore", false)) == "");
}

TEST_CASE("other shapes train, and the loss falls") {
  const NamesFolder folder;
  struct Shape {
    std::size_t n_layer, n_embd, n_head, block_size;
  };
  for (const std::string preset : {"gist", "walkthrough"}) {
    for (const Shape& s : {Shape{2, 16, 4, 16}, Shape{1, 16, 1, 16}, Shape{1, 6, 3, 8}, Shape{3, 8, 2, 5},
                           Shape{1, 1, 1, 1}, Shape{2, 20, 5, 32}}) {
      const std::string printed = output(folder.train(
          {"--preset", preset, "--n-layer", std::to_string(s.n_layer), "--n-embd", std::to_string(s.n_embd), "--n-head",
           std::to_string(s.n_head), "--block-size", std::to_string(s.block_size), "--steps", "200"}));
      const std::size_t V = 21;  // the letters a to u without q, and BOS
      const std::size_t num_params = (2 * V + s.block_size) * s.n_embd + 12 * s.n_layer * s.n_embd * s.n_embd;
      CHECK(behind("num params: ", printed) == std::to_string(num_params));
      const std::vector<double> loss = losses(printed);
      REQUIRE(loss.size() == 200);
      CHECK(mean(loss.data() + 180, loss.data() + 200) < mean(loss.data(), loss.data() + 20));
      for (const std::string& name : names(printed)) CHECK(name.size() <= s.block_size);
    }
  }
}

TEST_CASE("options may be typed in any order") {
  const NamesFolder folder;
  const std::vector<std::pair<Words, Words>> same{
      {{"--preset", "walkthrough", "--lr", "0.02"}, {"--lr", "0.02", "--preset", "walkthrough"}},
      {{"--engine", "tensor", "--n-head", "8", "--attention", "gqa", "--n-kv-head", "2"},
       {"--n-kv-head", "2", "--attention", "gqa", "--n-head", "8", "--engine", "tensor"}}};
  for (const auto& [one, other] : same) {
    const Words steps = folder.train({"--steps", "3", "--digits", "17"});
    CHECK(without_threads(output(steps + one)) == without_threads(output(steps + other)));
  }
}

TEST_CASE("the tensor engine prints the same on any number of threads, and says why it takes so many") {
  const NamesFolder folder;
  const Words batch = folder.train({"--engine", "tensor", "--batch", "5", "--steps", "20", "--digits", "17"});
  const std::string one = output(batch + Words{"--threads", "1"});
  const std::string cache = "; KV cache of the samples: 128 bytes per token";
  const std::string alone = "1 (this program was built without OpenMP)";
  CHECK(behind("threads: ", one) == (have_openmp ? "1 (as asked for)" : alone) + cache);
  for (const std::string threads : {"2", "3", "8"}) {
    const std::string several = output(batch + Words{"--threads", threads});
    CHECK(behind("threads: ", several).starts_with(have_openmp ? threads + " (as asked for" : alone + cache));
    CHECK(without_threads(several) == without_threads(one));
  }
  CHECK(lines_that_begin("threads: ", output(batch)).size() == 1);
}

TEST_CASE("naive and fast kernels learn the same, and the means of the loss differ") {
  const NamesFolder folder;
  const Words batch = folder.train({"--engine", "tensor", "--dtype", "f64", "--batch", "4", "--steps", "30"});
  const Words fast_lines = without_threads(output(batch));
  CHECK(without_threads(output(batch + Words{"--kernels", "naive"})) == fast_lines);
  CHECK(without_threads(output(batch + Words{"--loss", "token-mean"})) != fast_lines);
}

TEST_CASE("a preset holds names out and evaluates as eval does, and options change its training") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  auto evaluated = [&](const Words& more) {
    return behind("held-out loss: ", output(folder.train(Words{"--steps", "300", "--save", model} + more)));
  };
  const std::string fast = evaluated({"--preset", "fast"});
  CHECK(behind("held-out loss: ", output({"eval", model})) == fast);
  CHECK(std::stod(fast) > 1);  // it learns eighteen names by heart, which does not help it with the other two
  for (const Words& other :
       {Words{"--preset", "fast", "--weight-decay", "100"}, Words{"--preset", "fast", "--loss", "document-mean"},
        Words{"--preset", "best", "--batch", "4", "--n-embd", "16"}}) {
    CHECK(evaluated(other) != fast);
  }
}

TEST_CASE("eval judges a model by names that --hold-out kept from it, and says if it may have seen them") {
  const NamesFolder folder;
  const std::string model = folder.file("model.safetensors");
  output({"train", "--engine", "tensor", "--batch", "16", "--steps", "300", "--hold-out", "--save", model});
  const std::string judged = output({"eval", model});
  CHECK(behind("held out: ", judged) == "1829 of 18293 distinct documents");
  auto number = [&](const std::string& label) { return std::stod(behind(label, judged)); };
  CHECK(number("held-out loss: ") < number("bigram baseline: "));
  CHECK(number("best counting: ") < number("bigram baseline: "));
  CHECK(number("perplexity: ") == doctest::Approx(std::exp(number("held-out loss: "))).epsilon(0.001));
  CHECK(number("new names: ") > 0);
  CHECK(names(judged).size() == 20);
  CHECK(names(output({"eval", model, "--seed", "43"})) != names(judged));
  output({"train", "--steps", "1", "--quiet", "--save", model});
  const std::string seen = output({"eval", model, "--temperature", "1e-9"});
  CHECK(behind("loss, not held out: ", seen) != "");
  CHECK(seen.find("held-out loss") == std::string::npos);
  const Words cold = names(seen);
  CHECK(std::count(cold.begin(), cold.end(), cold.at(0)) == 20);
}

TEST_CASE("documents that are cut off are told of, unless their length was chosen") {
  const NamesFolder folder("short\nseventeenletterss\n");
  const Words train{"train", "--data", folder.names, "--steps", "1", "--samples", "1"};
  CHECK(microgpt(train).err ==
        "microgpt: note: 1 of 2 documents are cut off after 16 characters; the longest has 17: see --block-size\n");
  CHECK(microgpt(train + Words{"--block-size", "16"}).err == "");
}

TEST_CASE("every form of attention learns, is saved, sampled, inspected and judged") {
  const NamesFolder folder;
  const std::string model = folder.file("model.safetensors");
  const std::vector<std::pair<Words, std::string>> forms{
      {{"--attention", "mqa"}, "mqa  (n_kv_head 1)"},
      {{"--attention", "gqa"}, "gqa  (n_kv_head 2)"},
      {{"--attention", "gqa", "--n-kv-head", "4"}, "mha"},
      {{"--attention", "mla"}, "mla  (q_latent 12, kv_latent 8, rope_dim 0)"},
      {{"--attention", "mla", "--kv-latent", "6", "--rope-dim", "2", "--pos", "rope"},
       "mla  (q_latent 12, kv_latent 6, rope_dim 2)"},
      {{"--pos", "rope"}, "mha"},
      {{"--mask", "local:3"}, "mha"},
      {{"--attention", "mqa", "--mask", "bigbird:2:1:1"}, "mqa  (n_kv_head 1)"}};
  for (const auto& [options, name] : forms) {
    const Words train{"train", "--hold-out", "--engine", "tensor", "--batch", "8", "--steps", "150", "--save", model};
    const std::vector<double> all = losses(output(train + options));
    REQUIRE(all.size() == 150);
    CHECK(mean(&all[100], &all[100] + 50) < mean(&all[0], &all[0] + 20) - 0.3);
    const std::string sampled = output({"sample", model, "--num", "3", "--prompt", "an"});
    CHECK(names(sampled).size() == 3);
    CHECK(lines(sampled).size() == 3);
    CHECK(behind("attention   ", output({"inspect", model})) == name);
    CHECK(std::stod(behind("held-out loss: ", output({"eval", model}))) > 0);
  }
}

}  // namespace
}  // namespace microgpt
