// What the program refuses: with one line on standard error that says what is wrong, the right exit code (2 for what
// was typed, 1 for the rest), and nothing lost.
#include <sys/stat.h>

#include <filesystem>

#include "program.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a number is read whole, and within its range") {
  const std::string must = "; it must be a whole number from 1 to 1000000000";
  for (const char* value :
       {"-1", "0", "1000000001", "99999999999999999999", "NaN", "", "1e3", "0x10", " 5", "5 ", "+5", "1.5"}) {
    CHECK(refusal({"train", "--steps", value}) == fmt::format("2: --steps is '{}'{}", value, must));
  }
  for (const char* seed : {"NaN", "", "1e3", " 5", "1.5", "18446744073709551616"}) {
    CHECK(refusal({"train", std::string("--seed=") + seed}) ==
          fmt::format("2: --seed is '{}'; it must be a whole number from 0 to 18446744073709551615", seed));
  }
  check_refused({{"train --lr 0", "2: --lr is '0'; it must be a number from 1e-09 to 1000000"},
                 {"sample --num 0", "2: --num is '0'" + must},
                 {"kv --context 1.5", "2: --context is '1.5'" + must},
                 {"train --temperature inf", "it must be a number from 1e-09 to 1000000"},
                 {"train --engine tensor --dropout 1", "it must be a number from 0 to 0.99"},
                 {"train --engine tensor --threads 1025", "it must be a whole number from 1 to 1024"}});
  for (const char* seed : {"0", "-1", "random", "18446744073709551615"})
    output({"train", "--steps", "1", "--seed", seed});
}

TEST_CASE("what is typed wrong is named") {
  const ModelFolder folder;
  const std::string few = folder.written("few", "anna\nbela\nanna\n"),
                    on_model = "sample " + folder.model + " --prompt ";
  const std::string alphabet = " is unknown; the alphabet is 'abcdefghijklmnoprstu'";
  const std::string two = "1: the data has 2 distinct documents; to hold out a tenth, at least 10 are needed";
  check_refused({
      {"", "2: no command given; there are train, "},
      {"paint", "2: unknown command 'paint'; there are train, "},
      {"--fast", "2: unexpected '--fast'; see microgpt --help"},
      {"train names.txt", "2: unexpected 'names.txt'; see"},
      {"inspect a b", "2: unexpected 'b'; see"},
      {"inspect -- -a --help", "2: unexpected '--help'; see"},
      {"inspect", "2: MODEL is required; see"},
      {"train --steps", "2: --steps needs a value; see"},
      {"train --save --force", "2: --save needs a value; see"},
      {"train --steps 5 --steps=5", "2: --steps is given twice; see"},
      {"train --quiet=no", "2: --quiet takes no value; see"},
      {"train --digits 5", "2: --digits is '5'; it must be 4|17; see"},
      {"train --engine gpu", "2: --engine is 'gpu'; it must be scalar|tensor; see"},
      {"bench --what poem", "2: --what is 'poem'; there are "},
      {"train --preset poem", "2: unknown preset 'poem'; there are gist, "},
      {"train --preset fast --engine scalar", "2: --preset fast needs --engine tensor"},
      {"train --n-head 3", "2: n_embd 16 is not divisible by n_head 3; every head takes an equal slice"},
      {"train --n-embd 1000000000", "make more than 67108864 parameters; choose a smaller shape"},
      {"bench --json --n-embd 1000000000", "make more than 67108864 parameters; choose a smaller shape"},
      {"train --engine tensor --kv-latent 4", "2: --kv-latent needs --attention mla"},
      {"train --engine tensor --n-kv-head 2", "2: --n-kv-head needs --attention gqa"},
      {"train --engine tensor --mask full,local:0", "2: mask 'local:0': a window of 0 hides everything"},
      {"train --engine tensor --mask local:2,full --n-layer 3",
       "2: 2 masks for 3 layers; give one for all layers, or "},
      {"kv --like gpt2,llama", "2: unknown model 'llama'; there are gpt2, gpt2-xl, llama2-7b, "},
      {"kv --context 4096,,8", "2: --context is ''; it must be a whole number from 1 to 1000000000"},
      {"train --preset list --data " + few, two},
      {"train --hold-out --data " + few, two},
      {on_model + "zë", "2: the character 'z'" + alphabet},
      {on_model + "\x01", "2: the character '\\x01'" + alphabet},
      {on_model + "\xff", "2: --prompt is not valid UTF-8"},
      {on_model + "annaannaa", "2: --prompt has 9 characters; this model's block_size is 8"},
  });
  for (const char* option : {"--batch 2", "--threads 2", "--dtype f32", "--kernels naive", "--loss token-mean",
                             "--dropout 0.1", "--weight-decay 0.1", "--attention mqa", "--pos rope"}) {
    check_refused({{fmt::format("train {}", option), "2: --"}, {fmt::format("train {}", option), " needs --engine"}});
  }
}

