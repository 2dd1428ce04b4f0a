// Histories: trainings that keep their model along the way, and the page that shows them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "program.h"
#include "train/history.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

using Steps = std::vector<std::size_t>;

/// A directory with names, in which trainings keep their models in the folder "kept".
struct HistoryFolder : NamesFolder {
  Run train_with(const Words& more) const { return microgpt(train(small + Words{"--history", kept} + more)); }
  Words inspect(const Words& more = {}) const {
    return Words{"inspect", kept, "--html", file("page.html"), "--data", names} + more;
  }
  std::string point(std::size_t step) const { return history_path(kept, step); }

  Steps steps() const {
    Steps found;
    for (const std::string& each : history_files(kept)) found.push_back(load_checkpoint(each).training->step);
    return found;
  }

  const Words small{"--n-embd", "4", "--n-head", "2", "--block-size", "8", "--samples", "1"};
  const std::string kept = file("kept");
};

nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  REQUIRE(page.find(begin) != std::string::npos);
  const std::size_t first = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
}

std::vector<double> numbers_of(const std::string& path) {
  const Checkpoint checkpoint = load_checkpoint(path);
  const std::span<const double> data = checkpoint.parameters.data();
  return {data.begin(), data.end()};
}

TEST_CASE("a history has the model before the first step, after every N steps, and at the end") {
  for (const Words& engine : {Words{"--engine", "scalar"}, Words{"--engine", "tensor", "--batch", "3"}}) {
    const HistoryFolder folder;
    const Words how = engine + Words{"--steps", "10", "--digits", "17", "--save", folder.file("model")};
    const std::string without = output(folder.train(folder.small + how));
    const std::vector<double> weights = numbers_of(folder.file("model"));
    const Run r = folder.train_with(how + Words{"--every", "4"});
    CHECK(without_threads(r.out) == without_threads(without));
    CHECK(r.err ==
          fmt::format("microgpt: the history is in '{0}'; look at it with: microgpt inspect '{0}' --html FILE\n",
                      folder.kept));
    CHECK(folder.steps() == Steps{0, 4, 8, 10});
    CHECK(numbers_of(folder.point(10)) == weights);

    const std::vector<double> loss = losses(r.out);
    REQUIRE(loss.size() == 10);
    auto recent = [&](std::size_t step) { return load_checkpoint(folder.point(step)).training->recent_loss; };
    CHECK_FALSE(recent(0).has_value());
    CHECK(recent(4).value() == doctest::Approx(std::accumulate(loss.begin(), loss.begin() + 4, 0.0) / 4));
    CHECK(recent(10).value() == doctest::Approx((loss[8] + loss[9]) / 2));
    CHECK(names(output({"sample", folder.point(4)})).size() == 20);

    fs::remove_all(folder.kept);
    REQUIRE(folder.train_with(engine + Words{"--steps", "4", "--lr", "1e-9"}).exit_code == 0);
    CHECK(numbers_of(folder.point(0)) != numbers_of(folder.point(4)));
  }
}

TEST_CASE("without --every there are at most 50 points, of few steps all") {
  for (const std::size_t steps : {3, 49, 50, 98, 99, 1000}) {
    const HistoryFolder folder;
    REQUIRE(folder.train_with({"--steps", std::to_string(steps)}).exit_code == 0);
    const Steps found = folder.steps();
    REQUIRE(!found.empty());
    CHECK(found.front() == 0);
    CHECK(found.back() == steps);
    CHECK(found.size() <= 50);
    if (steps == 1000) CHECK(Steps(found.begin(), found.begin() + 9) == Steps{0, 1, 2, 4, 8, 16, 23, 46, 69});
    CHECK(found.size() >= std::min<std::size_t>(steps + 1, 26));
  }
}

TEST_CASE("a training that goes on, goes on with its history; another training is refused") {
  const HistoryFolder folder;
  const std::string model = folder.file("model");
  REQUIRE(folder.train_with({"--steps", "6", "--every", "3", "--save", model}).exit_code == 0);
  const std::string sixth = contents(folder.point(6));
  const Words go_on{"train", "--resume", model, "--steps", "11", "--history", folder.kept, "--every", "3"};
  REQUIRE(microgpt(go_on).exit_code == 0);
  CHECK(folder.steps() == Steps{0, 3, 6, 9, 11});
  CHECK(contents(folder.point(6)) == sixth);

  // The same training, again; and others.
  auto refused = [&](const Words& more) { return complaint(folder.train_with(more)); };
  auto other = [&](std::size_t step) {
    return fmt::format("1: '{}' is of another training; choose another directory for this training",
                       folder.point(step));
  };
  CHECK(refused({"--steps", "11"}) == other(3));  // its rate of learning is another one
  CHECK(refused({"--steps", "6", "--seed", "43"}) == other(0));
  CHECK(refused({"--steps", "6", "--engine", "tensor"}) == other(0));
  CHECK(folder.steps() == Steps{0, 3, 6, 9, 11});
  for (const std::size_t step : {9, 11}) fs::remove(folder.point(step));
  CHECK(folder.train_with({"--steps", "6", "--every", "2"}).exit_code == 0);
  CHECK(folder.steps() == Steps{0, 2, 3, 4, 6});

  // A history may also begin where a training goes on.
  fs::remove_all(folder.kept);
  REQUIRE(microgpt({"train", "--resume", model, "--steps", "14", "--history", folder.kept}).exit_code == 0);
  CHECK(folder.steps() == Steps{11, 12, 13, 14});
}

