// microgpt heads: what the heads of a model look at, what they are worth, and how many can go.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/replace_file.h"
#include "heads/gallery.h"
#include "program/commands.h"
#include "program/heads_report.h"
#include "program/measured_documents.h"
#include "program/output_path.h"
#include "program/print.h"
#include "tensor/threads.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

struct HeadsOptions {
  std::string model;
  std::optional<std::string> data, text, svg, save;
  std::optional<std::size_t> num_documents, threads;
  bool force = false, json = false, prune = false, quiz = false;
};

/// Shows each map and asks what the head looks at, before it tells.
void quiz(const std::vector<TitledGrid>& maps) {
  constexpr std::string_view nothing = "no clear shape";
  fmt::print("\nWhat does each head look at? Answer with a number.\n{}\n{}\n", map_axes, map_shades);
  for (std::size_t p = 0; p < num_places; p++) fmt::print("  {} {}\n", p + 1, place_names[p].title);
  fmt::print("  {} {}\n", num_places + 1, nothing);
  std::size_t right = 0;
  for (const auto& [title, map] : maps) {
    fmt::print("\n{}\n{}? ", title, shades(map));
    flush_output();
    std::array<char, 100> typed{};  // what is longer, or never ends, is no answer, and ends the answers
    if (!std::cin.getline(typed.data(), typed.size())) fmt::print("\n");
    std::string guess = std::cin ? typed.data() : "";
    const std::string& shape = map.notes.front();
    const bool is_number = guess.size() == 1 && guess[0] >= '1' && guess[0] <= '1' + static_cast<char>(num_places);
    const auto chosen = is_number ? static_cast<std::size_t>(guess[0] - '1') : num_places + 1;
    if (is_number) guess = chosen < num_places ? place_names[chosen].title : nothing;
    right += guess == shape ? 1 : 0;
    fmt::print("{}", guess == shape ? "Right: " : "It is: ");
    for (const std::string& line : map.notes) fmt::print("{}\n", line);
  }
  fmt::print("\n{} of {} right\n", right, maps.size());
}

void heads(const HeadsOptions& options) {
  if (options.save && !options.prune) throw UsageError("--save writes the model without some heads; add --prune");
  if (options.json && options.quiz) throw UsageError("--json and --quiz exclude each other");
  Checkpoint checkpoint = load_checkpoint(options.model);
  if (checkpoint.training) checkpoint.training->moments.clear();  // without heads it is no place to go on from
  const Config& config = checkpoint.config;
  std::vector<std::string> data{data_of(checkpoint, options.data).path};
  if (options.save) require_own_place(*options.save, options.force, data);
  data.push_back(options.model);
  const auto [title, kind, available, documents, probed] =
      measured_documents(checkpoint, options.data, options.num_documents);
  std::vector<Token> text = checkpoint.tokenizer.encode_document(documents.front());
  if (options.text) text = read_text(*options.text, checkpoint, most_shown);
  text.resize(std::min(text.size(), most_shown + 1));
  if (options.svg) require_output("--svg", *options.svg, data);

  const std::size_t threads = options.threads.value_or(available_threads());
  HeadsReport report = report_on(checkpoint, probed, threads, run_line("heads:"));
  report.documents = title;
  std::vector<HeadId> removed;
  if (options.prune) {
    if (probed.size() < 2) throw UsageError("--prune needs two documents, one to choose on and one to report on");
    const auto half = probed.begin() + static_cast<std::ptrdiff_t>(probed.size() / 2);
    Probe chosen_on(config, checkpoint.parameters, {probed.begin(), half}, threads);
    Probe reported_on(config, checkpoint.parameters, {half, probed.end()}, threads);
    const std::vector<Pruned> path = follow(greedy_order(chosen_on, run_line("pruning:")), reported_on);
    report.pruning = {chosen_on.documents().size(), reported_on.documents().size(), path};
    removed = path[spare_heads(path)].removed;
    silence(checkpoint.parameters, removed, config);
  }

  std::vector<TitledGrid> maps = head_maps(config, checkpoint.parameters, text, checkpoint.tokenizer);
  for (std::size_t i = maps.size(); i-- > 0;) {  // of heads that are left, each above what is known about it
    const HeadLook& look = report.looks.heads[i];
    maps[i].second.notes = evidence(look, report.bar, report.importances[i]);
    if (look.is_removed || std::count(removed.begin(), removed.end(), look.id) > 0) maps.erase(maps.begin() + i);
  }
  const std::string file = std::filesystem::path(options.model).filename().string();
  if (options.svg) replace_file(*options.svg, gallery("What the heads of " + file + " look at", maps).str());
  if (options.save) {
    save_checkpoint(*options.save, config, checkpoint.tokenizer, checkpoint.parameters, checkpoint.training);
    std::string heads;
    for (const HeadId& id : removed) heads += " " + name_of(id);
    tell(fmt::format("wrote {} without{}", *options.save, heads.empty() ? " any change" : " the heads" + heads));
  }
  if (options.json) return fmt::print("{}", to_json(report));
  if (options.quiz) return quiz(maps);
  print_tables(report);
  if (options.text || options.prune) fmt::print("\n{}", gallery(maps));
}

}  // namespace

Command heads_command() {
  auto options = std::make_shared<HeadsOptions>();
  const Options what{
      model_option(options->model),
      {"--data", "documents to measure on [a tenth of what the model was trained on]", text(options->data, "FILE")},
      {"--num-documents", "only the first N of them [all]", count(options->num_documents)},
      {"--prune", "take out the least important head, measure again, until none is left", flag(options->prune)},
      threads_option(options->threads)};
  const Options save =
      save_options(options->save, options->force, "write the model without the heads that pruning can spare");
  const Options how{{"--text", "draw maps of all heads on this text [the first document]", text(options->text, "TEXT")},
                    {"--svg", "write the maps as a picture", text(options->svg, "FILE")},
                    {"--json", "print everything as JSON", flag(options->json)},
                    {"--quiz", "show each map and ask what the head looks at, before telling", flag(options->quiz)}};
  return {"heads", "Show what the heads of a model look at, and what each is worth.",
          "The figures are only fair if the model has not seen the documents: train it with train --hold-out,\n"
          "or give others with --data.\n"
          "A model that knows the character '=' was trained on a task (see microgpt task); then accuracy counts the "
          "letters\nafter '='. --prune chooses on the first half of the documents and reports on the second.\n"
          "Examples:\n"
          "  microgpt heads names.safetensors --text emma\n"
          "  microgpt heads names.safetensors --svg heads.svg --text emma\n"
          "  microgpt heads names.safetensors --prune --save pruned.safetensors",
          what + save + under("How to show it", how), [options](const Options&) { heads(*options); }};
}

}  // namespace microgpt
