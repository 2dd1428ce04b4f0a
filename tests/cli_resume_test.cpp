// Trainings that are interrupted, and go on.
#include <filesystem>

#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

/// The lines of the steps and of the new names.
Words numbers(const std::string& text) {
  Words found = lines(text);
  std::erase_if(found,
                [](const std::string& line) { return !line.starts_with("step") && !line.starts_with("sample"); });
  return found;
}

const Words narrow{"--n-embd", "4", "--n-head", "2", "--digits", "17"};

TEST_CASE("a signal ends a training that is saved, and a later one goes on with it") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  const Words endless{"--steps", "1000000000", "--save", model};
  auto signalled = [](const Words& arguments, const std::string& line, int signal) {
    Running training(microgpt_command(arguments));
    CHECK(training.until_printed(line));
    training.send(signal);
    return training.wait();
  };
  for (const Words& engine : {Words{}, Words{"--engine", "tensor"}}) {
    const Run first = signalled(folder.train(narrow + engine + endless), "step   20 /", SIGINT);
    CHECK(first.exit_code == 128 + SIGINT);
    const Words steps = numbers(first.out);
    REQUIRE(!steps.empty());
    const std::size_t step = std::stoul(steps.back().substr(5));
    CHECK(first.err == fmt::format("microgpt: stopped and saved after step {} of 1000000000; "
                                   "go on with: microgpt train --resume '{}'\n",
                                   step, model));
    CHECK(microgpt({"sample", model}).exit_code == 0);

    const std::string next = fmt::format("step {:4} /", step + 1);
    const Run second = signalled({"train", "--resume", model, "--save-every", "1000"}, next, SIGTERM);
    CHECK(second.exit_code == 128 + SIGTERM);
    CHECK(second.out.find(fmt::format("step {:4} /", step)) == std::string::npos);
    CHECK(second.err.ends_with(fmt::format("--resume '{}' --save-every 1000\n", model)));
  }
}

TEST_CASE("a reader that goes away ends a training that is saved") {
  const NamesFolder folder;
  const Run r = in_shell("{ \"$0\" \"$@\"; echo \"code $?\" >&2; } | head -n 5",
                         folder.train({"--steps", "1000000000", "--save", folder.file("it's")}));
  CHECK(lines(r.out).size() == 5);
  CHECK(r.err.find("it'\\''s'\n") != std::string::npos);  // as a shell takes it
  CHECK(r.err.starts_with("microgpt: stopped and saved after step "));
  CHECK(r.err.ends_with("code 141\n"));
  CHECK(microgpt({"sample", folder.file("it's")}).exit_code == 0);
}

TEST_CASE("a training that is killed has its last save, after a multiple of --save-every steps") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  Running training(
      microgpt_command(folder.train(narrow + Words{"--steps", "1000000000", "--save-every", "5", "--save", model})));
  REQUIRE(training.until([&] { return std::filesystem::exists(model); }));
  training.send(SIGKILL);
  training.wait();
  CHECK(load_checkpoint(model).training.value().step % 5 == 0);
}

TEST_CASE("a training that cannot be saved goes on, and is saved when it can be") {
  const NamesFolder folder;
  const std::string there = folder.file("there"), model = there + "/model";
  std::filesystem::create_directory(there);
  Running training(
      microgpt_command(folder.train(narrow + Words{"--steps", "1000000000", "--save", model, "--save-every", "1"})));
  CHECK(training.until([&] { return std::filesystem::exists(model); }));
  std::filesystem::rename(there, folder.file("elsewhere"));
  const std::string reason = fmt::format("microgpt: cannot write '{}': No such file or directory; ", model);
  CHECK(training.until_told("; training goes on\n"));
  std::filesystem::rename(folder.file("elsewhere"), there);
  training.send(SIGINT);
  const Run r = training.wait();
  const Words told = lines(r.err);
  REQUIRE_MESSAGE(told.size() == 2, r.err);  // not a line for every step
  CHECK(told[0].starts_with(reason));
  CHECK(told[1].starts_with("microgpt: stopped and saved after step "));
  CHECK(load_checkpoint(model).training->step == std::stoul(told[1].substr(told[1].find("step ") + 5)));
}