TEST_CASE("a directory that a history cannot have is refused before the training begins") {
  const HistoryFolder folder;
  auto refused = [&](const std::string& path) {
    return refusal(folder.train(folder.small + Words{"--steps", "4", "--history", path}));
  };
  CHECK(refused(folder.names) == fmt::format("1: '{}' is not a directory; choose another path", folder.names));
  fs::create_directory(folder.kept);
  write_contents(folder.kept + "/notes.txt", "not a checkpoint");
  CHECK(refused(folder.kept) == fmt::format("1: '{}/notes.txt' is no checkpoint of this training; choose another "
                                            "directory for this training",
                                            folder.kept));
  CHECK(contents(folder.kept + "/notes.txt") == "not a checkpoint");
  CHECK(refusal(folder.train({"--every", "5"})) == "2: --every needs --history");
  for (const std::string& kept :
       {folder.kept, folder.kept + "/", folder.path.string() + "/./kept", folder.file("new")}) {
    CHECK(refusal(folder.train({"--history", kept, "--save", kept + "/model"})) ==
          fmt::format("2: --save '{}/model' is in the directory of --history, which must hold nothing else; choose "
                      "another path",
                      kept));
  }
}

TEST_CASE("a training that is killed leaves a history that is whole") {
  const HistoryFolder folder;
  const Words endless =
      folder.train(folder.small + Words{"--steps", "100000000", "--every", "1", "--quiet", "--history", folder.kept});
  auto signalled = [&](const Words& arguments, int signal) {
    Running training(microgpt_command(arguments));
    CHECK(training.until([&] { return fs::exists(folder.point(9)); }));
    training.send(signal);
    return training.wait();
  };
  CHECK(signalled(endless, SIGKILL).exit_code == 128 + SIGKILL);
  const Steps steps = folder.steps();
  CHECK(steps.size() > 9);
  for (std::size_t i = 0; i < steps.size(); i++) CHECK(steps[i] == i);
  write_contents(folder.point(9) + ".17.tmp", "half a checkpoint");
  CHECK(microgpt(folder.inspect()).exit_code == 0);

  const std::string model = folder.file("model");
  fs::remove(folder.point(9));  // comes again
  CHECK(signalled(endless + Words{"--save", model}, SIGINT)
            .err.ends_with(fmt::format("go on with: microgpt train --resume '{}' --history '{}' --every 1\n", model,
                                       folder.kept)));
}

TEST_CASE("a page shows a history; the last point is its model") {
  const HistoryFolder folder;
  REQUIRE(folder.train_with({"--steps", "7", "--every", "2"}).exit_code == 0);
  CHECK(microgpt(folder.inspect()).err.starts_with("microgpt: wrote "));
  const nlohmann::json model = data_of(contents(folder.file("page.html"))).at("models").at(0);
  CHECK(model.at("name") == "step_000007.safetensors");
  const nlohmann::json& history = model.at("history");
  REQUIRE(history.size() == 5);
  const std::size_t num_parameters = load_checkpoint(folder.point(0)).parameters.size();
  for (std::size_t i = 0; i < 5; i++) {
    const nlohmann::json& point = history[i];
    CHECK(point.at("step") == (i == 4 ? 7 : 2 * i));
    CHECK(point.at("name") == fmt::format("step_{:06}.safetensors", i == 4 ? 7 : 2 * i));
    CHECK(point.at("loss").is_null() == (i == 0));
    CHECK(point.contains("weights") == (i < 4));
    if (i == 4) break;
    CHECK(point.at("weights").get<std::string>().size() == (num_parameters * 4 + 2) / 3 * 4);
    CHECK(point.at("heads").size() == 2);
  }
  CHECK(output({"heads", folder.point(2), "--data", folder.names, "--json"})
            .find(history[1]["measured"]["loss"].dump()) != std::string::npos);

  const std::string other = folder.file("other");
  REQUIRE(microgpt(folder.train({"--steps", "3", "--save", other})).exit_code == 0);
  CHECK(microgpt(folder.inspect({"--compare", other})).exit_code == 0);
  CHECK(data_of(contents(folder.file("page.html"))).at("models").size() == 2);
}

