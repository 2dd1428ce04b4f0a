#include "program/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <vector>

#include "base/activation.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "draw/readable.h"
#include "inspect/page.h"
#include "program/heads_report.h"
#include "program/measured_documents.h"
#include "program/output_path.h"
#include "program/print.h"
#include "tensor/threads.h"
#include "train/history.h"

namespace microgpt {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers as the page reads them: float64 or float32, the least significant byte first, as in memory.
template <class T>
std::string packed(std::span<const double> numbers) {
  static_assert(std::endian::native == std::endian::little);
  const std::vector<T> list(numbers.begin(), numbers.end());
  return base64({reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)});
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::size_t shown_positions(const Config& config) { return std::min(config.block_size, most_shown); }

Json config_json(const Config& config) {
  return {{"n_layer", config.n_layer},
          {"n_embd", config.n_embd},
          {"n_head", config.n_head},
          {"n_kv_head", config.kv_heads()},
          {"block_size", shown_positions(config)},
          {"vocab_size", config.vocab_size},
          {"activation", named(config.activation).name},
          {"attention", config.attention()},
          {"q_latent", config.q_latent},
          {"kv_latent", config.kv_latent},
          {"rope_dim", config.rope_dim},
          {"rope", config.rope},
          {"rope_base", attention_shape(config).rope_base},
          {"mask", mask_spec(config.mask)}};
}

/// Which positions each one sees, as rows "1011"; nothing if it is all up to itself.
Json visible_json(const Config& config) {
  if (mask_spec(config.mask) == "full") return nullptr;
  const std::size_t n = shown_positions(config);
  const Mask mask = Mask::of(config.mask, n);
  Json rows = Json::array();
  for (std::size_t t = 0; t < n; t++) {
    std::string row;
    for (std::size_t s = 0; s <= t; s++) row += mask.allows(t, s) ? '1' : '0';
    rows.push_back(row);
  }
  return rows;
}

/// The mean weights of every head, [layer][head][t][s], over the documents that have a position t, of the first ones.
Json mean_maps(Probe& probe) {
  constexpr std::size_t most = 64;  // a map of the page has room for 40
  using Map = std::vector<std::vector<double>>;
  const std::size_t n_head = probe.config().n_head;
  std::vector<std::vector<Map>> maps(probe.config().n_layer, std::vector<Map>(n_head));
  std::vector<double> documents;
  probe.each_weights([&](std::size_t, std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;
    if (n > documents.size()) documents.resize(n);
    for (std::size_t t = 0; t < std::min(n, most); t++) {
      if (layer == 0) documents[t] += 1;
      for (std::size_t h = 0; h < n_head; h++) {
        Map& map = maps[layer][h];
        if (t >= map.size()) map.emplace_back(t + 1);
        for (std::size_t s = 0; s <= t; s++) map[t][s] += weights.row(h * n + t)[s];
      }
    }
  });
  for (std::vector<Map>& heads : maps) {
    for (Map& map : heads) {
      for (std::size_t t = 0; t < map.size(); t++) {
        // Four digits are more than a shade can show, and keep the page small.
        for (double& x : map[t]) x = std::round(x / documents[t] * 1e4) / 1e4;
      }
    }
  }
  return maps;
}

void add_measures(Json& record, const HeadsReport& report, Probe& probe) {
  record["measured"] = {{"documents", report.num_documents}, {"loss", report.loss}, {"accuracy", report.accuracy}};
  record["heads"] = head_records(report);
  record["maps"] = mean_maps(probe);
}

/// How many documents the model has learned from; nothing if its file does not say.
Json learned_json(const Checkpoint& checkpoint) {
  if (!checkpoint.training || checkpoint.training->fingerprint.empty()) return nullptr;
  return std::stoull(checkpoint.training->fingerprint);  // "1800 documents, ..."
}

Json model_json(const std::string& path, const Checkpoint& checkpoint, const HeadsReport& report,
                const MeasuredDocuments& measured) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  Json characters = Json::array();
  for (const char32_t character : tokenizer.characters()) characters.push_back(encode_utf8(character));
  Json matrices = Json::array();
  for (const Parameter& p : parameters.matrices()) {
    matrices.push_back({{"name", p.name}, {"rows", p.rows}, {"cols", p.cols}});
  }
  Probe probe(config, parameters, measured.probed, available_threads());
  Json model{
      {"name", file_name(path)},
      {"path", path},
      {"learned", learned_json(checkpoint)},
      {"step", training ? Json(training->step) : Json()},
      {"batch", checkpoint.trained_with("batch")},
      {"measured_on", {{"kind", measured.kind}, {"available", measured.available}}},
      {"config", config_json(config)},
      {"characters", characters},
      {"visible", visible_json(config)},
      {"parameters", matrices},
      {"weights", packed<double>(parameters.data())},
      {"history", Json::array()},
  };
  add_measures(model, report, probe);
  return model;
}

