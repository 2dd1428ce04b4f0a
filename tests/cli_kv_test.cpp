#include <iterator>

#include "program.h"

namespace microgpt {
namespace {

/// The words of the line of a table that begins so.
Words columns(const std::string& with, const std::string& table) {
  std::istringstream line(with + behind(with, table));
  return {std::istream_iterator<std::string>(line), {}};
}

TEST_CASE("kv tells what published models keep, and what they would keep with other kinds of attention") {
  const std::string table = output({"kv", "--like", "llama2-7b,mistral-7b", "--context", "1000,4096,131072"});
  CHECK(columns("llama2-7b ", table) == Words{"llama2-7b", "mha,", "32", "heads", "6.738B", "2.147B", "f16", "262144",
                                              "512.0", "KiB", "100.0", "500.0", "MiB", "2.0", "GiB", "64.0", "GiB"});
  CHECK(columns("mistral-7b ", table) == Words{"mistral-7b", "gqa,", "8", "of", "32", "7.242B", "1.342B", "f16",
                                               "65536", "128.0", "KiB", "25.0", "125.0", "MiB", "512.0", "MiB", "512.0",
                                               "MiB"});  // it sees no more than 4096
  CHECK(lines_that_begin("mistral-7b, also as ...: a token sees at most 4096 tokens", table).size() == 1);
  CHECK(lines_that_begin("  as mha", table).size() == 1);  // of mistral alone
  CHECK(lines_that_begin("  as gqa", table).size() == 1);
  CHECK(lines_that_begin("  as mqa", table).size() == 2);
  CHECK(lines_that_begin("  as mla", table).size() == 2);
  const std::string all = output({"kv"});
  CHECK(lines_that_begin("  as", all).empty());
  CHECK(lines_that_begin("mistral-7b: a token sees at most 4096 tokens", all).size() == 1);
  for (const std::string& line : lines(all + table)) CHECK_MESSAGE(line.size() <= 120, line);
}

TEST_CASE("kv foretells the cache of a model of one's own, typed or saved, that train then has") {
  const NamesFolder folder;
  const std::string model = folder.file("own.safetensors");
  const Words mla{"--attention", "mla", "--n-embd", "24", "--n-layer", "2", "--kv-latent", "10", "--rope-dim", "4"};
  const std::string typed = output(Words{"kv", "--block-size", "100"} + mla);
  // 2 layers of 14 numbers of 4 bytes; Lq is 18: per layer 24*18 + 18*(24 + 16) + 24*10 + 2*10*24 + 24*4 + 24*24
  CHECK(columns("your sizes ", typed) ==
        Words{"your", "sizes", "mla,", "10", "+", "4", "5088", "f32", "28", "112", "B", "29.2", "10.9", "KiB"});
  const std::string trained =
      output(folder.train(Words{"--engine", "tensor", "--mask", "local:3,full", "--save", model} + mla));
  CHECK(behind("threads: ", trained).ends_with("KV cache of the samples: 112 bytes per token"));
  const std::string table = output({"kv", model});
  const Words saved = columns("own ", table);
  CHECK(saved[5] == behind("num params: ", trained));
  CHECK(Words(saved.begin() + 6, saved.end()) ==
        Words{"5088", "f32", "28", "112", "B", "29.2", "1.0", "KiB"});  // 3 rows and 16
  CHECK(behind("own: ", table).starts_with("in 1 of 2 layers, a token sees at most 3 tokens"));
}

}  // namespace
}  // namespace microgpt