TEST_CASE("fifty points of the usual model fit into 3 MB; of more, fifty are taken, evenly spread") {
  const HistoryFolder folder;
  const std::string long_names = folder.file("long");
  write_contents(long_names, "abcdefghijklmnopqrst\nmaximilianaalexandra\n");
  REQUIRE(microgpt({"train", "--steps", "120", "--every", "1", "--history", folder.kept, "--quiet"}).exit_code == 0);
  const std::string page = folder.file("page.html");
  const Run r = microgpt({"inspect", folder.kept, "--html", page, "--data", long_names});
  CHECK(r.err.starts_with(
      fmt::format("microgpt: note: '{}' has 121 checkpoints; the page has 50 of them, evenly spread\n", folder.kept)));
  CHECK(fs::file_size(page) <= 3'000'000);
  const nlohmann::json history = data_of(contents(page)).at("models").at(0).at("history");
  REQUIRE(history.size() == 50);
  CHECK(history.front().at("step") == 0);
  CHECK(history.back().at("step") == 120);
  for (std::size_t i = 1; i < 50; i++) {
    const auto apart = history[i].at("step").get<std::size_t>() - history[i - 1].at("step").get<std::size_t>();
    CHECK((apart == 2 || apart == 3));
  }
}

TEST_CASE("a directory that is no history is refused") {
  const HistoryFolder folder;
  auto refused = [&] { return refusal(folder.inspect()); };
  fs::create_directory(folder.kept);
  CHECK(refused() ==
        fmt::format("1: '{}' is empty; give a directory in which a training kept checkpoints", folder.kept));

  REQUIRE(folder.train_with({"--steps", "3"}).exit_code == 0);
  CHECK(
      refusal(Words{"inspect", folder.point(3), "--html", folder.file("page.html"), "--data", folder.names, "--compare",
                    folder.kept}) ==
      fmt::format("2: --compare takes one model, and '{}' is a directory; give a file in it, or give the directory as "
                  "MODEL",
                  folder.kept));
  const std::string end = "; a history holds nothing but checkpoints of one training";
  auto with_file = [&](const std::string& name, const std::string& bytes) {
    const std::string path = folder.kept + "/" + name;
    write_contents(path, bytes);
    const std::string message = refused();
    fs::remove(path);
    CHECK(message.starts_with(fmt::format("1: cannot load '{}': ", path)));
    CHECK(message.ends_with(end));
  };
  with_file("notes.txt", "not a checkpoint");
  const std::string whole = contents(folder.point(3));
  with_file("step_000004.safetensors", whole.substr(0, whole.size() - 1));
  const Checkpoint bare = load_checkpoint(folder.point(3));
  save_checkpoint(folder.file("model"), bare.config, bare.tokenizer, bare.parameters);
  with_file("step_000005.safetensors", contents(folder.file("model")));

  write_contents(folder.kept + "/twice", whole);
  CHECK(refused() ==
        fmt::format("1: '{}/twice' and '{}' are both of step 3; remove one of them", folder.kept, folder.point(3)));
  fs::remove(folder.kept + "/twice");
  CHECK(microgpt(folder.inspect()).exit_code == 0);
}

TEST_CASE("models of different shapes or alphabets are no history") {
  const HistoryFolder folder;
  REQUIRE(folder.train_with({"--steps", "3"}).exit_code == 0);
  const std::string other_names = folder.file("other.txt");
  write_contents(other_names, "anna\n");
  const std::string other = folder.point(9);
  auto refused = [&](const Words& how) {
    REQUIRE(microgpt(Words{"train", "--steps", "9", "--block-size", "8", "--save", other} + how).exit_code == 0);
    const std::string message = refusal(folder.inspect());
    CHECK(
        message.starts_with(fmt::format("1: '{}' has n_layer 1, n_embd 4, n_head 2, block_size 8, mha, learned "
                                        "positions, mask full, relu, alphabet 'abcdefghijklmnoprstu', but '{}' has ",
                                        folder.point(0), other)));
    CHECK(message.ends_with("; a history is of one model"));
    return message;
  };
  const Words same{"--data", folder.names, "--n-embd", "4"};
  CHECK(refused(same + Words{"--n-head", "1"}).find("but '" + other + "' has n_layer 1, n_embd 4, n_head 1,") !=
        std::string::npos);
  CHECK(refused(same + Words{"--n-head", "2", "--engine", "tensor", "--mask", "local:3"}).find("mask local:3") !=
        std::string::npos);
  CHECK(refused({"--data", other_names, "--n-embd", "4", "--n-head", "2"}).find("alphabet 'an'") != std::string::npos);
}

}  // namespace
}  // namespace microgpt
