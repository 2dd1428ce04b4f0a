#include "tensor/gpt.h"

#include <algorithm>

#include "tensor/drop.h"

namespace microgpt {
namespace {

/// Writes the rows of x to `to`, one after the other. Returns the end.
template <class T>
double* copy_rows(View<const T> x, double* to) {
  for (std::size_t i = 0; i < x.rows; i++) to = std::copy_n(x.row(i), x.cols, to);
  return to;
}

}  // namespace

// --- Parameters ------------------------------------------------------------------------------------------------------

template <class T>
TensorModel<T>::Layer::Layer(const Config& config)
    : attention(attention_shape(config)),
      mlp_fc1(4 * config.n_embd, config.n_embd),
      mlp_fc2(config.n_embd, 4 * config.n_embd) {}

template <class T>
TensorModel<T>::TensorModel(const Config& config_, const Parameters& parameters, std::size_t max_length)
    : config(config_),
      length(std::min(max_length, config.block_size)),
      wte(config.vocab_size, config.n_embd, Use::embedding),
      wpe(config.rope ? 0 : config.block_size, config.n_embd, Use::embedding),
      lm_head(config.vocab_size, config.n_embd),
      layers(config.n_layer, Layer(config)) {
  for (const MaskPattern& pattern : config.masks) masks.push_back(Mask::of(pattern, length));
  const double* from = parameters.data().data();
  for (Weight<T>* weight : weights()) {
    const View<T> data = weight->data.view();
    for (std::size_t i = 0; i < data.rows; i++, from += data.cols) std::copy_n(from, data.cols, data.row(i));
    weight->transpose_rows({0, data.rows});
  }
}

template <class T>
std::vector<Weight<T>*> TensorModel<T>::weights() {
  std::vector<Weight<T>*> all{&wte, &wpe, &lm_head};
  for (Layer& layer : layers) {
    for (const NamedWeight<T>& named : layer.attention.weights()) all.push_back(named.weight);
    all.insert(all.end(), {&layer.mlp_fc1, &layer.mlp_fc2});
  }
  return all;
}

template <class T>
void TensorModel<T>::copy_to(Parameters& parameters) {
  double* to = parameters.data().data();
  for (const Weight<T>* weight : weights()) to = copy_rows(weight->data.view(), to);
}

template <class T>
void TensorModel<T>::copy_grad_to(Parameters& parameters) {
  double* to = parameters.grad().data();
  for (const Weight<T>* weight : weights()) to = copy_rows(weight->grad.view(), to);
}

// --- Activations -----------------------------------------------------------------------------------------------------

template <class T>
void Activations<T>::resize(const TensorModel<T>& model, std::size_t N) {
  const std::size_t C = model.config.n_embd;
  for (Tensor<T>* tensor : {&embedded, &x, &dx, &dembedded, &dx_norm}) tensor->resize(N, C);
  for (Tensor<T>* tensor : {&logits, &probs}) tensor->resize(N, model.config.vocab_size);
  for (Tensor<T>* tensor : {&scale0, &losses}) tensor->resize(1, N);
  layers.resize(model.layers.size());
  for (std::size_t li = 0; li < layers.size(); li++) {
    Layer& l = layers[li];
    l.attention.resize(model.layers[li].attention.shape, N, N);
    for (Tensor<T>* tensor : {&l.scale1, &l.scale2}) tensor->resize(1, N);
    for (Tensor<T>* tensor : {&l.x_norm1, &l.x_mid, &l.x_norm2, &l.x_out, &l.dx_out, &l.dx_mid}) {
      tensor->resize(N, C);
    }
    if (dropout.drops()) {
      for (Tensor<T>* tensor : {&l.attn_out, &l.mlp_out, &l.dattn_out, &l.dmlp_out}) tensor->resize(N, C);
    }
    for (Tensor<T>* tensor : {&l.hidden, &l.active, &l.dhidden}) tensor->resize(N, 4 * C);
  }
}

// --- Forward and backward --------------------------------------------------------------------------------------------

namespace {

template <class T>
std::vector<Sequence> sequences_of(const TensorModel<T>& model, std::size_t li, const Batch& batch, Share documents) {
  std::vector<Sequence> sequences;
  for (std::size_t i = documents.first; i < documents.first + documents.n; i++) {
    sequences.push_back({batch.document(i), batch.document(i), &model.mask(li)});
  }
  return sequences;
}

struct LayerDropout {
  Dropout attention_weights, attn_out, mlp_out;

