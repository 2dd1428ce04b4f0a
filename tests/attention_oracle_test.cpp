// attention_oracle is part of `make test`. These tests show that it fails when it should.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "run_program.h"
#include "temporary_directory.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

/// Runs attention_oracle on a folder. Throws std::runtime_error if ATTENTION_ORACLE does not say where it is.
Run oracle(const std::filesystem::path& folder) {
  const char* program = ::getenv("ATTENTION_ORACLE");
  if (program == nullptr) {
    throw std::runtime_error("set ATTENTION_ORACLE, to build/release/attention_oracle for instance");
  }
  ::setenv("ORACLE_DIR", folder.c_str(), 1);
  const Run result = run({program});
  ::unsetenv("ORACLE_DIR");
  return result;
}

Safetensors golden(const std::string& name) {
  return read_safetensors("tests/golden/attention/" + name + ".safetensors");
}

/// The names of a golden file's tensors.
std::vector<std::string> tensors_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [tensor, numbers] : golden(name).tensors) names.push_back(tensor);
  return names;
}

void save(const Safetensors& file, const std::filesystem::path& path) {
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.push_back({name, tensor.shape, tensor.data});
  write_contents(path, serialize_safetensors(file.metadata, tensors));
}

/// What the oracle says of this file, behind its name; it must refuse it.
std::string refusal(const Safetensors& file) {
  const TemporaryDirectory folder;
  save(file, folder / "file.safetensors");
  const Run run = oracle(folder.path);
  CHECK(run.exit_code == 1);
  CHECK(run.err == "");
  REQUIRE(lines(run.out).size() == 2);
  CHECK(lines(run.out)[1] == "0 of 1 files agree to within 1e-12");
  const std::string line = lines(run.out)[0];
  const std::size_t at = line.find("FAILED: ");
  REQUIRE_MESSAGE((line.starts_with("file  ") && at != std::string::npos), line);
  return line.substr(at + 8);
}

const std::string cross = "mha_cross_2x4x6x16_h2";
const std::string rope = "mla_rope_2x6x32_h4_q12_kv8_r4";

TEST_CASE("the oracle prints a line for each file: its name, the largest difference, ok") {
  const TemporaryDirectory folder;
  save(golden(rope), folder / "b.safetensors");
  save(golden(cross), folder / "a.safetensors");
  write_contents(folder / "README.md", "no tensors");
  const Run run = oracle(folder.path);
  CHECK(run.exit_code == 0);
  const std::vector<std::string> printed = lines(run.out);
  REQUIRE(printed.size() == 3);
  for (const std::size_t i : {0, 1}) {
    CHECK(printed[i].starts_with(i == 0 ? "a  " : "b  "));
    CHECK(printed[i].ends_with("  ok"));
    CHECK(std::stod(printed[i].substr(3)) < 1e-12);
  }
  CHECK(printed[2] == "2 of 2 files agree to within 1e-12");
}

TEST_CASE("the oracle sees any tensor that it compares change by 1e-9, and names it") {
  for (const std::string& name : {cross, rope}) {
    for (const std::string& tensor : tensors_of(name)) {
      const bool is_compared =
          tensor == "out" || tensor == "attn" || tensor == "c_kv" || tensor == "k_rope" || tensor.starts_with("grad.");
      if (!is_compared) continue;
      Safetensors file = golden(name);
      file.tensors[tensor].data.back() += 1e-9;
      INFO(name << ": " << tensor);
      CHECK(refusal(file).starts_with(tensor + ", with the "));
    }
  }
}

TEST_CASE("the oracle uses every input: each changed by 1e-9 changes what comes out") {
  for (const std::string& name : {cross, rope}) {
    for (const std::string& tensor : tensors_of(name)) {
      if (tensor != "x" && tensor != "kv" && tensor != "grad_out" && !tensor.starts_with("w_")) continue;
      Safetensors file = golden(name);
      for (double& number : file.tensors[tensor].data) number += 1e-9;
      INFO(name << ": " << tensor);
      CHECK(refusal(file).find(", with the ") != std::string::npos);
    }
  }
}

TEST_CASE("the oracle uses masks of every kind") {
  Safetensors local = golden("local_w4_12");
  double& diagonal = local.tensors["mask"].data[13];  // query 1, key 1
  REQUIRE(diagonal == 1);
  diagonal = 0;
  CHECK(refusal(local).find(", with the ") != std::string::npos);

  Safetensors padding = golden("mha_3x7x16_h4_padding");
  padding.tensors["key_padding_mask"].data[0] = 0;
  CHECK(refusal(padding).find(", with the ") != std::string::npos);
  padding.tensors["key_padding_mask"].data[0] = 0.5;
  CHECK(refusal(padding) == "key_padding_mask has a number other than 0 and 1");

  Safetensors causal = golden(rope);
  causal.metadata["mask"] = "none";
  CHECK(refusal(causal).find(", with the ") != std::string::npos);
  causal.metadata["mask"] = "banded";
  CHECK(refusal(causal) == "its metadata has an unknown mask \"banded\"");
}

