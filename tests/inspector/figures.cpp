// What the program computes of a model and some documents, as JSON, for check.py to compare with the inspector's page:
//
//   figures MODEL DOCUMENTS
//
// Logits, weights and losses; the same with each head silenced, and with cells of the map forbidden; one row of each
// head in numbers; and the parts of logits: with the tensor path in double. And the scalar path's tape.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/dataset.h"
#include "base/utf8.h"
#include "heads/in_numbers.h"
#include "heads/probe.h"
#include "tensor/batch.h"
#include "train/checkpoint.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::pair<std::size_t, std::size_t>>;  // (t, s)

constexpr std::size_t num_changed = 10;  // documents to compare with something changed

Json json(View<const double> matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows; i++) rows.push_back(std::vector(matrix.row(i), matrix.row(i) + matrix.cols));
  return rows;
}

/// One document's forward, with some heads replaced.
Activations<double> forward(const TensorModel<double>& model, const ProbeDocument& document,
                            const std::vector<HeadOutput>& replaced) {
  Batch batch(model.config.block_size);
  batch.add(document.tokens);
  Activations<double> activations;
  activations.resize(model, batch.num_positions());
  activations.fixed_heads.resize(model.layers.size());
  for (const HeadOutput& head : replaced) {
    activations.fixed_heads[head.id.layer].push_back({head.id.head, head.output});
  }
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  return activations;
}

/// weights[document][layer][head][t][s]
Json weights_json(Probe& probe) {
  Json all = Json::array();
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    if (layer == 0) all.push_back(Json::array());
    Json heads = Json::array();
    for (std::size_t h = 0; h < probe.config().n_head; h++) {
      heads.push_back(Json::array());
      for (std::size_t t = 0; t < weights.cols; t++) {
        const double* const row = weights.row(h * weights.cols + t);
        heads.back().push_back(std::vector(row, row + t + 1));
      }
    }
    all[document].push_back(heads);
  });
  return all;
}

Json silenced_json(const TensorModel<double>& model, Probe& probe) {
  Json all = Json::array();
  for (const HeadId& id : all_heads(model.config)) {
    const std::vector<HeadOutput> zeros = silenced({{id}}, model.config);
    Json logits = Json::array();
    for (std::size_t i = 0; i < num_changed; i++) {
      logits.push_back(json(forward(model, probe.documents()[i], zeros).logits.view()));
    }
    all.push_back({{"layer", id.layer}, {"head", id.head}, {"losses", probe.scores(zeros).losses}, {"logits", logits}});
  }
  return all;
}

/// With cells forbidden in all heads.
Json forbidden_json(const TensorModel<double>& model, std::span<const ProbeDocument> documents) {
  Json all = Json::array();
  for (const Cells& cells : {Cells{{2, 1}}, Cells{{1, 0}, {1, 1}}, Cells{{0, 0}, {3, 0}, {3, 3}}}) {
    TensorModel<double> changed = model;
    const std::size_t T = model.config.block_size;
    for (Mask& mask : changed.masks) {
      mask = Mask::table(T, T, [&, before = mask](std::size_t t, std::size_t s) {
        return s <= t && before.allows(t, s) && std::find(cells.begin(), cells.end(), std::pair(t, s)) == cells.end();
      });
    }
    Json logits = Json::array();
    for (std::size_t i = 0; i < num_changed; i++) {
      logits.push_back(json(forward(changed, documents[i], {}).logits.view()));
    }
    all.push_back({{"cells", cells}, {"logits", logits}});
  }
  return all;
}

/// The row of each head at the last position of the first document.
Json rows_json(const Checkpoint& checkpoint, const ProbeDocument& document) {
  Json all = Json::array();
  const std::size_t n = std::min(document.tokens.size() - 1, checkpoint.config.block_size);
  for (const HeadId& id : all_heads(checkpoint.config)) {
    const HeadRow row =
        head_row(checkpoint.config, checkpoint.parameters, std::span(document.tokens).first(n), id, n - 1);
    Json positions = Json::array(), scores = Json::array();
    for (const std::size_t i : row.strongest(5)) {
      positions.push_back(row.seen[i].position);
      scores.push_back(row.seen[i].score);
    }
    all.push_back({{"layer", id.layer},
                   {"head", id.head},
                   {"at", n - 1},
                   {"strongest", positions},
                   {"scores", scores},
                   {"query", row.query},
                   {"output", row.output},
                   {"written", row.written}});
  }
  return all;
}

/// The parts of the logits at the last position of a document, and what the losses of all tokens are without each.
Json why_json(const Checkpoint& checkpoint, const ProbeDocument& document) {
  const std::size_t n = std::min(document.tokens.size() - 1, checkpoint.config.block_size);
  const LogitParts why =
      logit_parts(checkpoint.config, checkpoint.parameters, std::span(document.tokens).first(n), n - 1);
  Json adds = Json::array(), losses = Json::array();
  for (const LogitPart& part : why.parts) {
    adds.push_back(part.adds);
    losses.emplace_back();
    for (Token token = 0; token < part.without.size(); token++) losses.back().push_back(loss_of(part.without, token));
  }
  return {{"adds", adds}, {"losses", losses}};
}

/// Every node on the scalar path's tape after a document's backward(): first the parameters.
Json tape_json(const Checkpoint& checkpoint, const ProbeDocument& document) {
  const Scope scope;
  const Model model = scalar_model(checkpoint.config, checkpoint.parameters);
  document_loss(model, document.tokens).backward();
  std::unordered_map<const Node*, std::size_t> number;
  Json ops = Json::array(), data = Json::array(), grads = Json::array(), children = Json::array();
  tape.for_each([&](const Node& node) {
    number[&node] = number.size();
    ops.push_back(node.op);
    data.push_back(node.data);
    grads.push_back(node.grad);
    children.push_back(Json::array());
    for (const Edge& edge : node.edges) children.back().push_back(number.at(edge.child));
  });
  return {{"ops", ops}, {"data", data}, {"grads", grads}, {"children", children}};
}

Json figures(const Checkpoint& checkpoint, const std::vector<Document>& texts) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  std::vector<ProbeDocument> documents;
  Json names = Json::array();
  for (const Document& text : texts) {
    documents.push_back(probe_document(text, tokenizer, config.block_size));
    names.push_back(encode_utf8(text));
  }
  const TensorModel<double> model(config, parameters);
  Probe probe(config, parameters, documents);
  Json logits = Json::array(), tapes = Json::array();
  for (const ProbeDocument& document : documents) logits.push_back(json(forward(model, document, {}).logits.view()));
  for (std::size_t i = 0; i < 3 && config.is_plain(); i++) tapes.push_back(tape_json(checkpoint, documents[i]));
  return {{"names", names},
          {"losses", probe.scores().losses},
          {"logits", logits},
          {"weights", weights_json(probe)},
          {"silenced", silenced_json(model, probe)},
          {"forbidden", forbidden_json(model, documents)},
          {"rows", rows_json(checkpoint, documents.front())},
          {"why", why_json(checkpoint, documents.front())},
          {"tapes", tapes}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: figures MODEL DOCUMENTS\n", stderr), 2;
  try {
    std::puts(figures(load_checkpoint(argv[1]), read_documents(argv[2])).dump().c_str());
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "figures: %s\n", error.what()), 1;
  }
}