  LayerDropout(const Dropout& dropout, std::size_t li)
      : attention_weights(dropout.of(li).of(0)), attn_out(dropout.of(li).of(1)), mlp_out(dropout.of(li).of(2)) {}
};

template <class T>
AttentionInput<T> attention_input(const Activations<T>& a, std::size_t li, const Batch& batch,
                                  std::span<const Sequence> sequences) {
  const View<const T> x = a.layers[li].x_norm1.view();
  const Dropout dropout = LayerDropout(a.dropout, li).attention_weights;
  AttentionInput<T> input{x, x, batch.positions(), batch.positions(), sequences, dropout};
  if (!a.fixed_heads.empty()) input.fixed = a.fixed_heads[li];
  return input;
}

/// to = before + branch, of which some numbers are dropped. Rows count from `first`.
template <class T>
void add_dropped(View<T> to, View<const T> before, View<T> branch, const Kernels<T>& kernels, const Dropout& dropout,
                 std::size_t first) {
  drop<T>(branch, branch, dropout, first);
  kernels.add_forward(to, branch, before);
}

auto& dattn_out(auto& layer, const Dropout& dropout) { return dropout.drops() ? layer.dattn_out : layer.dx_mid; }
auto& dmlp_out(auto& layer, const Dropout& dropout) { return dropout.drops() ? layer.dmlp_out : layer.dx_out; }

}  // namespace

template <class T>
void gpt_forward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                 Activations<T>& a) {
  const Share rows = batch.rows(documents);
  auto of = [&](auto&& all) { return rows.of(all); };                            // these documents' rows
  auto at = [&](Tensor<T>& tensor) { return tensor.view().data + rows.first; };  // of a (1,N)

  kernels.embedding_forward(of(a.embedded), of(batch.tokens()), of(batch.positions()), model.wte.data.view(),
                            model.wpe.data.view());
  kernels.rmsnorm_forward(of(a.x), at(a.scale0), of(a.embedded));

  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const typename TensorModel<T>::Layer& layer = model.layers[li];
    typename Activations<T>::Layer& l = a.layers[li];
    Tensor<T>& x = li == 0 ? a.x : a.layers[li - 1].x_out;
    const LayerDropout dropout(a.dropout, li);
    const std::vector<Sequence> sequences = sequences_of(model, li, batch, documents);

    // 1) Attention.
    kernels.rmsnorm_forward(of(l.x_norm1), at(l.scale1), of(x));
    const AttentionInput<T> input = attention_input(a, li, batch, sequences);
    if (dropout.attn_out.drops()) {
      layer.attention.forward(l.attn_out.view(), {}, kernels, input, l.attention);
      add_dropped<T>(of(l.x_mid), of(x), of(l.attn_out), kernels, dropout.attn_out, rows.first);
    } else {
      layer.attention.forward(l.x_mid.view(), x.view(), kernels, input, l.attention);
    }

    // 2) MLP.
    kernels.rmsnorm_forward(of(l.x_norm2), at(l.scale2), of(l.x_mid));
    kernels.linear_forward(of(l.hidden), of(l.x_norm2), layer.mlp_fc1, {});
    kernels.activation_forward(of(l.active), of(l.hidden), model.config.activation);
    if (dropout.mlp_out.drops()) {
      kernels.linear_forward(of(l.mlp_out), of(l.active), layer.mlp_fc2, {});
      add_dropped<T>(of(l.x_out), of(l.x_mid), of(l.mlp_out), kernels, dropout.mlp_out, rows.first);
    } else {
      kernels.linear_forward(of(l.x_out), of(l.active), layer.mlp_fc2, of(l.x_mid));
    }
  }
  kernels.linear_forward(of(a.logits), of(a.layers.back().x_out), model.lm_head, {});
  kernels.cross_entropy_forward(at(a.losses), of(a.probs), of(a.logits), of(batch.targets()));
}

template <class T>
Activations<T> gpt_forward(const TensorModel<T>& model, const Kernels<T>& kernels, std::span<const Token> document) {
  Batch batch(model.config.block_size);
  batch.add(document);
  Activations<T> activations;
  activations.resize(model, batch.num_positions());
  gpt_forward(model, kernels, batch, {0, 1}, activations);
  return activations;
}

// Each step is that of gpt_forward, from the last to the first.
template <class T>
void gpt_backward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                  const T* dlosses, Activations<T>& a) {
  const Share rows = batch.rows(documents);
  auto of = [&](auto&& all) { return rows.of(all); };
  auto at = [&](Tensor<T>& tensor) { return tensor.view().data + rows.first; };

  const View<T> dlogits = of(a.probs);  // in place: it overwrites probs
  kernels.cross_entropy_backward(dlogits, dlosses + rows.first, of(a.probs), of(batch.targets()));
  kernels.linear_backward_input(of(a.layers.back().dx_out), dlogits, model.lm_head, {});

  for (std::size_t li = model.layers.size(); li-- > 0;) {
    const typename TensorModel<T>::Layer& layer = model.layers[li];
    typename Activations<T>::Layer& l = a.layers[li];
    const View<T> x = li == 0 ? of(a.x) : of(a.layers[li - 1].x_out);
    const View<T> dx = li == 0 ? of(a.dx) : of(a.layers[li - 1].dx_out);
    const LayerDropout dropout(a.dropout, li);
    const std::vector<Sequence> sequences = sequences_of(model, li, batch, documents);

    // 2) MLP.
    if (dropout.mlp_out.drops()) drop<T>(of(l.dmlp_out), of(l.dx_out), dropout.mlp_out, rows.first);
    kernels.linear_backward_input(of(l.dhidden), of(dmlp_out(l, a.dropout)), layer.mlp_fc2, {});
    kernels.activation_backward(of(l.dhidden), of(l.dhidden), of(l.hidden), model.config.activation);
    kernels.linear_backward_input(of(a.dx_norm), of(l.dhidden), layer.mlp_fc1, {});
    kernels.rmsnorm_backward(of(l.dx_mid), of(a.dx_norm), of(l.x_mid), at(l.scale2), of(l.dx_out));

    // 1) Attention.
    if (dropout.attn_out.drops()) drop<T>(of(l.dattn_out), of(l.dx_mid), dropout.attn_out, rows.first);
    layer.attention.backward(a.dx_norm.view(), a.dx_norm.view(), dattn_out(l, a.dropout).view(), kernels,
                             attention_input(a, li, batch, sequences), l.attention);
    kernels.rmsnorm_backward(dx, of(a.dx_norm), x, at(l.scale1), of(l.dx_mid));
  }
  kernels.rmsnorm_backward(of(a.dembedded), of(a.dx), of(a.embedded), at(a.scale0), {});
}

