#include "train/memory.h"

#include <doctest/doctest.h>

#if defined(__GLIBC__) && __GLIBC_MINOR__ >= 33
#include <malloc.h>
#define HAVE_MALLINFO2
#endif

#include <string>
#include <vector>

#include "base/python_random.h"
#include "train/batch_trainer.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

/// How many bytes are allocated, or 0 if that is unknown.
std::size_t allocated() {
#ifdef HAVE_MALLINFO2
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

std::vector<Document> names_of(std::size_t length, std::size_t n) {
  return std::vector<Document>(n, keep(std::u32string(length - 1, U'a') + U'b'));
}

struct Case {
  Config config;
  std::string attention;
  std::size_t length, batch_size;
  bool dropout;
};

template <class T>
void check_estimate(const Case& c) {
  Config config = c.config;
  config.vocab_size = 3;
  choose_attention(config, c.attention);
  const std::vector<Document> documents = names_of(c.length, 10);
  PythonRandom random;
  const TrainConfig train{.batch_size = c.batch_size, .dropout = c.dropout ? 0.1 : 0};
  const std::size_t before = allocated();
  const Parameters parameters = initialize(config, train, random);
  BatchTrainer<T> trainer(config, train, parameters, documents, Tokenizer(documents), {.dropout = {train.dropout, 1}});
  trainer.step();
  const double bytes = static_cast<double>(allocated() - before);
  const TrainingMemory memory = tensor_memory<T>(config, train, documents);
  CAPTURE(c.attention);
  const double estimate = static_cast<double>((memory.model + memory.step).value());
  CHECK(estimate > 0.95 * bytes);
  CHECK(estimate < 1.25 * bytes);
}

const bool cannot_tell = allocated() == 0;

TEST_CASE("the memory of a training on the tensor path is known beforehand" *
          doctest::description("what allocates memory here does not tell how much it is") *
          doctest::skip(cannot_tell)) {
  for (const Case& c : {Case{{}, "mha", 10, 1000, false}, Case{{.n_layer = 3, .n_embd = 64}, "gqa", 100, 20, true},
                        Case{{.n_layer = 2, .n_embd = 64, .block_size = 50}, "mla", 200, 40, false},
                        Case{{.n_layer = 2, .n_embd = 256}, "mqa", 10, 2, false},
                        Case{{.n_embd = 8, .mask = {.window = 1, .n_random = 90}}, "mha", 800, 1, false}}) {
    Case wide = c;
    wide.config.block_size = std::max(c.config.block_size, c.length + 1);
    check_estimate<float>(wide);
    check_estimate<double>(wide);
  }
}

TEST_CASE("the memory of a training on the scalar path follows the longest document") {
  const std::vector<Document> documents = names_of(40, 10);
  const Tokenizer tokenizer(documents);
  for (const Config& shape :
       {Config{.block_size = 1000}, Config{.n_layer = 2, .n_embd = 64, .n_head = 16, .block_size = 50},
        Config{.n_layer = 30, .n_embd = 1, .n_head = 1, .block_size = 20}}) {
    Config config = shape;
    config.vocab_size = tokenizer.vocab_size();
    PythonRandom random;
    const Parameters parameters = initialize(config, {}, random);
    const Model model = scalar_model(config, parameters);
    const Scope scope;
    const std::size_t before = nodes_on_tape();
    document_loss(model, tokenizer.encode_document(documents[0]));
    const std::size_t nodes = (nodes_on_tape() - before) * sizeof(Node);
    const std::size_t estimate = scalar_memory(config, documents).step.value();
    CHECK(estimate > nodes);  // there are lists of children, too
    CHECK(estimate < 4 * nodes);
  }
}

TEST_CASE("no size overflows: what is too much is refused") {
  const std::vector<Document> documents = names_of(10, 10);
  constexpr std::size_t huge = std::size_t{1} << 62;
  Config config{.vocab_size = 3, .n_layer = 1, .n_embd = huge, .n_head = 1};
  CHECK_THROWS_AS(require_memory(scalar_memory(config, documents)), MemoryError);
  config = {.vocab_size = huge};
  CHECK_THROWS_AS(require_memory(tensor_memory<float>(config, {.batch_size = huge}, documents)), MemoryError);
  CHECK_NOTHROW(require_memory(tensor_memory<float>({.vocab_size = 27, .block_size = 16}, {}, documents)));
}

}  // namespace
}  // namespace microgpt
