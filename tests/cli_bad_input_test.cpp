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

TEST_CASE("a count is a whole number from 1 to a thousand million") {
  auto refused = [](const std::string& command, const std::string& option, const std::string& value) {
    CHECK(refusal({command, option, value}) ==
          fmt::format("2: {} is '{}'; it must be a whole number from 1 to 1000000000", option, value));
  };
  for (const char* value : {"0", "-1", "1000000001", "99999999999999999999", "NaN", "inf", "", "1e3", "0x10", " 5",
                            "5 ", "+5", "1.5", "five"}) {
    refused("train", "--steps", value);
  }
  for (const char* value : {"0", "", "99999999999999999999"}) {
    for (const char* option : {"--n-layer", "--n-embd", "--n-head", "--block-size", "--samples"}) {
      refused("train", option, value);
    }
    refused("sample", "--num", value);
    for (const char* option : {"--n-embd", "--batch", "--steps", "--rounds"}) refused("bench", option, value);
    refused("train", "--batch", value);
    for (const char* option : {"--context", "--n-embd", "--kv-latent"}) refused("kv", option, value);
    for (const char* option : {"--seeds", "--batch", "--n-embd"}) refused("train-fast", option, value);
  }
}

TEST_CASE("a learning rate or a temperature is a number above zero, and not huge") {
  auto refused = [](const std::string& command, const std::string& option, const std::string& value) {
    CHECK(refusal({command, option, value}) ==
          fmt::format("2: {} is '{}'; it must be a number from 1e-09 to 1000000", option, value));
  };
  for (const char* value : {"0", "-0.5", "1e-10", "1e7", "1e400", "1e-400", "99999999999999999999", "NaN", "nan", "inf",
                            "-inf", "", "0x10", " 5", "5 ", "1,5", "0.5x"}) {
    refused("train", "--lr", value);
  }
  for (const char* value : {"0", "NaN", "inf"}) {
    refused("train", "--temperature", value);
  }
}

TEST_CASE("a seed is a whole number of any size") {
  const ModelFolder folder;
  for (const char* value : {"NaN", "inf", "", "1e3", "0x10", " 5", "5 ", "1.5"}) {
    const std::string expected = fmt::format("2: the seed '{}' is not a whole number; give one such as 42", value);
    CHECK(refusal({"train", "--seed", value}) == expected);
    CHECK(refusal({"sample", folder.model, "--seed", value}) == expected);
  }
  for (const char* value : {"0", "-1", "99999999999999999999"}) {
    CHECK(microgpt(folder.train({"--steps", "1", "--seed", value})).exit_code == 0);
  }
}

TEST_CASE("what is typed wrong is named") {
  const std::string commands =
      "there are train, train-fast, sample, eval, inspect, heads, kv, task and bench; see microgpt --help";
  CHECK(refusal({}) == "2: no command given; " + commands);
  CHECK(refusal({"paint"}) == "2: unknown command 'paint'; " + commands);
  CHECK(refusal({""}) == "2: unknown command ''; " + commands);
  CHECK(refusal({"--fast"}) == "2: unexpected '--fast'; see microgpt --help");
  const std::vector<std::pair<Words, std::string>> told{
      {{"train", "--fast", "7"}, "unexpected '--fast'"},
      {{"train", "names.txt"}, "unexpected 'names.txt'"},
      {{"train", "bench"}, "unexpected 'bench'"},
      {{"train", "-5"}, "unexpected '-5'"},
      {{"inspect", "a", "b"}, "unexpected 'b'"},
      {{"inspect", "--", "-a", "--help"}, "unexpected '--help'"},
      {{"inspect"}, "MODEL is required"},
      {{"train", "--steps"}, "--steps needs a value"},
      {{"train", "--save", "--force"}, "--save needs a value"},
      {{"train", "--steps", "5", "--steps=5"}, "--steps is given twice"},
      {{"train", "--quiet=no"}, "--quiet takes no value"},
      {{"train", "--digits", "5"}, "--digits is '5'; it must be 4|17"},
  };
  for (const auto& [words, what] : told) {
    CHECK(refusal(words) == fmt::format("2: {}; see microgpt {} --help", what, words[0]));
  }
  CHECK(refusal({"train", "--preset", "poem"}) ==
        "2: unknown preset 'poem'; there are gist, walkthrough, fast and best");
  CHECK(refusal({"train", "--preset", "two\nlines\x1b"}) ==
        "2: unknown preset 'two\\x0alines\\x1b'; there are gist, walkthrough, fast and best");
}

