// microgpt heads as a user meets it: tables, JSON, maps, the quiz, models without some heads, and what it refuses.
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

/// What heads --json prints.
std::string measured(const ModelFolder& folder, const Words& more = {}) {
  return output(Words{"heads", folder.model, "--data", folder.names, "--json"} + more);
}

std::size_t count(const std::string& part, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) n++;
  return n;
}

TEST_CASE("heads --json has a record for every head, with every measure beside its even share") {
  const ModelFolder folder;
  const std::string report = measured(folder, {"--prune"});
  for (const char* field : {"layer", "head", "group", "entropy", "mass_self", "mass_previous", "mass_bos", "mass_equal",
                            "mass_after_equal", "distance", "shape", "importance", "zeroed", "mean"}) {
    CHECK(count(fmt::format("\"{}\": ", field), report) == 4);
  }
  for (const char* number : {"value", "even", "stderr"}) CHECK(count(fmt::format("\"{}\": ", number), report) == 4 * 7);
  CHECK(count("\"loss_stderr\": ", report) == 4 * 2);
  CHECK(count("\"removed\": ", report) == 5);
  CHECK(count("null", report) == 0);
  const auto of_nine = nlohmann::json::parse(measured(folder, {"--prune", "--num-documents", "9"}));
  CHECK(of_nine.at("prune_documents") == nlohmann::json{{"chosen_on_first", 4}, {"reported_on_last", 5}});
  CHECK(report.starts_with("{\n"));
  CHECK(report.ends_with("\n}\n"));
  CHECK(count("prune", measured(folder)) == 0);
}

TEST_CASE("a single document has no standard error, so nothing can be told, and JSON says null") {
  const ModelFolder folder;
  const std::string report = measured(folder, {"--num-documents", "1"});
  CHECK(report.find("\"documents\": 1,") != std::string::npos);
  CHECK(count("\"stderr\": null", report) == 4 * 7);
  CHECK(count("\"shape\": \"no clear shape\"", report) == 4);
  const std::string tables = output({"heads", folder.model, "--data", folder.names, "--num-documents", "1"});
  CHECK(tables.find("cannot tell") != std::string::npos);
}

TEST_CASE("the model that --save writes is the one without the heads") {
  const ModelFolder folder;
  const Run r = microgpt({"heads", folder.model, "--prune", "--save", folder.file("saved")});
  CHECK(r.exit_code == 0);
  CHECK(count("   removed\n", output({"heads", folder.file("saved")})) == count("0:", r.err));
}

TEST_CASE("maps of the text that was asked for go to the terminal and to a picture") {
  const ModelFolder folder;
  const std::string tables =
      output({"heads", folder.model, "--data", folder.names, "--text", "anna", "--svg", folder.file("heads.svg")});
  CHECK(tables.find("     layer 0, head 0        layer 0, head 1") != std::string::npos);
  CHECK(tables.find("     . a n n a") != std::string::npos);
  CHECK(count("\nBlank: nothing, ░░ about a quarter of its weight, ", tables) == 1);
  CHECK(contents(folder.path / "heads.svg").find(">layer 0, head 3<") != std::string::npos);
}

TEST_CASE("the quiz asks first, and counts the right answers") {
  const ModelFolder folder;
  auto asked = [&](const std::string& answers) {
    return in_shell("printf '" + answers + "' | \"$0\" \"$@\"",
                    {"heads", folder.model, "--data", folder.names, "--text", "anna", "--quiz"})
        .out;
  };
  CHECK(asked("6\\n6\\nno clear shape\\n6\\n").ends_with("\n4 of 4 right\n"));  // after so few steps
  CHECK(asked("1\\n6\\n9\\nwhat?\\n").ends_with("\n1 of 4 right\n"));
  CHECK(asked("").ends_with("\n0 of 4 right\n"));
  CHECK(count("\nBlank: nothing, ░░ about a quarter of its weight, ", asked("")) == 1);
}

