#include "train/batch_trainer.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/schedule.h"
#include "tensor/threads.h"
#include "train/optimizer.h"
#include "train/processes.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

template <class T>
std::span<std::byte> bytes_of(std::span<T> numbers) {
  return std::as_writable_bytes(numbers);
}

/// Calls visit(row) for these rows of the gradients of all weights.
template <class T, class Visit>
void each_gradient(TensorModel<T>& model, const WeightRows& which, Visit visit) {
  for (Weight<T>* weight : model.weights()) {
    const View<T> grad = which.of(weight->grad.view().rows).of(weight->grad);
    for (std::size_t i = 0; i < grad.rows; i++) visit(std::span(grad.row(i), grad.cols));
  }
}

/// Copies a list to these rows of the gradients of all weights.
template <class T>
void copy_back(TensorModel<T>& model, const WeightRows& which, const std::vector<T>& list) {
  auto at = list.begin();
  each_gradient(model, which, [&](std::span<T> row) {
    std::copy_n(at, row.size(), row.begin());
    at += row.size();
  });
}

}  // namespace

ThreadChoice choose_threads(const Config& config, std::size_t batch_size, std::optional<std::size_t> asked) {
  if (!have_openmp) return {1, "this program was built without OpenMP"};
  // Waking a thread and waiting for it takes some microseconds, the time of about this many multiply-adds.
  constexpr std::size_t work_per_thread = 200'000;
  const std::size_t documents_work = 3 * 7 * num_parameters(config);  // forward and backward of a name of 7 tokens
  const std::size_t max_threads = std::max<std::size_t>(1, batch_size * documents_work / work_per_thread);
  if (!asked && batch_size == 1) return {1, "a step has one document, and one thread takes a whole document"};
  if (!asked && max_threads < 2) return {1, "a step is too little work to share"};
  const std::size_t available = asked.value_or(available_threads());
  const std::string at_once = std::to_string(num_processors()) + " at once";
  const std::string reason = asked && available > num_processors()
                                 ? "as asked for; slow, since this machine runs " + at_once
                             : asked                         ? "as asked for"
                             : available != num_processors() ? "as OMP_NUM_THREADS says"
                                                             : "as many as this machine runs at once";
  if (asked || available == 1) return {available, reason};
  const std::size_t threads = std::min({available, batch_size, max_threads});
  return {threads, threads == available    ? reason
                   : threads == batch_size ? "as many as a step has documents"
                                           : "more would have too little to do"};
}

template <class T>
BatchTrainer<T>::BatchTrainer(const Config& model, const TrainConfig& train, const Parameters& parameters,
                              std::span<const Document> documents, const Tokenizer& tokenizer,
                              const BatchOptions& options, const Kernels<T>& kernels)
    : train_(train),
      options_(options),
      kernels_(kernels),
      documents_(documents),
      tokenizer_(tokenizer),
      model_(model, parameters, std::max(longest(documents) + 1, max_new_tokens)),
      optimizer_(train, model_.weights()),
      batch_(model.block_size),
      steps_done_(train.first_step) {}

template <class T>
std::vector<std::vector<double>> BatchTrainer<T>::moments() const {
  std::vector<std::vector<double>> moments(num_moments(train_));
  for (std::size_t which = 0; which < moments.size(); which++) {
    std::vector<double>& numbers = moments[which];
    for (const Tensor<T>& tensor : which == 0 ? optimizer_.m : optimizer_.v) {
      const View<const T> x = tensor.view();
      for (std::size_t i = 0; i < x.rows; i++) numbers.insert(numbers.end(), x.row(i), x.row(i) + x.cols);
    }
  }
  return moments;
}

template <class T>
void BatchTrainer<T>::set_moments(const std::vector<std::vector<double>>& moments) {
  for (std::size_t which = 0; which < moments.size(); which++) {
    const double* from = moments[which].data();
    for (Tensor<T>& tensor : which == 0 ? optimizer_.m : optimizer_.v) {
      const View<T> x = tensor.view();
      for (std::size_t i = 0; i < x.rows; i++, from += x.cols) std::copy_n(from, x.cols, x.row(i));
    }
  }
}

template <class T>
void BatchTrainer<T>::next_batch() {
  batch_.clear();
  for (std::size_t i = 0; i < train_.batch_size; i++) {
    batch_.add(tokenizer_.encode_document(documents_[(documents_done() + i) % documents_.size()]));
  }
  activations_.dropout = options_.dropout.of(steps_done_);
  activations_.resize(model_, batch_.num_positions());
}

template <class T>
double BatchTrainer<T>::step(double progress) {
  next_batch();
  const std::vector<double> weights = batch_.weights(options_.loss_mean);
  const std::vector<T> dlosses(weights.begin(), weights.end());
  const std::size_t shares = options_.threads, processes = processes::count();
  gpt_forward_backward(model_, kernels_, batch_, processes::number(), processes, dlosses.data(), activations_, shares);
  const Share documents = batch_.documents(processes::number(), processes), rows = batch_.rows(documents);
  double loss = 0;
  processes::take_over(bytes_of<double>({&loss, 1}));
  for (std::size_t n = rows.first; n < rows.first + rows.n; n++)
    loss += weights[n] * activations_.losses.view().data[n];
  processes::hand_on(bytes_of<double>({&loss, 1}));
  if (processes > 1) add_gradients(documents);
  processes::spread(bytes_of<double>({&loss, 1}));
  if (!std::isfinite(loss)) throw Diverged(steps_done_ + 1, loss);

  optimizer_.begin(learning_rate_at(train_, progress, 1), steps_done_);
  parallel(shares, [&](std::size_t i) {
    if (processes == 1) gpt_backward_weights(model_, kernels_, batch_, documents, activations_, {i, shares});
    update_weights(i);
  });
  steps_done_++;
  return loss;
}

// In pieces, so that the second process adds to one while the first computes the next.
template <class T>
void BatchTrainer<T>::add_gradients(Share documents) {
  const std::size_t pieces = 2 * processes::count(), shares = options_.threads;
  const bool is_first = processes::number() == 0;
  sums_.resize(pieces);
  for (std::size_t piece = 0; piece < pieces; piece++) {
    std::vector<T>& sums = sums_[piece];
    auto collect = [&] {
      sums.clear();
      each_gradient(model_, {piece, pieces},
                    [&](std::span<T> row) { sums.insert(sums.end(), row.begin(), row.end()); });
    };
    collect();  // for its size
    processes::take_over(bytes_of<T>(sums));
    if (!is_first) copy_back(model_, {piece, pieces}, sums);
    parallel(shares, [&](std::size_t i) {
      const WeightRows rows{piece * shares + i, pieces * shares, !is_first};
      gpt_backward_weights(model_, kernels_, batch_, documents, activations_, rows);
    });
    collect();
    processes::hand_on(bytes_of<T>(sums));
  }
  for (std::size_t piece = 0; piece < pieces; piece++) {
    processes::spread(bytes_of<T>(sums_[piece]));
    copy_back(model_, {piece, pieces}, sums_[piece]);
  }
}

template <class T>
void BatchTrainer<T>::update_weights(std::size_t i) {
  const std::vector<Weight<T>*> weights = model_.weights();
  for (std::size_t w = 0; w < weights.size(); w++) {
    const Share rows = share(weights[w]->data.view().rows, i, options_.threads);
    if (rows.n == 0) continue;
    optimizer_.update(w, *weights[w], rows, kernels_);
    weights[w]->transpose_rows(rows);
  }
}

template class BatchTrainer<float>;
template class BatchTrainer<double>;

}  // namespace microgpt