TEST_CASE("a shape that does not divide, or is huge, is refused with its numbers") {
  const std::string slice = "; every head takes an equal slice of the width: use an n_head of ";
  CHECK(refusal({"train", "--n-head", "3"}) == "2: n_embd 16 is not divisible by n_head 3" + slice + "2 or 4");
  CHECK(refusal({"train", "--n-embd", "10"}) == "2: n_embd 10 is not divisible by n_head 4" + slice + "2 or 5");
  auto huge = [](const std::string& shape) {
    return "2: " + shape + " make more than 67108864 parameters; choose a smaller shape";
  };
  CHECK(refusal({"train", "--n-embd", "1000000000"}) == huge("n_layer 1, n_embd 1000000000, block_size 16"));
  CHECK(refusal({"train", "--n-layer", "1000000000"}) == huge("n_layer 1000000000, n_embd 16, block_size 16"));
  CHECK(refusal({"train", "--block-size", "1000000000"}) == huge("n_layer 1, n_embd 16, block_size 1000000000"));
  CHECK(refusal({"train-fast", "--n-embd", "1000000000"}) == huge("n_layer 2, n_embd 1000000000, block_size 16"));
  CHECK(refusal({"bench", "--json", "--n-embd", "1000000000"}) == huge("n_layer 1, n_embd 1000000000, block_size 16"));
}

TEST_CASE("what only the tensor engine can do is refused without it") {
  for (const Words& option : {Words{"--batch", "2"}, Words{"--threads", "2"}, Words{"--dtype", "f32"},
                              Words{"--kernels", "naive"}, Words{"--loss", "token-mean"}, Words{"--dropout", "0.1"},
                              Words{"--weight-decay", "0.1"}, Words{"--attention", "mqa"}, Words{"--pos", "rope"}}) {
    CHECK(refusal(Words{"train"} + option) == "2: " + option[0] + " needs --engine tensor");
  }
  CHECK(refusal({"train", "--engine", "tensor", "--kv-latent", "4"}) == "2: --kv-latent needs --attention mla");
  CHECK(refusal({"train", "--engine", "tensor", "--n-kv-head", "2"}) == "2: --n-kv-head needs --attention gqa");
  CHECK(refusal({"train", "--engine", "tensor", "--mask", "local:0"}) ==
        "2: --mask 'local:0': a window of 0 hides everything, even the token itself; use 1 or more");
  for (const char* rate : {"1", "-0.1", "1.5", "nan", "half", "0.2x"}) {
    CHECK(refusal({"train", "--engine", "tensor", "--dropout", rate}) ==
          fmt::format("2: --dropout is '{}'; it must be a number from 0 to 0.99", rate));
  }
  CHECK(refusal({"train", "--preset", "fast"}) == "2: --preset fast needs --engine tensor");
  CHECK(refusal({"train", "--engine", "gpu"}) ==
        "2: --engine is 'gpu'; it must be scalar|tensor; see microgpt train --help");
  CHECK(refusal({"bench", "--what", "poem"}) == "2: --what is 'poem'; there are train, attention and sample");
}

