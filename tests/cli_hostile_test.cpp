// Files and streams that nobody would give on purpose.
#include <filesystem>

#include "base/utf8.h"
#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

TEST_CASE("a standard error that is full or closed changes nothing") {
  const ModelFolder folder;
  for (const char* place : {"2>&-", "2>/dev/full"}) {
    auto code = [&](const Words& arguments) {
      return in_shell(fmt::format("\"$0\" \"$@\" {}", place), arguments).exit_code;
    };
    CHECK(code({"train", "--steps", "0"}) == 2);
    CHECK(code(folder.train({"--lr", "1e6", "--save", folder.model})) == 1);
    CHECK(code({"inspect", folder.model}) == 0);
  }
  CHECK(folder.untouched());
}

TEST_CASE("a standard output that would not wait for its reader is made to wait") {
  const Run r = microgpt({"task", "copy", "--num", "20000"}, {.out_on_terminal = true, .does_not_block = true});
  CHECK(r.exit_code == 0);
  CHECK(r.out == output({"task", "copy", "--num", "20000"}));
}

TEST_CASE("a standard output that is closed is noticed, and no file takes its place") {
  const ModelFolder folder;
  const Run r = in_shell("\"$0\" \"$@\" >&-", {"inspect", folder.model});
  CHECK(complaint(r) == "1: cannot write to standard output: Bad file descriptor");
  CHECK(folder.untouched());
}

TEST_CASE("a file that never ends, or cannot be read, is refused as data and as a model") {
  CHECK(refusal({"train", "--data", "/dev/zero"}) ==
        "1: cannot read '/dev/zero': it has more than 100000000 bytes; give a smaller file");
  CHECK(refusal({"sample", "/dev/zero"}) ==
        "1: cannot load '/dev/zero': it is a directory, a device or a pipe; give a file");
  if (!std::filesystem::exists("/proc/self/mem")) return;
  CHECK(refusal({"train", "--data", "/proc/self/mem"}) ==
        "1: cannot read '/proc/self/mem': Input/output error; give another file");
  CHECK(refusal({"sample", "/proc/self/mem"}).starts_with("1: cannot load '/proc/self/mem': "));
}

/// Runs the program with 300 MB of memory and 10 seconds.
Run confined(const Words& arguments) {
  return in_shell(sanitized ? "exec \"$0\" \"$@\"" : "ulimit -v 300000; ulimit -t 30; exec \"$0\" \"$@\"", arguments);
}