/// The model at each point of its training, with weights of float32, and measured as the model itself. The last point
/// is the model, so its weights and measures are there already. `bar` is the model's.
Json history_json(const std::vector<HistoryPoint>& points, const std::array<double, num_places>& bar,
                  const std::vector<ProbeDocument>& documents) {
  const auto line = run_line("history: model");
  const Checkpoint& first = points.front().checkpoint;
  Probe probe(first.config, first.parameters, documents, available_threads());
  Json history = Json::array();
  for (const auto& [path, checkpoint] : points) {
    const TrainingState& training = *checkpoint.training;
    Json& point = history.emplace_back(
        Json{{"name", file_name(path)}, {"path", path}, {"step", training.step}, {"loss", nullptr}});
    if (training.recent_loss) point["loss"] = *training.recent_loss;
    if (history.size() == points.size()) break;
    point["weights"] = packed<float>(checkpoint.parameters.data());
    probe.use(checkpoint.parameters);
    add_measures(point, looks_on(probe, bar), probe);
    line(history.size(), points.size());
  }
  return history;
}

/// A few hundred documents to train on in the page, evenly spread over the file and in its order, and those that bring
/// the rest of the alphabet. So `microgpt train` on a file of these trains the same model.
Json training_names(const std::vector<Document>& documents, const Tokenizer& tokenizer) {
  constexpr std::size_t enough = 300;
  const std::size_t n = documents.size();
  std::set<char32_t> missing(tokenizer.characters().begin(), tokenizer.characters().end());
  std::vector<bool> is_taken(n);
  auto take = [&](std::size_t i) {
    is_taken[i] = true;
    for (const char32_t c : documents[i]) missing.erase(c);
  };
  auto is_missing = [&](char32_t c) { return missing.contains(c); };
  for (std::size_t i = 0; i < n; i++) {
    if (i * enough / n != (i + 1) * enough / n) take(i);
  }
  for (std::size_t i = 0; i < n && !missing.empty(); i++) {
    if (std::any_of(documents[i].begin(), documents[i].end(), is_missing)) take(i);
  }
  Json names = Json::array();
  for (std::size_t i = 0; i < n; i++) {
    if (is_taken[i]) names.push_back(encode_utf8(documents[i]));
  }
  return names;
}

/// What the page shows first: a name that everybody knows, if it is among the documents.
Document first_text(const std::vector<Document>& documents, const MeasuredDocuments& measured) {
  for (const char32_t* name : {U"emma", U"Emma"}) {
    if (std::find(documents.begin(), documents.end(), name) != documents.end()) return name;
  }
  return measured.documents.front();
}

Json training_json() {
  const TrainConfig how = preset("gist").train;
  return {
      {"seed", "42"},        {"learning_rate", how.learning_rate}, {"beta1", how.beta1},        {"beta2", how.beta2},
      {"eps", how.eps_adam}, {"init_std", how.init_std},           {"num_steps", how.num_steps}};
}

/// A browser has to read every number of the page before it shows anything.
constexpr std::size_t most_numbers = 2'000'000;

/// A model's file, or the directory of its history; then the model is the last of it.
History load_models(const std::string& path) {
  History history;
  if (!std::filesystem::is_directory(path)) {
    history.points.push_back({path, load_checkpoint(path)});
    return history;
  }
  history = load_history(path, 2 * most_numbers);  // numbers of four bytes instead of eight
  if (history.points.size() < history.num_files) {
    tell(fmt::format("note: '{}' has {} checkpoints; the page has {} of them, evenly spread", path, history.num_files,
                     history.points.size()));
  }
  return history;
}

}  // namespace

void write_inspector(const std::vector<std::string>& models, const std::string& html,
                     const std::optional<std::string>& data, const std::optional<std::string>& text) {
  constexpr std::size_t enough = 1000;  // documents to measure the heads on
  require_output("--html", html, models);
  if (data) require_output("--html", html, {*data});
  Json all{{"models", Json::array()}, {"train", training_json()}};
  for (const std::string& path : models) {
    const History history = load_models(path);
    const auto& [file, checkpoint] = history.points.back();
    if (checkpoint.parameters.size() > most_numbers) {
      throw Error(
          fmt::format("'{}' has {} parameters; a page holds models of at most {}, such as n_layer 4 with n_embd 192",
                      file, checkpoint.parameters.size(), most_numbers));
    }
    const DataFile names = data_of(checkpoint, data);
    require_output("--html", html, {names.path});
    const MeasuredDocuments measured = measured_documents(checkpoint, data, enough);
    const HeadsReport report = report_on(checkpoint, measured.probed, available_threads(), run_line("heads:"));
    all["models"].push_back(model_json(file, checkpoint, report, measured));
    if (checkpoint.config.block_size > most_shown) {
      tell(fmt::format("note: '{}' reads {} positions; the page shows the first {}", file, checkpoint.config.block_size,
                       most_shown));
    }
    if (all["models"].size() > 1) continue;
    if (history.points.size() > 1) {
      all["models"].back()["history"] = history_json(history.points, report.bar, measured.probed);
    }
    const std::vector<Document> documents = read_documents(names);
    all["names"] = training_names(documents, checkpoint.tokenizer);
    all["text"] = encode_utf8(text ? readable_text("--text", *text, checkpoint.tokenizer, text->size())
                                   : std::u32string(first_text(documents, measured)));
  }
  // The name of a file may be any bytes.
  const std::string page = inspector_page(all.dump(-1, ' ', false, Json::error_handler_t::replace));
  replace_file(html, page);
  tell(fmt::format("wrote {}, {}", html, readable_bytes(page.size())));
}

}  // namespace microgpt
