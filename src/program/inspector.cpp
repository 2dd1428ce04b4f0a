// microgpt inspect MODEL --html FILE: writes the inspector, a page that shows the model at work.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/activation.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "draw/readable.h"
#include "page/page.h"
#include "program/commands.h"
#include "program/heads_report.h"
#include "program/measured_documents.h"
#include "program/output_path.h"
#include "program/print.h"
#include "tensor/threads.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

using Json = nlohmann::ordered_json;

std::size_t shown_positions(const Config& config) { return std::min(config.block_size, most_shown); }

/// Which positions each one sees, as rows "1011"; nothing if it is all up to itself.
Json visible_json(const MaskPattern& pattern, std::size_t n) {
  if (pattern == MaskPattern{}) return nullptr;
  const Mask mask = Mask::of(pattern, n);
  Json rows = Json::array();
  for (std::size_t t = 0; t < n; t++) {
    std::string row;
    for (std::size_t s = 0; s <= t; s++) row += mask.allows(t, s) ? '1' : '0';
    rows.push_back(row);
  }
  return rows;
}

Json model_json(const std::string& path, const Checkpoint& checkpoint, const MeasuredDocuments& measured) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  const std::size_t threads = available_threads();
  const HeadsReport report = report_on(checkpoint, measured.probed, threads, run_line("heads:"));
  Json characters = Json::array(), visible = Json::array(), matrices = Json::array(), means;
  for (const char32_t character : tokenizer.characters()) characters.push_back(encode_utf8(character));
  for (const Parameter& p : parameters.matrices()) {
    matrices.push_back({{"name", p.name}, {"rows", p.rows}, {"cols", p.cols}});
  }
  for (const MaskPattern& mask : config.masks) visible.push_back(visible_json(mask, shown_positions(config)));
  Probe probe(config, parameters, measured.probed, threads);
  for (const HeadOutput& mean : probe.mean_outputs()) means[name_of(mean.id)] = mean.output;
  // As in memory: the least significant byte first.
  static_assert(std::endian::native == std::endian::little);
  const std::span<const double> numbers = parameters.data();
  const bool is_known = training && !training->fingerprint.empty();
  return {{"name", std::filesystem::path(path).filename().string()},
          {"learned", is_known ? Json(std::stoull(training->fingerprint)) : Json()},  // of "1800 documents, ..."
          {"step", training ? Json(training->step) : Json()},
          {"batch", checkpoint.trained_with("batch")},
          {"measured_on", {{"kind", measured.kind}, {"available", measured.available}}},
          {"measured", {{"documents", report.num_documents}, {"loss", report.loss}, {"accuracy", report.accuracy}}},
          {"config",
           {{"n_layer", config.n_layer},
            {"n_embd", config.n_embd},
            {"n_head", config.n_head},
            {"n_kv_head", config.kv_heads()},
            {"block_size", shown_positions(config)},
            {"activation", named(config.activation).name},
            {"attention", config.attention()},
            {"rope_dim", config.rope_dim},
            {"rope", config.rope},
            {"rope_base", attention_shape(config).rope_base},
            {"mask", mask_specs(config.masks)}}},
          {"characters", characters},
          {"visible", visible},
          {"parameters", matrices},
          {"weights", base64({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()})},
          {"heads", head_records(report)},
          {"means", means},
          {"example", encode_utf8(measured.documents.front())}};
}

}  // namespace

void write_inspector(const std::string& path, const std::string& html, const std::optional<std::string>& data,
                     const std::optional<std::string>& text) {
  constexpr std::size_t enough = 1000;             // documents to measure the heads on
  constexpr std::size_t most_numbers = 2'000'000;  // a browser has to read all of them before it shows anything
  require_output("--html", html, {path});
  if (data) require_output("--html", html, {*data});
  const Checkpoint checkpoint = load_checkpoint(path);
  if (checkpoint.parameters.size() > most_numbers) {
    throw Error(
        fmt::format("'{}' has {} parameters; a page holds models of at most {}, such as n_layer 4 with n_embd 192",
                    path, checkpoint.parameters.size(), most_numbers));
  }
  require_output("--html", html, {data_of(checkpoint, data).path});
  const MeasuredDocuments measured = measured_documents(checkpoint, data, enough);
  Json all = model_json(path, checkpoint, measured);
  if (checkpoint.config.block_size > most_shown) {
    tell(fmt::format("note: '{}' reads {} positions; the page shows the first {}", path, checkpoint.config.block_size,
                     most_shown));
  }
  all["text"] = encode_utf8(text ? known_text("--text", *text, checkpoint.tokenizer)
                                 : std::u32string(measured.documents.front()));
  // The name of a file may be any bytes.
  const std::string page = inspector_page(all.dump(-1, ' ', false, Json::error_handler_t::replace));
  replace_file(html, page);
  tell(fmt::format("wrote {}, {}", html, readable_bytes(page.size())));
}

}  // namespace microgpt
