// Fuzzing a file with a model. If it is valid, the commands that take a model use it.
#include "train/checkpoint.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "edit_text.h"
#include "program/commands.h"
#include "program/train_options.h"
#include "seeds.h"
#include "tensor/gpt.h"
#include "train/held_out.h"

namespace microgpt {
namespace {

// --- Valid models ----------------------------------------------------------------------------------------------------

/// A model, or a training of it that can go on.
std::string model_file(Config config, const std::u32string& characters, PythonRandom& random, bool resumable = false) {
  const Tokenizer tokenizer(characters);
  config.vocab_size = tokenizer.vocab_size();
  const Parameters parameters = initialize(config, {.init_std = 0.5}, random);
  std::optional<TrainingState> training;
  if (resumable) {
    TrainOptions options;
    options.preset.model = config;
    options.engine = Engine::tensor;
    training = {training_words(train_options(options), options),
                "1 documents",
                3,
                {2, std::vector<double>(parameters.size(), 0.5)}};
  }
  return serialize_checkpoint(config, tokenizer, parameters, training);
}

/// Sizes with which a model has few numbers, also if they are combined.
Config tiny(const std::string& attention, bool rope, const std::string& mask) {
  Config config{.n_embd = 4, .n_head = 2, .block_size = 5, .rope = rope, .mask = parse_mask_pattern(mask)};
  choose_attention(config, attention);
  if (rope && config.is_latent()) config.rope_dim = 2;
  return config;
}

template <class List>
const auto& one_of(const List& list, PythonRandom& random) {
  return list[random.below(list.size())];
}

/// A number below 10 or, rarely, one that is much too large.
std::size_t some_number(PythonRandom& random) {
  return random.below(8) > 0 ? random.below(10) : std::size_t{1} << random.below(64);
}

/// A mask with numbers that may be 0 or too large.
std::string some_mask(PythonRandom& random) {
  static const std::vector<std::string> names{"full", "local", "strided", "global", "random", "bigbird", "block"};
  static const std::vector<std::size_t> numbers{0, 1, 2, 2, 1, 3, 1};  // how many each takes
  const std::size_t i = random.below(names.size());
  std::string mask = names[i];
  for (std::size_t n = 0; n < numbers[i]; n++) mask += ":" + std::to_string(some_number(random));
  return mask;
}

/// A file with another model. Throws Error if it is not a valid one, or not a small one.
std::string other_model(PythonRandom& random) {
  static const std::vector<std::string> kinds{"mha", "mqa", "gqa", "mla"};
  static const std::vector<std::u32string> alphabets{U"a", U"ab", U" \"\\äあ𐍈", U"abcdefgh"};
  Config config = tiny(one_of(kinds, random), random.below(2) > 0, some_mask(random));
  config.n_layer = 1 + random.below(2);
  config.n_head = 1 + random.below(4);
  config.n_embd = config.n_head * (1 + random.below(4));
  config.block_size = some_number(random);
  config.activation = one_of(all_activations, random).activation;
  if (config.n_kv_head > 0) config.n_kv_head = 1 + random.below(config.n_head);
  const std::u32string& characters = one_of(alphabets, random);
  config.vocab_size = characters.size() + 1;
  validate(config, 1000);
  return model_file(config, characters, random);
}

/// The same model with weights of another scale, or a training with an option that contradicts it. Throws Error if the
/// file is not valid.
std::string other_meaning(const std::string& file, PythonRandom& random) {
  static const std::vector<std::string> names{"n-embd", "n-layer",   "block-size", "attention",
                                              "engine", "optimizer", "lr"};
  static const std::vector<std::string> words{"0", "1", "4", "100000", "mqa", "mla", "tensor", "scalar", "sgd", "nan"};
  std::istringstream in(file);
  Checkpoint model = parse_checkpoint(in, "model");
  const double scale = std::pow(10.0, static_cast<double>(random.below(220)) - 110);
  const auto& matrices = model.parameters.matrices();
  const Parameter& matrix = matrices[random.below(matrices.size())];
  for (double& x : std::span(matrix.data, matrix.size())) x *= scale;
  if (model.training) model.training->options[one_of(names, random)] = one_of(words, random);
  return serialize_checkpoint(model.config, model.tokenizer, model.parameters, model.training);
}

// --- Using a model ---------------------------------------------------------------------------------------------------

/// A file in memory, since commands take a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : file_(::memfd_create("model", 0)) {
    const bool written = ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    require(file_ >= 0 && written, "no file in memory");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// Runs `microgpt COMMAND MODEL`, and --num 2 if it has that option.
void run_with(const Command& command, const std::string& model) {
  for (const Option& option : command.options) {
    if (option.name == "MODEL") option.binding.read(option.name, model);
    if (option.name == "--num") option.binding.read(option.name, "2");
  }
  command.run(command.options);
}

/// What eval computes first. The documents are longer than most blocks.
void compute_loss(const Checkpoint& checkpoint) {
  const std::u32string_view characters = checkpoint.tokenizer.characters();
  const std::u32string same(12, characters.back());
  const std::vector<Document> documents{characters.substr(0, 1), characters.substr(0, 100), same};
  TensorModel<float> model(checkpoint.config, checkpoint.parameters, longest(documents) + 1);
  token_loss(model, documents, checkpoint.tokenizer, 1);
}

void use(const std::string& bytes) {
  std::istringstream in(bytes);
  const Checkpoint checkpoint = parse_checkpoint(in, "model");
  const MemoryFile file(bytes);
  for (const Command& command : {inspect_command(), kv_command(), sample_command()}) run_with(command, file.path());
  compute_loss(checkpoint);
  TrainOptions options;
  const Options table = train_options(options);
  options.resume = file.path();
  resume(table, options);
}

// --- Changing a file -------------------------------------------------------------------------------------------------

constexpr std::size_t length_bytes = 8;

/// The length of the header, or 0 if there is none.
std::size_t header_length(const std::string& file) {
  if (file.size() < length_bytes) return 0;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), length_bytes);
  return length <= file.size() - length_bytes ? length : 0;
}

