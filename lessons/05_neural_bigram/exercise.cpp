// Exercise 05: a batch. One name is a noisy witness of where downhill is. Ask several, and take the mean.
//
//   make exercise-05    fails until batch_loss() is right, and hints at what is missing
//   make solution-05    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/python_random.h"
#include "scalar/mlp.h"
#include "scalar/ops.h"
#include "train/evaluation.h"

using namespace microgpt;

using Name = std::vector<Token>;  // BOS, letters, BOS

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The mean of the losses of all names in the batch; each name counts the same.
Value batch_loss(const Mlp& model, std::span<const Name> batch) {
  // TODO: this listens to the first name only. document_loss(model, name) is the loss of one name, and
  // mean(Values(n, [&](std::size_t i) { return ...; })) the mean of n Values.
  return document_loss(model, batch[0]);
}
#endif

namespace {

constexpr Token bos = 26;

/// Random letters, of random length.
std::vector<Name> make_names(std::size_t n) {
  PythonRandom random(5);
  std::vector<Name> names(n, Name{bos});
  for (Name& name : names) {
    for (std::size_t length = 2 + random.below(8); length > 0; length--) name.push_back(random.below(26));
    name.push_back(bos);
  }
  return names;
}

struct Fixture {
  Fixture() : parameters(mlp_shapes(27, 16)) {
    PythonRandom random(42);
    draw_weights(parameters, 0.5, random);
  }

  /// The gradient of a loss, taken out of the parameters.
  template <class MakeLoss>
  std::vector<double> gradient(MakeLoss make_loss) {
    const Scope scope;
    make_loss().backward();
    std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
    for (double& g : parameters.grad()) g = 0;
    return gradient;
  }

  Parameters parameters;
  Mlp model{parameters};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a batch of one name has that name's loss") {
  const Scope scope;
  const std::vector<Name> names = make_names(1);
  INFO("hint: the mean of one number is that number");
  CHECK(batch_loss(model, names).data() == document_loss(model, names[0]).data());
}

TEST_CASE_FIXTURE(Fixture, "every name of the batch counts the same, short or long") {
  const Scope scope;
  const std::vector<Name> names = make_names(3);
  double total = 0;
  for (const Name& name : names) total += document_loss(model, name).data();
  INFO("hint: add up document_loss() of every name, then divide by the number of names, not by that of tokens");
  // Either side is four operations on numbers below 16, each rounded by at most 16 * 2^-53: together below 1e-14.
  CHECK(std::abs(batch_loss(model, names).data() - total / 3) < 1e-14);
}

TEST_CASE_FIXTURE(Fixture, "the gradient of a batch is the mean of the names' gradients") {
  const std::vector<Name> names = make_names(4);
  const std::vector<double> of_batch = gradient([&] { return batch_loss(model, names); });
  std::vector<double> mean_of_each(parameters.size());
  for (const Name& name : names) {
    const std::vector<double> of_name = gradient([&] { return document_loss(model, name); });
    for (std::size_t i = 0; i < of_name.size(); i++) mean_of_each[i] += of_name[i] / 4;
  }
  double worst = 0;
  for (std::size_t i = 0; i < of_batch.size(); i++) worst = std::max(worst, std::abs(of_batch[i] - mean_of_each[i]));
  INFO(
      "hint: the loss must be made of Values all the way; a mean of data() is a number that forgot where it came from");
  // A gradient here is a sum of fewer than 2^10 terms below 8: 2^10 roundings of at most 2^13 * 2^-53.
  CHECK(worst < 0x1p-30);
}

TEST_CASE_FIXTURE(Fixture, "sixteen names together are about four times less noisy than one") {
  const std::vector<Name> names = make_names(64 * 16);
  std::vector<double> single;
  std::vector<double> batched;
  for (std::size_t i = 0; i < names.size(); i++) {
    const Scope scope;
    single.push_back(document_loss(model, names[i]).data());
    if (i % 16 == 0) batched.push_back(batch_loss(model, std::span(names).subspan(i, 16)).data());
  }
  const double times = estimate(single).stddev / estimate(batched).stddev;
  INFO("one name is " << times
                      << " times as noisy as a batch of 16; hint: noise falls with the root of the batch size");
  // A deviation known from 64 numbers is off by 1 / sqrt(2 * 63), or 9 %: 3 to 5 leaves room for almost three times
  // that.
  CHECK(times > 3);
  CHECK(times < 5);
}