TEST_CASE("a task's model is measured on documents of a task, and a wrong line is named") {
  const ModelFolder folder;
  const std::string task = folder.written("task.txt", "ab=ab\nba=ba\naa=aa\nbb=bb\n");
  const std::string model = folder.file("copier");
  CHECK(microgpt({"train", "--data", task, "--steps", "5", "--quiet", "--save", model}).exit_code == 0);
  CHECK(microgpt({"heads", model, "--data", task}).exit_code == 0);
  const std::string heads = "heads " + model + " --data ";
  check_refused({{heads + folder.written("bad.txt", "ab=ab\n\nabba\n"), "bad.txt:3: 'abba' has no '='; a model that"},
                 {heads + folder.written("empty.txt", "ab=\n"), "empty.txt:1: 'ab=' has no letter after '=' within"},
                 {heads + folder.written("foreign.txt", "ab=ab\na!=a!\n"),
                  "1: " + folder.file("foreign.txt") + ":2: the character '!' is unknown"}});
}

TEST_CASE("what heads cannot do it refuses before it begins, and nothing is written") {
  const ModelFolder folder;
  const std::string heads = "heads " + folder.model + " --data " + folder.names;
  check_refused({{heads + " --text V", "2: the character 'V' is unknown; the alphabet is "},
                 {heads + " --text \xff", "2: --text is not valid UTF-8"},
                 {heads + " --save x", "2: --save writes the model without some heads; add --prune"},
                 {heads + " --json --quiz", "2: --json and --quiz exclude each other"},
                 {heads + " --prune --num-documents 1", "2: --prune needs two documents"},
                 {heads + " --svg " + folder.path.string(), "1: cannot write "},
                 {"heads " + folder.names, "1: cannot load '"}});
  // Without --data it measures on the model's own, a tenth of what is there now, and says that the model has seen it.
  CHECK(behind("2 documents of ", output({"heads", folder.model}))
            .starts_with(folder.names + ", which the model may have seen: loss "));
  write_contents(folder.names, few_names + std::string("x\ny\nz\nxx\nyy\nzz\nxxx\nyyy\nzzz\n"));
  check_refused({{"heads " + folder.model, "2: " + folder.names + ": the character 'x' is unknown"}});
  write_contents(folder.names, few_names);
  CHECK(folder.untouched());
}

TEST_CASE("inspect --text shows one row of a head, and refuses a head or a position that is not there") {
  const ModelFolder folder;
  const Words base{"inspect", folder.model, "--text", "anna"};
  const std::string row = output(base + Words{"--head", "3", "--at", "2"});
  CHECK(row.starts_with("layer 0, head 3, at position 2, which is n\n"));
  CHECK(count("key k of ", row) == 3);
  CHECK(output(base).starts_with("layer 0, head 0, at position 4, which is a\n"));
  const std::string command = "inspect " + folder.model;
  check_refused({{command + " --text anna --head 4", "2: --head is 4; it must be from 0 to 3"},
                 {command + " --text anna --layer 1", "2: --layer is 1; it must be from 0 to 0"},
                 {command + " --text anna --at 5", "2: --at is 5; it must be from 0 to 4"},
                 {command + " --text anna --why --at 5", "2: --at is 5; it must be from 0 to 4"},
                 {command + " --text anna --why --head 1", "2: --why is about all heads"},
                 {command + " --at 1", "2: --layer, --head, --at and --why need a --text"}});
}

TEST_CASE("inspect --why shows what each part adds to the logit of the letter that comes") {
  const ModelFolder folder;
  const Words base{"inspect", folder.model, "--text", "anna", "--why"};
  const std::string why = output(base + Words{"--at", "2"});
  CHECK(why.starts_with("n after 'an', at position 2\n\npart "));
  CHECK(count("layer 0, head ", why) == 4);
  CHECK(count("letter and position", why) + count("layer 0, MLP", why) + count("the logit", why) == 3);
  CHECK(output(base).starts_with("the end after 'anna', at position 4\n"));
  CHECK(output(base + Words{"--at", "0"}).starts_with("a at the beginning, at position 0\n"));
}

