// Files with a model.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <sstream>

#include "base/python_random.h"
#include "safetensors_file.h"
#include "temporary_directory.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

// --- Checkpoint ------------------------------------------------------------------------------------------------------

/// A small model with random weights.
Checkpoint make(const std::u32string& characters, Config config) {
  Tokenizer tokenizer(characters);
  config.vocab_size = tokenizer.vocab_size();
  PythonRandom random(42);
  return {config, tokenizer, initialize(config, TrainConfig{}, random)};
}

std::string serialize(const Checkpoint& c) {
  return serialize_checkpoint(c.config, c.tokenizer, c.parameters, c.training);
}

Checkpoint parse(const std::string& bytes) {
  std::istringstream in(bytes);
  return parse_checkpoint(in, "x.safetensors");
}

bool same(const Checkpoint& a, const Checkpoint& b) {
  const auto left = a.parameters.data();
  const auto right = b.parameters.data();
  return a.config == b.config && a.tokenizer.characters() == b.tokenizer.characters() && left.size() == right.size() &&
         std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;  // the bits: 0.0 is not -0.0
}

/// What is wrong with the bytes, without the beginning and the end that every message has.
std::string refusal(const std::string& bytes) {
  return refusal_of([&] { parse(bytes); }, "cannot load 'x.safetensors': ", "");
}

// The smallest model, written out by hand: V = 2, and every other size is 1. 2 + 1 + 2 + 4 + 4 + 4 = 17 numbers.
const std::string tiny_header =
    R"({"__metadata__":{"activation":"relu","block_size":"1","characters":"a","format":"microgpt","n_embd":"1",)"
    R"("n_head":"1","n_layer":"1"},)"
    R"("layer0.attn_wk":{"data_offsets":[48,56],"dtype":"F64","shape":[1,1]},)"
    R"("layer0.attn_wo":{"data_offsets":[64,72],"dtype":"F64","shape":[1,1]},)"
    R"("layer0.attn_wq":{"data_offsets":[40,48],"dtype":"F64","shape":[1,1]},)"
    R"("layer0.attn_wv":{"data_offsets":[56,64],"dtype":"F64","shape":[1,1]},)"
    R"("layer0.mlp_fc1":{"data_offsets":[72,104],"dtype":"F64","shape":[4,1]},)"
    R"("layer0.mlp_fc2":{"data_offsets":[104,136],"dtype":"F64","shape":[1,4]},)"
    R"("lm_head":{"data_offsets":[24,40],"dtype":"F64","shape":[2,1]},)"
    R"("wpe":{"data_offsets":[16,24],"dtype":"F64","shape":[1,1]},)"
    R"("wte":{"data_offsets":[0,16],"dtype":"F64","shape":[2,1]}})";
const std::string one = little_endian(0x3ff0000000000000);        // 1.0
const std::string minus_two = little_endian(0xc000000000000000);  // -2.0
const std::string tiny_numbers = one + std::string(std::size_t{15} * 8, '\0') + minus_two;

Checkpoint tiny_checkpoint() {
  Checkpoint tiny = make(U"a", {.n_layer = 1, .n_embd = 1, .n_head = 1, .block_size = 1});
  std::fill(tiny.parameters.data().begin(), tiny.parameters.data().end(), 0.0);
  tiny.parameters["wte"].data[0] = 1;
  tiny.parameters["layer0.mlp_fc2"].data[3] = -2;
  return tiny;
}

/// The tiny model's file with something else in one place of its header.
std::string edited(const std::string& from, const std::string& to) {
  return file(replaced(tiny_header, from, to), tiny_numbers);
}

TEST_CASE("a checkpoint reads back bit for bit, from memory and from a file") {
  const TemporaryDirectory directory;
  for (const Checkpoint& saved :
       {make(U"abcdefghijklmnopqrstuvwxyz", preset("gist").model),
        make(U"abcdefghijklmnopqrstuvwxyz", preset("walkthrough").model),
        make(U"aeioußàéîöū", {.n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 5}),
        make(U" \"'/\\\u007fäあ𐍈\U0010ffff", {.n_layer = 12, .n_embd = 2, .n_head = 1}), tiny_checkpoint()}) {
    CHECK(same(parse(serialize(saved)), saved));
    save_checkpoint(directory / "model", saved.config, saved.tokenizer, saved.parameters);
    CHECK(contents(directory / "model") == serialize(saved));
    CHECK(same(load_checkpoint(directory / "model"), saved));
  }
}

TEST_CASE("a file from elsewhere may have other metadata, too, and its tensors in another order") {
  const Checkpoint tiny = tiny_checkpoint();
  CHECK(same(parse(edited(R"("n_embd":"1")", R"("note":"hello", "n_embd" : "1")")), tiny));
  // The numbers in the order wpe, lm_head, wte, layer0: the 1.0 of wte is now the fourth.
  std::string header = replaced(tiny_header, R"("wte":{"data_offsets":[0,16])", R"("wte":{"data_offsets":[24,40])");
  header = replaced(header, R"("wpe":{"data_offsets":[16,24])", R"("wpe":{"data_offsets":[0,8])");
  header = replaced(header, R"("lm_head":{"data_offsets":[24,40])", R"("lm_head":{"data_offsets":[8,24])");
  const std::string zeros(std::size_t{3} * 8, '\0');
  CHECK(same(parse(file(header, zeros + one + tiny_numbers.substr(32))), tiny));
}