TEST_CASE("a file that cannot be read as names, or as a model, is refused with its name and with what to do") {
  const ModelFolder folder;
  const std::string here = folder.path.string(), none = ": no documents in it; put one name on each line";
  auto names = [&](const std::string& name, const std::string& text) {
    return "train --data " + folder.written(name, text);
  };
  auto model = [&](const std::string& name, const std::string& text) { return "sample " + folder.written(name, text); };
  check_refused(
      {{"train --data nowhere.txt", "1: cannot read 'nowhere.txt': No such file or directory; check the path"},
       {"bench --data " + here, "1: cannot read '" + here + "': it is a directory; give a file"},
       {names("empty", ""), "1: " + folder.file("empty") + none},
       {names("blank", "\n \t \r\n\n"), "1: " + folder.file("blank") + none},
       {names("binary", std::string("anna\nb\0b\n", 9)), "1: " + folder.file("binary") + ":2: a zero byte; "},
       {names("latin1", "anna\r\nbela\r\nZo\xeb\r\n"),
        folder.file("latin1") + ":3: not valid UTF-8; if it comes from Windows: iconv -f WINDOWS-1252 -t UTF-8 '" +
            folder.file("latin1") + "' >names.txt"},
       {"inspect nowhere", "1: cannot load 'nowhere': No such file or directory; check the path"},
       {"sample " + here, "1: cannot load '" + here + "': it is a directory, a device or a pipe; give a file"},
       {model("nothing", ""), "only 0 bytes; make one with 'microgpt train --save FILE'"},
       {model("cut", folder.bytes.substr(0, folder.bytes.size() - 8)),
        "it has 92920 bytes of numbers, but its tensors have more; make one with"}});
}

TEST_CASE("an old model survives a disk that is full, a training that diverges, and a program that is killed") {
  const ModelFolder folder;
  for (const int room : {8, 100}) {  // half KiB; the model has 31 KiB, and 93 with Adam's means
    const Run r = in_shell(fmt::format("ulimit -f {}; exec \"$0\" \"$@\"", room),
                           folder.train({"--steps", "1", "--save", folder.model}));
    CHECK(complaint(r) == "1: cannot write '" + folder.model + "': File too large; choose another path");
  }
  CHECK(complaint(microgpt(folder.train({"--lr", "1e6", "--save", folder.model}))) ==
        "1: step 2: the loss is inf; training diverged, try a smaller --lr");
  Running training(microgpt_command(folder.train({"--steps", "1000000000", "--save", folder.model})));
  CHECK(training.until_printed("step   20 /"));
  training.send(SIGKILL);
  CHECK(training.wait().exit_code == 128 + SIGKILL);
  CHECK(folder.untouched());
}

TEST_CASE("--save replaces a model, with --force any file but the names, and finds that out before training") {
  const ModelFolder folder;
  const std::string link = folder.file("link"), other = folder.file("other"), pipe = folder.file("pipe");
  fs::create_symlink(folder.names, link);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string train = "train --data " + folder.names + " --steps 1 --block-size 8 --samples 1 --save ",
                    resume = "train --resume " + folder.model + " --steps 30 --save ",
                    prune = "heads " + folder.model + " --data " + folder.names + " --prune --save ";
  for (const std::string& command : {train, resume, prune}) {
    for (const std::string& text : {std::string("my novel"), folder.bytes.substr(0, folder.bytes.size() / 2)}) {
      write_contents(other, text);
      check_refused({{command + other, "2: --save '" + other + "' would replace a file that is no model of microgpt"},
                     {command + link, "2: --save '" + link + "' is the file of names; choose another path"},
                     {command + folder.names + " --force", "is the file of names"},
                     {command + pipe, "1: cannot write '" + pipe + "': it is a device or a pipe"},
                     {command + folder.file("no/model"), "; make the directory '" + folder.file("no") + "' first"}});
      CHECK(contents(other) == text);
      CHECK(microgpt(words_of(command + other + " --force")).exit_code == 0);
      CHECK(microgpt(words_of(command + other)).exit_code == 0);  // now it is a model
    }
    write_contents(other, "");
    CHECK(microgpt(words_of(command + other)).exit_code == 0);
  }
  for (const std::string& path : {link, other, pipe}) fs::remove(path);
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

TEST_CASE("a standard output that is full is noticed" * doctest::description("there is no device /dev/full") *
          doctest::skip(!fs::is_character_file("/dev/full"))) {
  const ModelFolder folder;
  for (const Words& arguments : {folder.train({"--steps", "200"}), folder.train({"--steps", "1", "--quiet"}),
                                 Words{"sample", folder.model}, Words{"inspect", folder.model}, Words{"kv"},
                                 Words{"bench", "--data", folder.names, "--n-embd", "4", "--what", "train", "--quick"},
                                 Words{"--help"}, Words{"bench", "--help"}, Words{"--version"}}) {
    const Run r = microgpt(arguments, {.out_file = "/dev/full"});
    CHECK(complaint(r) == "1: cannot write to standard output: No space left on device");
  }
  CHECK(folder.untouched());
}

}  // namespace
}  // namespace microgpt
