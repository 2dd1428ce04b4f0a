#include "train/batch_optimizer.h"

#include <cmath>

namespace microgpt {
namespace {

template <class T>
class BatchSgd : public BatchOptimizer<T> {
 public:
  explicit BatchSgd(const TrainConfig& train) : weight_decay_(train.weight_decay) {}

  void begin(double learning_rate, std::size_t) override {
    learning_rate_ = static_cast<T>(learning_rate);
    keep_ = static_cast<T>(1 - learning_rate * weight_decay_);
  }

  void update(std::size_t, Weight<T>& weight, Share rows) override {
    const View<T> data = weight.data.view().slice_rows(rows.first, rows.n);
    const View<T> grad = weight.grad.view().slice_rows(rows.first, rows.n);
    for (std::size_t i = 0; i < data.rows * data.stride; i++) {
      data.data[i] = keep_ * data.data[i] - learning_rate_ * grad.data[i];
    }
  }

 private:
  double weight_decay_;
  T learning_rate_ = 0;
  T keep_ = 1;  // what remains of a weight before the step
};

template <class T>
class BatchAdam : public BatchOptimizer<T> {
 public:
  BatchAdam(const TrainConfig& train, std::span<Weight<T>* const> weights, const Kernels<T>& kernels)
      : train_(train), kernels_(kernels) {
    for (const Weight<T>* weight : weights) {
      const View<const T> data = weight->data.view();
      m_.emplace_back(data.rows, data.cols);
      v_.emplace_back(data.rows, data.cols);
    }
  }

  void begin(double learning_rate, std::size_t step) override {
    const auto steps = static_cast<double>(step + 1);
    step_ = {.learning_rate = learning_rate,
             .beta1 = train_.beta1,
             .beta2 = train_.beta2,
             .eps = train_.eps_adam,
             .m_correction = 1 - std::pow(train_.beta1, steps),
             .v_correction = 1 - std::pow(train_.beta2, steps),
             .keep = 1 - learning_rate * train_.weight_decay};
  }

  void update(std::size_t i, Weight<T>& weight, Share rows) override {
    const View<T> data = weight.data.view();
    kernels_.adam_update(data.row(rows.first), weight.grad.view().row(rows.first), m_[i].view().row(rows.first),
                         v_[i].view().row(rows.first), rows.n * data.stride, step_);
  }

  std::vector<std::span<Tensor<T>>> moments() override { return {m_, v_}; }

 private:
  TrainConfig train_;
  const Kernels<T>& kernels_;
  AdamStep step_ = {};
  std::vector<Tensor<T>> m_;  // for each weight, the running mean of its gradient
  std::vector<Tensor<T>> v_;  // and of its square
};

}  // namespace

template <class T>
std::unique_ptr<BatchOptimizer<T>> make_optimizer(const TrainConfig& train, std::span<Weight<T>* const> weights,
                                                  const Kernels<T>& kernels) {
  if (train.optimizer == OptimizerName::sgd) return std::make_unique<BatchSgd<T>>(train);
  return std::make_unique<BatchAdam<T>>(train, weights, kernels);
}

template std::unique_ptr<BatchOptimizer<float>> make_optimizer(const TrainConfig&, std::span<Weight<float>* const>,
                                                               const Kernels<float>&);
template std::unique_ptr<BatchOptimizer<double>> make_optimizer(const TrainConfig&, std::span<Weight<double>* const>,
                                                                const Kernels<double>&);

}  // namespace microgpt
