// What the program refuses: with one line on standard error that says what is wrong, the right exit code (2 for what
// was typed, 1 for the rest), and nothing lost.
#include <sys/stat.h>

#include <filesystem>

#include "base/utf8.h"
#include "program.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

bool has_steps(const Run& r) { return r.out.find("step") != std::string::npos; }

/// "train --steps 5" as words.
Words words_of(const std::string& command) {
  std::istringstream in(command);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST_CASE("a number is read whole, and within its range") {
  const std::string count = "it must be a whole number from 1 to 1000000000", number = "it must be a number from ";
  const std::vector<std::tuple<std::string, std::string, Words>> refused{
      {"train --steps",
       count,
       {"0", "-1", "1000000001", "99999999999999999999", "NaN", "", "1e3", "0x10", " 5", "5 ", "+5", "1.5", "five"}},
      {"train --lr",
       number + "1e-09 to 1000000",
       {"0", "-0.5", "1e-10", "1e7", "1e400", "1e-400", "nan", "-inf", "", "0x10", " 5", "5 ", "1,5", "0.5x"}},
      {"train --temperature", number + "1e-09 to 1000000", {"0", "inf"}},
      {"train --engine tensor --dropout", number + "0 to 0.99", {"1", "-0.1", "nan", "half", "0.2x"}},
      {"train --engine tensor --threads", "it must be a whole number from 1 to 1024", {"1025", "0"}}};
  for (const auto& [command, must, values] : refused) {
    for (const std::string& value : values) {
      const Words words = words_of(command);
      CHECK(refusal(words + Words{value}) == fmt::format("2: {} is '{}'; {}", words.back(), value, must));
    }
  }
  for (const char* command :
       {"train --n-layer", "train --n-embd", "train --n-head", "train --block-size", "train --samples", "train --batch",
        "sample --num", "bench --n-embd", "bench --batch", "bench --steps", "bench --rounds", "kv --context",
        "kv --n-embd", "kv --kv-latent"}) {
    const Words words = words_of(command);
    for (const char* value : {"0", "1000000001"}) {
      CHECK(refusal(words + Words{value}) == fmt::format("2: {} is '{}'; {}", words[1], value, count));
    }
  }
  for (const char* seed : {"NaN", "", "1e3", "0x10", " 5", "5 ", "1.5"}) {
    CHECK(refusal({"train", "--seed", seed}) ==
          fmt::format("2: the seed '{}' is not a whole number; give one such as 42", seed));
  }
  for (const char* seed : {"0", "-1", "99999999999999999999"}) output({"train", "--steps", "1", "--seed", seed});
}

TEST_CASE("what is typed wrong is named") {
  const ModelFolder folder;
  const std::string few = folder.written("few", "anna\nbela\nanna\n"),
                    on_model = "sample " + folder.model + " --prompt ";
  const std::string there_are = "; there are train, sample, eval, inspect, heads, kv, task and bench; see ";
  const std::string slice = "; every head takes an equal slice of the width: use an n_head of 2 or ";
  const std::string huge = " make more than 67108864 parameters; choose a smaller shape";
  const std::string alphabet = " is unknown; the alphabet is 'abcdefghijklmnoprstu'";
  const std::string two = "the data has 2 distinct documents; to hold out a tenth, at least 10 are needed";
  const std::vector<std::pair<std::string, std::string>> told{
      {"", "2: no command given" + there_are},
      {"paint", "2: unknown command 'paint'" + there_are},
      {"--fast", "2: unexpected '--fast'; see microgpt --help"},
      {"train --fast 7", "2: unexpected '--fast'; see microgpt train --help"},
      {"train names.txt", "2: unexpected 'names.txt'; see"},
      {"train bench", "2: unexpected 'bench'; see"},
      {"train -5", "2: unexpected '-5'; see"},
      {"inspect a b", "2: unexpected 'b'; see"},
      {"inspect -- -a --help", "2: unexpected '--help'; see"},
      {"inspect", "2: MODEL is required; see"},
      {"train --steps", "2: --steps needs a value; see"},
      {"train --save --force", "2: --save needs a value; see"},
      {"train --steps 5 --steps=5", "2: --steps is given twice; see"},
      {"train --quiet=no", "2: --quiet takes no value; see"},
      {"train --digits 5", "2: --digits is '5'; it must be 4|17; see"},
      {"train --engine gpu", "2: --engine is 'gpu'; it must be scalar|tensor; see"},
      {"kv --dtype int4", "2: --dtype is 'int4'; it must be f16|bf16|f32|f64|fp8; see"},
      {"bench --what poem", "2: --what is 'poem'; there are "},
      {"train --preset poem", "2: unknown preset 'poem'; there are gist, walkthrough, fast, best and list"},
      {"train --preset a\x1b", "2: unknown preset 'a\\x1b'"},
      {"train --n-head 3", "2: n_embd 16 is not divisible by n_head 3" + slice + "4"},
      {"train --n-embd 10", "2: n_embd 10 is not divisible by n_head 4" + slice + "5"},
      {"kv --n-head 3", "2: n_embd 16 is not divisible by n_head 3"},
      {"train --n-embd 1000000000", "2: n_layer 1, n_embd 1000000000, block_size 16" + huge},
      {"train --n-layer 1000000000", "2: n_layer 1000000000, n_embd 16, block_size 16" + huge},
      {"train --block-size 1000000000", "2: n_layer 1, n_embd 16, block_size 1000000000" + huge},
      {"train --preset fast --n-embd 1000000000", "2: n_layer 2, n_embd 1000000000, block_size 16" + huge},
      {"bench --json --n-embd 1000000000", "2: n_layer 1, n_embd 1000000000, block_size 16" + huge},
      {"kv --n-layer 1000000000 --n-embd 4096", "make more than 1125899906842624 parameters; choose a smaller shape"},
      {"train --batch 2", "2: --batch needs --engine tensor"},
      {"train --threads 2", "2: --threads needs --engine tensor"},
      {"train --dtype f32", "2: --dtype needs --engine tensor"},
      {"train --kernels naive", "2: --kernels needs --engine tensor"},
      {"train --loss token-mean", "2: --loss needs --engine tensor"},
      {"train --dropout 0.1", "2: --dropout needs --engine tensor"},
      {"train --weight-decay 0.1", "2: --weight-decay needs --engine tensor"},
      {"train --attention mqa", "2: --attention needs --engine tensor"},
      {"train --pos rope", "2: --pos needs --engine tensor"},
      {"train --preset fast --engine scalar", "2: --preset fast needs --engine tensor"},
      {"train --engine tensor --kv-latent 4", "2: --kv-latent needs --attention mla"},
      {"train --engine tensor --n-kv-head 2", "2: --n-kv-head needs --attention gqa"},
      {"train --engine tensor --mask local:0", "2: --mask 'local:0': a window of 0 hides everything"},
      {"kv --like gpt2,llama", "2: unknown model 'llama'; there are gpt2, gpt2-xl, llama2-7b, "},
      {"kv --like llama2-7b,", "2: unknown model ''; there are gpt2, "},
      {"kv --context 4096,,8", "2: --context is ''; it must be a whole number from 1 to 1000000000"},
      {"kv --n-kv-head 2", "2: --n-kv-head needs --attention gqa"},
      {"kv " + folder.model + " --n-embd 8", "2: a MODEL has its own sizes; give either the MODEL or the sizes"},
      {"kv " + folder.names, "1: cannot load '"},
      {"train --preset list --data " + few, "1: " + two},
      {"eval " + folder.model + " --data " + few, "1: " + two},
      {"train --hold-out --data " + few, "1: " + two},
      {on_model + "V", "2: the character 'V'" + alphabet},
      {on_model + "zë", "2: the character 'z'" + alphabet},
      {on_model + "ë", "2: the character 'ë'" + alphabet},
      {on_model + "\x01", "2: the character '\\x01'" + alphabet},
      {on_model + "\xff", "2: --prompt is not valid UTF-8"},
      {on_model + "annaannaa", "2: --prompt has 9 characters; this model's block_size is 8"},
  };
  for (const auto& [command, part] : told) {
    const std::string said = refusal(words_of(command));
    CHECK_MESSAGE(said.find(part) != std::string::npos, said);
  }
  CHECK(refusal({""}).find("unknown command ''") != std::string::npos);
}

TEST_CASE("a file of names that cannot be read is refused with its name and the line") {
  const ModelFolder folder;
  const std::string directory = folder.path.string(), none = ": no documents in it; put one name on each line";
  const std::vector<std::pair<std::string, std::string>> expected{
      {"nowhere.txt", "cannot read 'nowhere.txt': No such file or directory; check the path"},
      {"", "cannot read '': No such file or directory; check the path"},
      {directory, "cannot read '" + directory + "': it is a directory; give a file"},
      {folder.written("empty", ""), folder.file("empty") + none},
      {folder.written("blank", "\n \t \r\n\n"), folder.file("blank") + none},
      {folder.written("binary", std::string("anna\nb\0b\n", 9)),
       folder.file("binary") +
           ":2: a zero byte; this is a binary file, and the names should be plain UTF-8 text, one per line"},
      {folder.written("latin1", "anna\r\nbela\r\nZo\xeb\r\n"),
       folder.file("latin1") + ":3: not valid UTF-8; convert the file, for instance with iconv -t UTF-8"}};
  for (const auto& [path, message] : expected) {
    CHECK(refusal({"train", "--data", path}) == "1: " + message);
    CHECK(refusal({"bench", "--data", path}) == "1: " + message);
  }
}

TEST_CASE("a file that is no sound checkpoint is refused") {
  const ModelFolder folder;
  auto edited = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string bytes = folder.bytes;
    REQUIRE(from.size() == to.size());
    REQUIRE(bytes.find(from) != std::string::npos);
    return folder.written(name, bytes.replace(bytes.find(from), from.size(), to));
  };
  const std::string long_header = std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + folder.bytes.substr(8);
  const std::string remedy = "; make one with 'microgpt train --save FILE'";
  const std::vector<std::pair<std::string, std::string>> expected{
      {"nowhere", "No such file or directory; check the path"},
      {folder.path.string(), "it is a directory, a device or a pipe; give a file"},
      {folder.written("empty", ""), "it is not a safetensors file: it has only 0 bytes" + remedy},
      // its first eight letters, "anna\nbel", as a number
      {folder.names, "it is not a safetensors file: it claims a header of 7810756925467815521 bytes" + remedy},
      {folder.written("cut", folder.bytes.substr(0, folder.bytes.size() - 8)),
       "it has 92920 bytes of numbers, but its tensors have more" + remedy},
      {folder.written("header", long_header),
       "it is not a safetensors file: it claims a header of 9223372036854775807 bytes" + remedy},
      {edited("dtype", "F64", "F32"), "the tensor adam.m.layer0.attn_wk is not of dtype F64" + remedy},
  };
  for (const auto& [path, message] : expected) {
    CHECK(refusal({"sample", path}) == "1: cannot load '" + path + "': " + message);
    CHECK(refusal({"inspect", path}) == "1: cannot load '" + path + "': " + message);
  }
}

