#include "heads/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "train/held_out.h"

namespace microgpt {
std::vector<HeadId> all_heads(const Config& config) {
  std::vector<HeadId> heads;
  for (std::size_t layer = 0; layer < config.n_layer; layer++) {
    for (std::size_t head = 0; head < config.n_head; head++) heads.push_back({layer, head});
  }
  return heads;
}

std::vector<HeadOutput> silenced(std::span<const HeadId> heads, const Config& config) {
  std::vector<HeadOutput> outputs;
  for (const HeadId& id : heads) outputs.push_back({id, std::vector<double>(config.head_dim())});
  return outputs;
}

void clear_columns(const Parameter& matrix, std::size_t first, std::size_t n) {
  for (std::size_t i = 0; i < matrix.rows; i++) std::fill_n(&matrix.row(i)[first], n, 0.0);
}

void silence(Parameters& parameters, std::span<const HeadId> heads, const Config& config) {
  const std::size_t D = config.head_dim();
  for (const HeadId& id : heads) {
    clear_columns(parameters[fmt::format("layer{}.attn_wo", id.layer)], id.head * D, D);
  }
}

ProbeDocument probe_document(const Document& document, const Tokenizer& tokenizer, std::size_t block_size) {
  const std::size_t n = std::min(block_size, document.size() + 1);
  ProbeDocument probe{tokenizer.encode_document(document), 0, n};
  if (tokenizer.characters().find(U'=') == std::u32string::npos) return probe;
  const std::size_t equals = document.find(U'=');
  if (equals == Document::npos) {
    throw Error(fmt::format("'{}' has no '='; a model that knows '=' is measured on the letters behind it",
                            visible(encode_utf8(document))));
  }
  probe.first = equals + 1;  // prediction p is that of character p
  probe.end = std::min(n, document.size());
  if (probe.first >= probe.end) {
    throw Error(fmt::format("'{}' has no letter after '=' within the model's block", visible(encode_utf8(document))));
  }
  return probe;
}

Probe::Probe(const Config& config, const Parameters& parameters, std::vector<ProbeDocument> documents,
             std::size_t threads)
    : model_(config, parameters, std::max_element(documents.begin(), documents.end(), [](auto& a, auto& b) {
                                   return a.tokens.size() < b.tokens.size();
                                 })->tokens.size() - 1),
      documents_(std::move(documents)),
      threads_(threads) {
  // As many documents in a batch as share some thousand positions, or fewer if their logits take much memory.
  const std::size_t enough = std::min<std::size_t>(4096, 4'000'000 / config.vocab_size);
  for (const ProbeDocument& document : documents_) {
    if (batches_.empty() || batches_.back().num_positions() >= enough) batches_.emplace_back(config.block_size);
    batches_.back().add(document.tokens);
  }
}

bool Probe::is_removed(HeadId id) const {
  const std::size_t D = config().head_dim();
  const View<const double> columns = model_.layers[id.layer].attention.attn_wo.data.view().slice_cols(id.head * D, D);
  for (std::size_t i = 0; i < columns.rows; i++) {
    if (std::any_of(columns.row(i), columns.row(i) + D, [](double x) { return x != 0; })) return false;
  }
  return true;
}

void Probe::run(const Batch& batch, std::span<const HeadOutput> replaced) {
  activations_.fixed_heads.assign(model_.layers.size(), {});
  for (const HeadOutput& head : replaced) {
    activations_.fixed_heads[head.id.layer].push_back({head.id.head, head.output});
  }
  activations_.resize(model_, batch.num_positions());
  parallel(threads_, [&](std::size_t i) {
    gpt_forward(model_, fast<double>(), batch, batch.documents(i, threads_), activations_);
  });
  for (std::size_t i = 0; i < batch.num_positions(); i++) {
    require_finite("the loss", activations_.losses.view().data[i]);
  }
}

Scores Probe::scores(std::span<const HeadOutput> replaced) {
  Scores scores;
  for (const Batch& batch : batches_) {
    run(batch, replaced);
    const View<const double> logits = std::as_const(activations_.logits).view();
    for (std::size_t i = 0; i < batch.num_documents(); i++) {
      const ProbeDocument& document = documents_[scores.losses.size()];
      const Share rows = batch.document(i);
      double loss = 0;
      for (std::size_t t = 0; t < rows.n; t++) loss += activations_.losses.view().data[rows.first + t];
      std::size_t right = 0;
      for (std::size_t t = document.first; t < document.end; t++) {
        const double* row = logits.row(rows.first + t);
        if (std::max_element(row, row + logits.cols) == row + document.tokens[t + 1]) right++;
      }
      scores.losses.push_back(loss / static_cast<double>(rows.n));
      scores.accuracies.push_back(static_cast<double>(right) / static_cast<double>(document.end - document.first));
    }
  }
  return scores;
}

std::vector<HeadOutput> Probe::mean_outputs() {
  std::vector<HeadOutput> means = silenced(all_heads(config()), config());
  const std::size_t D = config().head_dim();
  std::size_t positions = 0;
  for (const Batch& batch : batches_) {
    run(batch);
    positions += batch.num_positions();
    for (auto& [id, sum] : means) {
      const View<double> out = activations_.layers[id.layer].attention.x_attn.view().slice_cols(id.head * D, D);
      for (std::size_t n = 0; n < out.rows; n++) {
        for (std::size_t j = 0; j < D; j++) sum[j] += out.row(n)[j];
      }
    }
  }
  for (HeadOutput& mean : means) {
    for (double& x : mean.output) x /= static_cast<double>(positions);
  }
  return means;
}

LayerAttention Probe::attention(std::size_t layer, Share rows) const {
  const AttentionActivations<double>& a = activations_.layers[layer].attention;
  auto of = [&](const Tensor<double>& tensor) { return tensor.view().slice_rows(rows.first, rows.n); };
  const AttentionShape& shape = model_.layers[layer].attention.shape;
  return {AttentionCall<double>::of(shape, of(a.q), of(a.k), of(a.v), model_.mask(layer)), of(a.x_attn)};
}

}  // namespace microgpt