TEST_CASE("the oracle agrees with no number that is not finite") {
  for (const double none : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Safetensors file = golden(cross);
    file.tensors["out"].data[0] = none;
    CHECK(refusal(file).starts_with("out, with the "));
  }
}

TEST_CASE("the oracle refuses a tensor that it does not know") {
  Safetensors file = golden(cross);
  file.tensors["grad.w_x"] = file.tensors["grad.w_q"];
  CHECK(refusal(file) == "has a tensor \"grad.w_x\" that this program does not know");
  Safetensors mixed = golden(rope);
  mixed.tensors["w_q"] = golden(cross).tensors["w_q"];
  CHECK(refusal(mixed) == "has a tensor \"w_q\" that this program does not know");
}

TEST_CASE("the oracle refuses a file that lacks something") {
  for (const std::string& name : {cross, rope}) {
    for (const std::string& tensor : tensors_of(name)) {
      // Not every file has these two. Without kv or w_dkv a file seems to be of another kind.
      if (tensor == "c_kv" || tensor == "k_rope" || tensor == "kv" || tensor == "w_dkv") continue;
      Safetensors file = golden(name);
      file.tensors.erase(tensor);
      CHECK(refusal(file) == "lacks the tensor " + tensor);
    }
  }
  Safetensors no_kv = golden(cross);
  no_kv.tensors.erase("kv");
  CHECK(refusal(no_kv) == "its metadata says M = 6, its tensors say 4");
  Safetensors no_latent = golden(rope);
  no_latent.tensors.erase("w_dkv");
  CHECK(refusal(no_latent) == "lacks the tensor w_q");
  Safetensors no_base = golden(rope);
  no_base.metadata.erase("rope_base");
  CHECK(refusal(no_base) == "its metadata has \"\" for rope_base, not a number");
}

TEST_CASE("the oracle refuses sizes that do not fit together") {
  Safetensors metadata = golden(rope);
  metadata.metadata["kv_latent"] = "9";
  CHECK(refusal(metadata) == "its metadata says kv_latent = 9, its tensors say 8");
  Safetensors flat = golden(cross);
  flat.tensors["x"].shape = {8, 16};
  CHECK(refusal(flat) == "x has the shape [8, 16], not 3 sizes of 1 or more");
  Safetensors turned = golden(cross);
  turned.tensors["grad.x"].shape = {2, 16, 4};
  CHECK(refusal(turned) == "grad.x has the shape [2, 16, 4], not [2, 4, 16]");
  Safetensors narrow = golden(cross);
  narrow.tensors["w_k"] = {"F64", {5, 16}, std::vector<double>(80)};
  CHECK(refusal(narrow) == "w_k has 5 rows, no multiple of 8");
  Safetensors crowded = golden("gqa_2x6x32_h8_kv2");
  for (const char* name : {"w_k", "w_v"}) crowded.tensors[name] = {"F64", {12, 32}, std::vector<double>(12 * 32)};
  CHECK(refusal(crowded) == "8 heads cannot share the keys of 3");
}

TEST_CASE("the oracle refuses a file that is not sound, and goes on") {
  const TemporaryDirectory folder;
  const std::string bytes = contents("tests/golden/attention/" + cross + ".safetensors");
  write_contents(folder / "cut.safetensors", bytes.substr(0, bytes.size() - 8));
  write_contents(folder / "whole.safetensors", bytes);
  const Run run = oracle(folder.path);
  CHECK(run.exit_code == 1);
  const std::vector<std::string> printed = lines(run.out);
  REQUIRE(printed.size() == 3);
  CHECK(printed[0].starts_with("cut    "));
  CHECK(printed[0].find("FAILED: cannot load ") != std::string::npos);
  CHECK(printed[1].starts_with("whole  "));
  CHECK(printed[1].ends_with("  ok"));
  CHECK(printed[2] == "1 of 2 files agree to within 1e-12");
}

TEST_CASE("the oracle refuses a folder without files, and one that is not there") {
  const TemporaryDirectory folder;
  write_contents(folder / "README.md", "no tensors");
  const Run empty = oracle(folder.path);
  CHECK(empty.exit_code == 1);
  CHECK(empty.out == "");
  CHECK(empty.err == "attention_oracle: no *.safetensors in '" + folder.path.string() +
                         "'; set ORACLE_DIR to a folder that has some\n");
  const Run missing = oracle(folder / "missing");
  CHECK(missing.exit_code == 1);
  CHECK(missing.err.starts_with("attention_oracle: cannot list '" + (folder / "missing").string() + "': "));
}

}  // namespace
}  // namespace microgpt