TEST_CASE("what a model counts is read back, and refused if it cannot be") {
  Checkpoint counting = tiny_checkpoint();
  counting.training = {.step = 1, .gpt_share = 0.35, .counted = {U"a", U"aa"}};
  const Checkpoint read = parse(serialize(counting));
  CHECK(read.training->gpt_share == 0.35);
  CHECK(read.training->counted == counting.training->counted);
  CHECK(read.mixture()->share == 0.35);
  CHECK(!parse(serialize(tiny_checkpoint())).mixture());
  for (const double share : {-0.5, 1.5}) {
    counting.training->gpt_share = share;
    CHECK(refusal(serialize(counting)) == fmt::format("counting.gpt_share is \"{}\", not a number from 0 to 1", share));
  }
  counting.training = {.step = 1, .counted = {U"ab"}};
  CHECK(refusal(serialize(counting)).starts_with("counting.documents:1: "));
}

TEST_CASE("what is no model is refused, and what is wrong is named") {
  const std::string empty = R"({"dtype":"F64","shape":[0],"data_offsets":[0,0]})", layers = R"("n_layer":"1")";
  const std::string sorted = "an alphabet must be sorted and without repeats";
  std::vector<std::array<std::string, 3>> refused{
      {R"("format":"microgpt")", R"("format":"pt")", "its format is \"pt\""},
      {layers, R"("n_layer":"0")", "n_layer is 0; it must be at least 1"},
      {R"("n_head":"1")", R"("n_head":"2")", "n_embd 1 is not divisible by n_head 2"},
      {R"("n_embd":"1")", R"("n_embd":"4294967296")", "; choose a smaller shape"},
      {R"("relu")", R"("gelu")", "activation is \"gelu\", neither relu nor squared_relu"},
      {R"("a")", R"("")", sorted},
      {R"("a")", R"("ba")", sorted},
      {R"("a")", R"("aa")", sorted},
      {R"("a")", R"("ab")", "it has 17 numbers, but its model has 19"},
      {layers, R"("n_layer":"2")", "it has 17 numbers, but its model has 29"},
      {layers, R"("n_layer":"5000000")", "its model has 60000005"},  // none of which is allocated
      {R"("wpe")", R"("wqe")", "the tensor wpe is missing"},
      {R"("wpe")", R"("extra":)" + empty + R"(,"wpe")", "the tensor \"extra\" is not one of this model"},
      {"[4,1]", "[1,4]", "the tensor layer0.mlp_fc1 does not have the shape [4, 1]"},
      {"[4,1]", "[4]", "the tensor layer0.mlp_fc1 does not have the shape [4, 1]"}};
  for (const std::string name : {"activation", "block_size", "characters", "format", "n_embd", "n_head", "n_layer"}) {
    refused.push_back({"\"" + name + "\"", "\"other\"", "it is not a microgpt checkpoint: __metadata__ has no text"});
  }
  for (const std::string text : {"", " 1", "1 ", "+1", "-1", "1.0", "one", "18446744073709551616"}) {
    refused.push_back({layers, R"("n_layer":")" + text + "\"", "n_layer is \"" + text + "\", not a whole number"});
  }
  for (const auto& [from, to, words] : refused) {
    const std::string said = refusal(edited(from, to));
    CHECK_MESSAGE(said.find(words) != std::string::npos, said);
  }
}

TEST_CASE("a number that is not finite, or of which a square is not, is refused, in loading and in saving") {
  const std::string infinite = "a value that is not finite";
  for (const auto& [bad, what] :
       std::vector<std::pair<double, std::string>>{{std::nan(""), infinite},
                                                   {HUGE_VAL, infinite},
                                                   {-HUGE_VAL, infinite},
                                                   {-1.5e160, "the value -1.5e+160; a model can use at most 1e+100"}}) {
    const std::string message = "the tensor layer0.attn_wo has " + what;
    Checkpoint tiny = tiny_checkpoint();
    tiny.parameters["layer0.attn_wo"].data[0] = bad;
    CHECK_THROWS_WITH_AS(serialize(tiny), ("cannot save the model: " + message + "; training diverged").c_str(),
                         Diverged);
    std::string numbers = tiny_numbers;
    std::memcpy(numbers.data() + 64, &bad, sizeof bad);
    CHECK(refusal(file(tiny_header, numbers)) == message);
  }
}

TEST_CASE("a file with any bit or byte flipped is loaded or refused, and nothing worse") {
  auto right = [](const std::string& bytes) { return parse(bytes).parameters.size() == 17; };
  // most flips of a number make another number
  CHECK(read_though_flipped(serialize(tiny_checkpoint()), right) > tiny_numbers.size());
}

}  // namespace
}  // namespace microgpt