// A thread takes whole documents, with all heads of all layers, so threads wait for each other once, at the end. All
// read the model, the batch and dlosses. A thread alone writes, and reads, the n of N rows of the activations that
// belong to its documents. Each number is one sum in one order, so no bit depends on the number of threads.
template <class T>
void gpt_forward_backward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, std::size_t part,
                          std::size_t parts, const T* dlosses, Activations<T>& a, std::size_t threads) {
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (std::size_t i = 0; i < threads; i++) {
    const Share documents = batch.documents(part * threads + i, parts * threads);  // n of the N rows
    gpt_forward(model, kernels, batch, documents, a);  // tokens (n), x (n,C), q (n,H*K), x_attn (n,H*D), probs (n,V)
    gpt_backward(model, kernels, batch, documents, dlosses, a);  // dprobs (n,V), dx_attn (n,H*D), dq (n,H*K), dx (n,C)
  }
}

template <class T>
void gpt_backward_weights(TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                          const Activations<T>& a, const WeightRows& which) {
  const Share positions = batch.rows(documents);
  auto of = [&](auto&& all) { return positions.of(all); };
  auto embedding = [&](Weight<T>& w, std::span<const std::size_t> indices) {
    const Share rows = which.of(w.grad.view().rows);
    if (!which.adds) set_zero(rows.of(w.grad));
    kernels.embedding_backward(rows.of(w.grad), rows.first, of(a.dembedded), of(indices));
  };
  auto linear = [&](Weight<T>& w, const Tensor<T>& dy, const Tensor<T>& x) {
    weight_gradient(kernels, w, of(dy), of(x), which);
  };
  embedding(model.wte, batch.tokens());
  if (!model.config.rope) embedding(model.wpe, batch.positions());
  linear(model.lm_head, a.probs, a.layers.back().x_out);
  for (std::size_t li = 0; li < model.layers.size(); li++) {
    typename TensorModel<T>::Layer& layer = model.layers[li];
    const typename Activations<T>::Layer& l = a.layers[li];
    const std::vector<Sequence> sequences = sequences_of(model, li, batch, documents);
    layer.attention.backward_weights(dattn_out(l, a.dropout).view(), kernels, attention_input(a, li, batch, sequences),
                                     l.attention, which);
    linear(layer.mlp_fc1, l.dhidden, l.x_norm2);
    linear(layer.mlp_fc2, dmlp_out(l, a.dropout), l.active);
  }
}

template struct TensorModel<float>;
template struct TensorModel<double>;
template struct Activations<float>;
template struct Activations<double>;
template void gpt_forward(const TensorModel<float>&, const Kernels<float>&, const Batch&, Share, Activations<float>&);
template void gpt_forward(const TensorModel<double>&, const Kernels<double>&, const Batch&, Share,
                          Activations<double>&);
template Activations<double> gpt_forward(const TensorModel<double>&, const Kernels<double>&, std::span<const Token>);
template void gpt_backward(const TensorModel<float>&, const Kernels<float>&, const Batch&, Share, const float*,
                           Activations<float>&);
template void gpt_backward(const TensorModel<double>&, const Kernels<double>&, const Batch&, Share, const double*,
                           Activations<double>&);
template void gpt_forward_backward(const TensorModel<float>&, const Kernels<float>&, const Batch&, std::size_t,
                                   std::size_t, const float*, Activations<float>&, std::size_t);
template void gpt_forward_backward(const TensorModel<double>&, const Kernels<double>&, const Batch&, std::size_t,
                                   std::size_t, const double*, Activations<double>&, std::size_t);
template void gpt_backward_weights(TensorModel<float>&, const Kernels<float>&, const Batch&, Share,
                                   const Activations<float>&, const WeightRows&);
template void gpt_backward_weights(TensorModel<double>&, const Kernels<double>&, const Batch&, Share,
                                   const Activations<double>&, const WeightRows&);

}  // namespace microgpt
