// The solved function of exercise.cpp.

std::vector<double> train_in_batches(const Mlp& model, std::span<const Name> names, std::size_t batch_size,
                                     std::size_t num_steps, double learning_rate) {
  std::vector<double> losses;
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    const Values of_names(
        batch_size, [&](std::size_t i) { return document_loss(model, names[(step * batch_size + i) % names.size()]); });
    const Value loss = mean(of_names);
    loss.backward();
    const double lr = learning_rate * (1 - static_cast<double>(step) / static_cast<double>(num_steps));
    for (const Value p : model.params) {
      p.node->data -= lr * p.grad();
      p.node->grad = 0;
    }
    losses.push_back(loss.data());
  }
  return losses;
}