TEST_CASE("a text that is too long is read as far as there is room, and a document is refused") {
  const NamesFolder folder;
  const std::string model =
      folder.trained({"--engine", "tensor", "--pos", "rope", "--block-size", "1000000", "--steps", "1"});
  const std::string text(10'000, 'a'), file = folder.file("long.txt");
  write_contents(file, "anna\n" + text + "\n");
  const std::string complaint = file + ":2: it makes more than 2000 positions with BOS; give shorter documents";
  CHECK(refusal({"heads", model, "--data", file}) == "1: " + complaint);
  const std::string begin = "microgpt: note: there is room for ", end = " of 10000 characters of --text\n";
  CHECK(microgpt({"inspect", model, "--text", text}).err == begin + "1999" + end);
  CHECK(microgpt({"heads", model, "--data", folder.names, "--text", text}).err == begin + "255" + end);
  CHECK(refusal({"inspect", model, "--html", folder.file("page"), "--data", file}).find("1: ") == 0);
  // The first document is shown as far as there is room.
  write_contents(file, text.substr(0, 300) + "\n");
  output({"heads", model, "--data", file, "--svg", folder.file("svg")});
  CHECK(count(">a<", contents(folder.file("svg"))) == 4 * 2 * 255);
}

TEST_CASE("a model whose numbers are too large is refused by everything that runs it") {
  const ModelFolder folder;
  Checkpoint model = load_checkpoint(folder.model);
  model.config.activation = Activation::squared_relu;
  for (const char* name : {"layer0.mlp_fc1", "layer0.mlp_fc2", "lm_head"}) {  // so that logits are inf - inf
    const Parameter& matrix = model.parameters[name];
    for (std::size_t i = 0; i < matrix.size(); i++) matrix.data[i] *= 1e98;
  }
  save_checkpoint(folder.model, model.config, model.tokenizer, model.parameters);
  const Words data{"--data", folder.names};
  for (const Words& how : {Words{"--text", "anna"}, Words{"--quiz"}, Words{"--prune"}, Words{"--json"}}) {
    CHECK(refusal(Words{"heads", folder.model} + data + how) ==
          "1: the loss is nan: numbers of the model are too large");
  }
  CHECK(refusal({"inspect", folder.model, "--text", "anna"}).starts_with("1: the loss is nan: numbers of "));
  CHECK(
      refusal(Words{"inspect", folder.model, "--html", folder.file("page")} + data).starts_with("1: the loss is nan"));
}

TEST_CASE("control characters of data and of file names reach no terminal and no picture") {
  std::string text;
  for (const char* name : {"\x1b[2J", "a\x07", "\x7f\x01", "b\xc2\x9b"}) text += std::string(name) + "\n";
  const NamesFolder folder(text);
  const std::string model = folder.file("\x1b[2J\xff"), names = folder.file("\x07");
  output(folder.train({"--steps", "2", "--quiet", "--save", model}));
  write_contents(names, text);
  const Words heads{"heads", model, "--data", names};
  const Words shown{"--text", "\x1b[2\xc2\x9b\x7f"};
  for (const Words& command :
       {folder.train({"--steps", "2"}), Words{"sample", model}, heads, heads + shown, heads + Words{"--prune"},
        heads + shown + Words{"--quiz"}, Words{"inspect", model}, Words{"inspect", model} + shown,
        Words{"inspect", model, "--html", model}, Words{"kv", model}, heads + Words{"--svg", folder.file("svg")},
        Words{"heads", names}, Words{"inspect", names}}) {
    const std::string seen = microgpt(command, {.out_on_terminal = true, .err_on_terminal = true}).out;
    for (const char* raw : {"\x1b[2", "\x07", "\x7f", "\x01", "\xc2\x9b", "\xff"}) {
      CHECK_MESSAGE(seen.find(raw) == std::string::npos, command.back());
    }
  }
  const auto picture = decode_utf8(contents(folder.file("svg")));
  REQUIRE(picture);
  CHECK(std::none_of(picture->begin(), picture->end(), [](char32_t c) { return c < ' ' && c != '\n'; }));
  CHECK(encode_utf8(*picture).find(">What the heads of \\x1b[2J\\xff look at<") != std::string::npos);
}

}  // namespace
}  // namespace microgpt