/// Changes the header once or a few times, and keeps the numbers and the header's length right.
std::string with_other_header(const std::string& file, PythonRandom& random) {
  const std::size_t length = header_length(file);
  std::string header = file.substr(length_bytes, length);
  do {
    header = edit_header(header, random);
  } while (random.below(3) == 0);
  std::string bytes(length_bytes, '\0');
  const std::uint64_t new_length = header.size();
  std::memcpy(bytes.data(), &new_length, length_bytes);
  return bytes + header + file.substr(length_bytes + length);
}

/// The file changed, or nothing.
std::string changed(const std::string& file, PythonRandom& random) {
  const std::size_t way = random.below(16);
  if (way < 10 && header_length(file) > 0) return with_other_header(file, random);
  if (way > 12) return "";
  try {
    return way > 11 ? other_meaning(file, random) : other_model(random);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::vector<std::string> seeds() {
  PythonRandom random(42);
  std::vector<std::string> files;
  for (const char* attention : {"mha", "mqa", "gqa", "mla"}) {
    for (const bool rope : {false, true}) {
      files.push_back(model_file(tiny(attention, rope, "full"), U"ab", random, rope));
    }
  }
  for (const char* mask : {"local:2", "strided:2:2", "global:2:1", "random:2", "bigbird:2:1:1", "block:2"}) {
    files.push_back(model_file(tiny("mha", false, mask), U"aä", random));
  }
  Config large = tiny("gqa", false, "full");  // libFuzzer makes no input longer than the longest seed
  large.n_layer = 3;
  large.n_embd = 8;
  files.push_back(model_file(large, U"abcdefgh", random));
  return files;
}

}  // namespace microgpt

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  microgpt::PythonRandom random(seed);
  const std::string file = microgpt::changed({reinterpret_cast<const char*>(data), size}, random);
  if (file.empty() || file.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    microgpt::use({reinterpret_cast<const char*>(data), size});
  } catch (const microgpt::Error&) {
    return 0;
  }
  return 0;
}