TEST_CASE("a place that cannot be saved to is found out before training") {
  const ModelFolder folder;
  const std::string there = folder.path.string();
  const TemporaryDirectory elsewhere;
  const std::string pipe = (elsewhere / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::vector<std::pair<std::string, std::string>> expected{
      {there + "/no/model", "No such file or directory; make the directory '" + there + "/no' first"},
      {pipe, "it is a device or a pipe; give the name of a file"}};
  for (const auto& [path, message] : expected) {
    const Run r = microgpt(folder.train({"--steps", "1", "--save", path}));
    CHECK(complaint(r) == "1: cannot write '" + path + "': " + message);
    CHECK_FALSE(has_steps(r));
  }
  CHECK(folder.untouched());
}

TEST_CASE("an old model survives a disk that has no room for the new one") {
  const ModelFolder folder;
  for (const int room : {8, 100}) {  // half KiB; the model has 31 KiB, and 93 with Adam's means
    const Run r = in_shell(fmt::format("ulimit -f {}; exec \"$0\" \"$@\"", room),
                           folder.train({"--steps", "1", "--save", folder.model}));
    CHECK(complaint(r) == "1: cannot write '" + folder.model + "': File too large; choose another path");
  }
  CHECK(folder.untouched());
}

TEST_CASE("names are not saved over") {
  const ModelFolder folder;
  const std::string link = folder.file("link");
  fs::create_symlink(folder.names, link);
  for (const std::string& path : {folder.names, folder.path.string() + "/./names.txt", link}) {
    const std::string message = fmt::format("2: --save '{}' is the file of names; choose another path", path);
    CHECK(refusal(folder.train({"--save", path})) == message);
    CHECK(refusal({"train", "--resume", folder.model, "--steps", "30", "--save", path}) == message);
    CHECK(refusal({"heads", folder.model, "--data", folder.names, "--silence", "0:1", "--save", path}) == message);
  }
  fs::remove(link);
  CHECK(folder.untouched());
}

TEST_CASE("only a model is saved over, and with --force any file") {
  const ModelFolder folder;
  const std::string cut = folder.bytes.substr(0, folder.bytes.size() / 2);
  const Words train = folder.train({"--steps", "1", "--block-size", "8", "--samples", "1"});
  const Words silence{"heads", folder.model, "--data", folder.names, "--silence", "0:1"};
  for (const std::string& text : {std::string("my novel"), cut}) {
    const std::string path = folder.written("other", text);
    for (const Words& command : {train, silence}) {
      CHECK(refusal(command + Words{"--save", path}) ==
            "2: --save '" + path +
                "' would replace a file that is no model of microgpt; choose another path, or add "
                "--force");
      CHECK(contents(path) == text);
      CHECK(microgpt(command + Words{"--save", path, "--force"}).exit_code == 0);
      CHECK(microgpt({"inspect", path}).exit_code == 0);
      CHECK(microgpt(command + Words{"--save", path}).exit_code == 0);  // now it is a model
      folder.written("other", text);
    }
  }
  CHECK(microgpt(train + Words{"--save", folder.written("empty", "")}).exit_code == 0);
  CHECK(refusal(folder.train({"--save", folder.names, "--force"})).find("is the file of names") != std::string::npos);
  CHECK(contents(folder.model) == folder.bytes);
}

TEST_CASE("an old model survives a training that diverges") {
  const ModelFolder folder;
  const Run r = microgpt(folder.train({"--lr", "1e6", "--save", folder.model}));
  CHECK(complaint(r) == "1: step 2: the loss is inf; training diverged, try a smaller --lr");
  CHECK(folder.untouched());
}

TEST_CASE("an old model survives a program that is killed while it trains") {
  const ModelFolder folder;
  Running training(microgpt_command(folder.train({"--steps", "1000000000", "--save", folder.model})));
  CHECK(training.until_printed("step   20 /"));
  training.send(SIGKILL);
  CHECK(training.wait().exit_code == 128 + SIGKILL);
  CHECK(folder.untouched());
}

TEST_CASE("what does not fit in memory ends in one line, in a thread, too" *
          doctest::description("the address sanitizer needs all the addresses itself") * doctest::skip(sanitized)) {
  const NamesFolder long_names(std::string(9'000, 'a') + "\n" + std::string(9'000, 'b') + "\n");
  const ModelFolder folder;
  const Words tensor{"--engine", "tensor", "--save", folder.model};
  for (const Words& large :
       {folder.train({"--n-embd", "1000", "--save", folder.model}),
        folder.train(tensor + Words{"--batch", "1000000000"}), folder.train(tensor + Words{"--n-layer", "20000"}),
        long_names.train(tensor +
                         Words{"--batch", "2", "--threads", "2", "--kernels", "naive", "--block-size", "9000"}),
        Words{"bench", "--data", folder.names, "--batch", "1000000"}}) {
    const Run r = in_shell("ulimit -v 400000; exec \"$0\" \"$@\"", large);
    CHECK(complaint(r).starts_with("1: out of memory; choose a smaller --batch, "));
  }
  CHECK(folder.untouched());
}

TEST_CASE("where the system lets few threads start, a training goes on with those" *
          doctest::skip(sanitized || !have_openmp)) {
  const NamesFolder folder;
  const Words train = folder.train({"--engine", "tensor", "--batch", "8", "--threads", "8", "--steps", "3"});
  const Run r = in_shell("ulimit -S -s 200000; ulimit -v 600000; exec \"$0\" \"$@\"", train);
  CHECK(r.err == "");
  CHECK(r.out.find("(the system lets this program start no more)") != std::string::npos);
  CHECK(losses(r.out) == losses(output(train)));
}

const bool no_full_device = !fs::is_character_file("/dev/full");

TEST_CASE("a standard output that is full is noticed" * doctest::description("there is no device /dev/full") *
          doctest::skip(no_full_device)) {
  const ModelFolder folder;
  for (const Words& arguments : {folder.train({"--steps", "200"}), folder.train({"--steps", "1", "--quiet"}),
                                 Words{"sample", folder.model}, Words{"inspect", folder.model}, Words{"kv"},
                                 Words{"bench", "--data", folder.names, "--n-embd", "4", "--steps", "1"},
                                 Words{"--help"}, Words{"bench", "--help"}, Words{"--version"}}) {
    const Run r = microgpt(arguments, {.out_file = "/dev/full"});
    CHECK(complaint(r) == "1: cannot write to standard output: No space left on device");
  }
  CHECK(folder.untouched());
}

}  // namespace
}  // namespace microgpt