TEST_CASE("a model of which kv knows nothing, or which cannot be, is refused") {
  const ModelFolder folder;
  const std::string unknown = refusal({"kv", "--like", "gpt2,llama"});
  CHECK(unknown.starts_with("2: unknown model 'llama'; there are gpt2, gpt2-xl, llama2-7b, "));
  for (const char* names : {"", "llama2-7b,", ",llama2-7b", "llama2-7b,,gpt2"}) {
    CHECK(refusal({"kv", "--like", names}).starts_with("2: unknown model ''; there are gpt2, "));
  }
  for (const char* tokens : {"8,", ",8", "4096,,8"}) {
    CHECK(refusal({"kv", "--context", tokens}) == "2: --context is ''; it must be a whole number from 1 to 1000000000");
  }
  CHECK(refusal({"kv", "--n-kv-head", "2"}) == "2: --n-kv-head needs --attention gqa");
  CHECK(refusal({"kv", "--n-head", "3"}).starts_with("2: n_embd 16 is not divisible by n_head 3"));
  CHECK(refusal({"kv", folder.model, "--n-embd", "8"}) ==
        "2: a MODEL has its own sizes; give either the MODEL or the sizes");
  CHECK(refusal({"kv", folder.names}).starts_with("1: cannot load '"));
  CHECK(refusal({"kv", "--dtype", "int4"}) ==
        "2: --dtype is 'int4'; it must be f16|bf16|f32|f64|fp8; see microgpt kv --help");
  CHECK(refusal({"kv", "--n-layer", "1000000000", "--n-embd", "4096"})
            .ends_with("make more than 1125899906842624 parameters; choose a smaller shape"));
}

TEST_CASE("more threads than anybody has are refused") {
  for (const Words& command : {Words{"train", "--engine", "tensor"}, Words{"bench"}, Words{"train-fast"}}) {
    CHECK(refusal(command + Words{"--threads", "1025"}) ==
          "2: --threads is '1025'; it must be a whole number from 1 to 1024");
  }
}

TEST_CASE("too few distinct names to hold any out are refused") {
  const ModelFolder folder;
  const std::string few = folder.written("few", "anna\nbela\nanna\n");
  const std::string message = "1: the data has 2 distinct documents; to hold out a tenth, at least 10 are needed";
  CHECK(refusal({"train-fast", "--data", few}) == message);
  CHECK(refusal({"eval", folder.model, "--data", few}) == message);
  CHECK(refusal({"train", "--hold-out", "--data", few}) == message);
}

TEST_CASE("a file of names that cannot be read is refused with its name and the line") {
  const ModelFolder folder;
  const std::string empty = folder.written("empty", "");
  const std::string blank = folder.written("blank", "\n \t \r\n\n");
  const std::string binary = folder.written("binary", std::string("anna\nb\0b\n", 9));
  const std::string latin1 = folder.written("latin1", "anna\r\nbela\r\nZo\xeb\r\n");
  const std::string directory = folder.path.string();
  const std::vector<std::pair<std::string, std::string>> expected{
      {"nowhere.txt", "cannot read 'nowhere.txt': No such file or directory; check the path"},
      {"", "cannot read '': No such file or directory; check the path"},
      {directory, "cannot read '" + directory + "': it is a directory; give a file"},
      {empty, empty + ": no documents in it; put one name on each line"},
      {blank, blank + ": no documents in it; put one name on each line"},
      {binary,
       binary + ":2: a zero byte; this is a binary file, and the names should be plain UTF-8 text, one per line"},
      {latin1, latin1 + ":3: not valid UTF-8; convert the file, for instance with iconv -t UTF-8"}};
  for (const auto& [path, message] : expected) {
    CHECK(refusal({"train", "--data", path}) == "1: " + message);
    CHECK(refusal({"bench", "--data", path}) == "1: " + message);
  }
}

TEST_CASE("a prompt that the model cannot begin with is refused") {
  const ModelFolder folder;
  auto prompt = [&](const std::string& text) { return refusal({"sample", folder.model, "--prompt", text}); };
  const std::string alphabet = " is unknown; the alphabet is 'abcdefghijklmnoprstu'";
  CHECK(prompt("V") == "2: the character 'V'" + alphabet);
  CHECK(prompt("zë") == "2: the character 'z'" + alphabet);
  CHECK(prompt("ë") == "2: the character 'ë'" + alphabet);
  CHECK(prompt("\n") == "2: the character '\\x0a'" + alphabet);
  CHECK(prompt("\xff") == "2: --prompt is not valid UTF-8");
  CHECK(prompt("annaannaa") == "2: --prompt has 9 characters; this model's block_size is 8");
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
    CHECK(refusal({"train-fast", "--data", folder.names, "--save", path}) == message);
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
  const Words fast{"train-fast", "--data", folder.names, "--steps", "1", "--seeds", "1"};
  for (const std::string& text : {std::string("my novel"), cut}) {
    const std::string path = folder.written("other", text);
    for (const Words& command : {train, fast, silence}) {
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