TEST_CASE("a model that claims a huge block takes no more than its file explains") {
  const NamesFolder folder;
  const std::string path = folder.file("model");
  for (const char* mask : {"full", "random:900000000", "local:4"}) {
    const Words rope{"--engine", "tensor", "--pos", "rope", "--mask", mask, "--steps", "3", "--save", path, "--force"};
    REQUIRE(microgpt(folder.train(rope)).err == "");
    Checkpoint model = load_checkpoint(path);
    auto claim = [&](std::size_t block_size) {
      model.config.block_size = block_size;
      save_checkpoint(path, model.config, model.tokenizer, model.parameters);
    };
    for (const std::size_t block_size : {std::size_t{20'000'000}, std::size_t{1'000'000'000}}) {
      claim(block_size);
      for (const char* command : {"sample", "inspect", "kv"}) CHECK(confined({command, path}).err == "");
      CHECK(confined({"eval", path, "--data", folder.names}).err == "");
    }
    claim(std::size_t{1} << 60);
    CHECK(refusal({"sample", path}) == "1: cannot load '" + path +
                                           "': block_size 1152921504606846976 is more than 1000000000; make one with "
                                           "'microgpt train --save FILE'");
  }
}

TEST_CASE("a model that never ends a name is stopped") {
  const NamesFolder folder;
  const std::string path = folder.file("model");
  const Words rope{"--engine", "tensor", "--pos", "rope", "--steps", "3", "--block-size", "1000000", "--save", path};
  REQUIRE(microgpt(folder.train(rope)).err == "");
  Checkpoint model = load_checkpoint(path);
  const Parameter& lm_head = model.parameters["lm_head"];
  // Equal scores, whatever comes before, for all letters but the last token, which ends a name.
  for (std::size_t i = 0; i < lm_head.size(); i++) lm_head.data[i] = 0;
  const Parameter& wte = model.parameters["wte"];
  for (std::size_t i = 0; i < wte.size(); i++) wte.data[i] = 1;
  for (std::size_t i = 0; i < lm_head.cols; i++) lm_head.row(lm_head.rows - 1)[i] = -1000;
  save_checkpoint(path, model.config, model.tokenizer, model.parameters);
  const Run r = confined({"sample", path, "--num", "3"});
  CHECK(r.err == "");
  for (const std::string& line : lines(r.out)) {
    if (line.starts_with("sample")) CHECK(line.size() == 1000 + std::string("sample  1: ").size());
  }
  CHECK(confined({"eval", path, "--data", folder.names}).err == "");
}

TEST_CASE("a long block costs nothing if the names are short") {
  const NamesFolder folder;
  CHECK(
      confined(folder.train({"--engine", "tensor", "--mask", "random:50000", "--block-size", "50000", "--steps", "3"}))
          .err == "");
}

TEST_CASE("an alphabet of thousands costs no square of it, and no message has it all") {
  std::u32string text;
  for (char32_t i = 0; i < 8000; i++) text += std::u32string{0x4e00 + i} + (i % 20 == 0 ? U"\n" : U"");
  const NamesFolder folder(encode_utf8(text));
  const std::string model = folder.trained({"--block-size", "40", "--n-embd", "4", "--steps", "1"});
  const Run evaluated = confined({"eval", model, "--data", folder.names});
  CHECK(evaluated.err == "");
  CHECK(evaluated.out.find(" % of 6") != std::string::npos);  // names of 40 characters: 1,000 would take too long
  CHECK(confined({"heads", model, "--data", folder.names, "--num-documents", "10"}).exit_code == 0);
  CHECK(confined(folder.train({"--preset", "fast", "--steps", "10", "--block-size", "1", "--n-embd", "4"})).err == "");
  const std::string message = refusal({"sample", model, "--prompt", "a"});
  CHECK(message.ends_with("...' (8000 characters)"));
  CHECK(message.size() < 1000);
}

TEST_CASE("holding out a tenth takes little more memory than the names") {
  std::string text;
  for (int i = 100'000; i < 1'100'000; i++) text += std::to_string(i) + "\n";
  for (char& c : text) c += c == '\n' ? 0 : 'a' - '0';  // digits would be told of
  const NamesFolder folder(text);
  const std::string limit = sanitized ? "" : "ulimit -v 200000; ";
  const Words train = folder.train({"--hold-out", "--steps", "1", "--samples", "1"});
  CHECK(in_shell(limit + "exec \"$0\" \"$@\"", train).err == "");
}

TEST_CASE("a training that claims to be larger than its file takes no more than its file") {
  const ModelFolder folder;
  Checkpoint model = load_checkpoint(folder.model);
  auto resumed = [&] {
    save_checkpoint(folder.model, model.config, model.tokenizer, model.parameters, model.training);
    return complaint(confined({"train", "--resume", folder.model, "--steps", "30"}));
  };
  const std::string contradiction =
      "1: cannot resume '" + folder.model +
      "': its model is not what its training's options and data make; make one with 'microgpt train --save FILE'";
  model.config.masks[0].window = 3;  // which the scalar engine does not know
  CHECK(resumed() == contradiction);
  model.training->options["n-embd"] = "2000";
  CHECK(resumed() == contradiction);
}

TEST_CASE("an answer that never ends, ends the quiz") {
  const ModelFolder folder;
  const Run r = in_shell("{ head -c 200 /dev/zero; echo; echo 6; echo 6; echo 6; } | \"$0\" \"$@\"",
                         {"heads", folder.model, "--quiz", "--data", folder.names, "--num-documents", "1"});
  CHECK(lines(r.out).back() == "0 of 4 right");
}

TEST_CASE("a weight that is too large for a float is told") {
  const ModelFolder folder;
  Checkpoint model = load_checkpoint(folder.model);
  model.parameters["layer0.mlp_fc1"].row(7)[5] = -1e60;
  save_checkpoint(folder.model, model.config, model.tokenizer, model.parameters);
  CHECK(complaint(microgpt({"eval", folder.model, "--data", folder.names})) ==
        "1: the held-out loss is nan: numbers of the model are too large");
}

}  // namespace
}  // namespace microgpt