TEST_CASE("two trainings that save to one file leave both models") {
  const NamesFolder folder;
  const std::string model = folder.file("model.st"), other = folder.file("model-2.st");
  Running training(microgpt_command(folder.train(narrow + Words{"--steps", "1000000000", "--save", model})));
  CHECK(training.until_printed("step   20 /"));
  output(folder.train({"--steps", "3", "--save", model}));
  training.send(SIGINT);
  const Words told = lines(training.wait().err);
  REQUIRE(told.size() == 2);
  CHECK(told[0].ends_with(fmt::format("has saved to '{}' since; this training saves to '{}'", model, other)));
  CHECK(told[1].ends_with(fmt::format("microgpt train --resume '{}'", other)));
  CHECK(load_checkpoint(model).training->step == 3);
  CHECK(load_checkpoint(other).training->step >= 20);
}

TEST_CASE("stopped and resumed, a training computes what it computes in one go") {
  const NamesFolder folder;
  const std::string whole = folder.file("whole"), parts = folder.file("parts"), out = folder.file("out");
  const Words tensor{"--engine", "tensor"};
  for (const Words& how :
       {Words{}, Words{"--preset", "walkthrough"}, Words{"--optimizer", "sgd", "--lr", "0.1", "--hold-out"},
        tensor + Words{"--batch", "3", "--threads", "2"},
        tensor + Words{"--dtype", "f64", "--dropout", "0.2", "--attention", "mla", "--pos", "rope", "--rope-dim", "2"},
        tensor + Words{"--optimizer", "sgd", "--loss", "token-mean", "--batch", "7", "--attention", "mqa"},
        Words{"--preset", "fast", "--mask", "bigbird:2:1:1,full", "--kernels", "naive", "--seed", "-3"}}) {
    const Words options = folder.train(narrow + how + Words{"--steps", "800"});
    const Run expected = microgpt(options + Words{"--save", whole});
    // A file of some 450 lines is as long as a file may get here. The line that does not fit ends the training.
    const Run first = in_shell(fmt::format("ulimit -f 40; \"$0\" \"$@\" >'{}'", out), options + Words{"--save", parts});
    CHECK(first.err == "microgpt: cannot write to standard output: File too large\n");
    const Run second = microgpt(Words{"train", "--resume", parts, "--digits", "17"});
    CHECK(second.out.starts_with("data: " + folder.names + "\n"));
    const Words resumed = numbers(second.out), all = numbers(expected.out);
    REQUIRE(resumed.size() < all.size());
    CHECK(Words(all.end() - static_cast<std::ptrdiff_t>(resumed.size()), all.end()) == resumed);
    CHECK(contents(whole) == contents(parts));
  }
}

TEST_CASE("an option that is as usual is not saved, as older files have none of it") {
  const Checkpoint plain = load_checkpoint(NamesFolder().trained({"--steps", "1"}));
  Words names;
  for (const auto& [name, value] : plain.training->options) names.push_back(name);
  CHECK(names == Words{"block-size", "data", "engine", "hold-out", "lr", "n-embd", "n-head", "n-layer", "optimizer",
                       "preset", "seed", "steps"});
}

TEST_CASE("a training goes on beyond its end with more steps, and is saved every so many") {
  const NamesFolder folder;
  const std::string model = folder.file("model"), more = folder.file("more");
  REQUIRE(microgpt(folder.train({"--steps", "5", "--save", model})).exit_code == 0);
  const std::string resume = "train --resume " + model, done = "has done 5 steps of 5; to go on, give a larger --steps";
  check_refused({{resume, done},
                 {resume + " --steps 5", done},
                 {resume + " --steps 8 --batch 2", "2: --batch is 2, but '" + model + "' was trained without it"},
                 {resume + " --steps 8 --threads 2", "2: --threads needs --engine tensor"}});
  const Run r = microgpt({"train", "--resume", model, "--steps", "8", "--save", more, "--save-every", "2"});
  CHECK(r.out.find("\nstep    6 /    8 ") != std::string::npos);
  CHECK(r.out.find("\nstep    5 /") == std::string::npos);
  CHECK(contents(model) != contents(more));
  CHECK(refusal({"train", "--resume", more}).find("has done 8 steps of 8") != std::string::npos);
}

