// Fuzzing a file with a model. If it is valid, the commands that take a model use it.
#include "train/checkpoint.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
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
  Config config{.n_embd = 4, .n_head = 2, .block_size = 5, .rope = rope, .masks = parse_mask_patterns(mask)};
  choose_attention(config, attention);
  if (rope && config.is_latent()) config.rope_dim = 2;
  return config;
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

/// One of the header's first numbers becomes one where code that computes with sizes may go wrong, or one close to it.
std::string with_other_number(const std::string& header, PythonRandom& random) {
  constexpr std::array<std::uint64_t, 8> interesting{0,          1,          64,         std::uint64_t{1} << 31,
                                                     1ULL << 32, 1ULL << 53, 1ULL << 61, ~std::uint64_t{0}};
  constexpr const char* digits = "0123456789";
  std::size_t begin = header.find_first_of(digits);
  for (std::size_t skip = random.below(30); skip > 0 && begin != std::string::npos; skip--) {
    begin = header.find_first_of(digits, header.find_first_not_of(digits, begin));
  }
  if (begin == std::string::npos) return header;
  const std::size_t end = std::min(header.find_first_not_of(digits, begin), header.size());
  const std::uint64_t old = std::strtoull(header.c_str() + begin, nullptr, 10);
  const std::uint64_t other = random.below(2) == 0 ? old + random.below(3) - 1 : interesting[random.below(8)];
  return header.substr(0, begin) + std::to_string(other) + header.substr(end);
}

/// The file with another header, and with the length of that; or nothing.
std::string changed(const std::string& file, PythonRandom& random) {
  const std::size_t length = header_length(file);
  if (length == 0 || random.below(4) == 0) return "";
  std::string header = file.substr(length_bytes, length);
  if (random.below(2) == 0) {
    header = with_other_number(header, random);
  } else {
    header.resize(length + 64);
    header.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(header.data()), length, header.size()));
  }
  std::string bytes(length_bytes, '\0');
  const std::uint64_t new_length = header.size();
  std::memcpy(bytes.data(), &new_length, length_bytes);
  return bytes + header + file.substr(length_bytes + length);
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
  for (const char* mask :
       {"local:2", "strided:2:2", "global:2:1", "random:2", "bigbird:2:1:1", "block:2", "local:2,full"}) {
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