TEST_CASE("what does not fit a saved training is refused with both values") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  auto resume = [&](const Words& more) { return refusal(Words{"train", "--resume", model, "--steps", "9"} + more); };
  const Words tensor{"--engine", "tensor", "--batch", "2", "--attention", "gqa"};
  REQUIRE(microgpt(folder.train(tensor + Words{"--steps", "3", "--save", model})).exit_code == 0);
  for (const auto& [option, typed, saved] : std::vector<std::array<std::string, 3>>{{"lr", "0.02", "0.01"},
                                                                                    {"engine", "scalar", "tensor"},
                                                                                    {"seed", "43", "42"},
                                                                                    {"preset", "fast", "gist"},
                                                                                    {"dropout", "0.1", "0"},
                                                                                    {"n-embd", "32", "16"},
                                                                                    {"mask", "local:4", "full"}}) {
    CHECK(resume({"--" + option, typed}) ==
          fmt::format("2: --{} is {}, but '{}' was trained with {}; leave out what contradicts it", option, typed,
                      model, saved));
  }
  CHECK(resume({"--n-kv-head", "1"}).starts_with("2: "));  // makes it mqa
  CHECK(resume({"--hold-out"}).starts_with("2: --hold-out is yes, but "));
  CHECK(microgpt({"train", "--resume", model, "--steps", "4", "--lr", "0.010", "--batch", "2"}).exit_code == 0);

  write_contents(folder.names, std::string(few_names) + "ada\n");
  const std::string changed = resume({});
  CHECK(changed.starts_with(fmt::format("1: cannot resume '{}': it was trained on other data (20 documents, ", model)));
  CHECK(changed.find(") than '" + folder.names + "' (21 documents, ") != std::string::npos);
  CHECK(resume({"--data", "nowhere"}).find("cannot read 'nowhere'") != std::string::npos);
  CHECK(refusal(folder.train({"--save-every", "5"})) == "2: --save-every needs --save");
}

TEST_CASE("a file whose training contradicts itself is refused") {
  const NamesFolder folder;
  const std::string path = folder.file("model");
  REQUIRE(microgpt(folder.train({"--engine", "tensor", "--attention", "gqa", "--steps", "3", "--save", path})).err ==
          "");
  const Checkpoint good = load_checkpoint(path);
  auto refused = [&](const TrainingState& training) {
    save_checkpoint(path, good.config, good.tokenizer, good.parameters, training);
    const std::string message = refusal({"train", "--resume", path, "--steps", "9"});
    INFO(message);
    CHECK(message.ends_with("; make one with 'microgpt train --save FILE'"));
    return message;
  };
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"save", "elsewhere"}, {"resume", path.c_str()}, {"threads", "2"},  {"bogus", "1"},      {"n-embd", "8"},
      {"n-embd", "32"},      {"n-layer", "2"},         {"preset", "ode"}, {"seed", "x"},       {"lr", "nan"},
      {"engine", "scalar"},  {"engine", "gpu"},        {"dtype", "f16"},  {"hold-out", "?"},   {"attention", "mha"},
      {"mask", "local:3"},   {"pos", "rope"},          {"batch", "0"},    {"optimizer", "sgd"}};
  for (const auto& [name, text] : wrong) {
    TrainingState training = *good.training;
    training.options[name] = text;
    CHECK(refused(training).starts_with("1: cannot resume"));
  }
  for (const char* name : {"lr", "data", "engine", "n-kv-head", "steps"}) {
    TrainingState training = *good.training;
    training.options.erase(name);
    CHECK(refused(training).starts_with("1: cannot resume"));
  }
  TrainingState training = *good.training;
  training.options["data"] = folder.path.string();
  save_checkpoint(path, good.config, good.tokenizer, good.parameters, training);
  check_refused({{"train --resume " + path, "which is not a file; give the names with --data"}});
  training = *good.training;
  training.step = 0;
  CHECK(refused(training).starts_with("1: cannot load '" + path + "': training.step is 0"));
  training = *good.training;
  training.moments.clear();
  save_checkpoint(path, good.config, good.tokenizer, good.parameters, training);
  check_refused({{"train --resume " + path + " --steps 9", "it has a model, but not the state of its training"}});
}

}  // namespace
}  // namespace microgpt
