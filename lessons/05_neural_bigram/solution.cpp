// Hint 1: The step is that of the lesson: forward, backward, update, gradients back to 0, all in a Scope. Only the loss
// is another one. It must be a Value that remembers all names.
//
// Hint 2: Put the losses of the names into a List of Values, and let mean() of microgpt.h make one Value of them. Then
// loss.backward() goes back through all names, and each p of model.params moves by -learning_rate * p.grad().

double train_step(const Mlp& model, std::span<const Name> batch, double learning_rate) {
  const Scope scope;
  List losses;
  for (const Name& name : batch) losses.push_back(document_loss(model, name));
  const Value loss = mean(losses);
  loss.backward();
  for (const Value p : model.params) {
    p.node->data -= learning_rate * p.grad();
    p.node->grad = 0;
  }
  return loss.data();
}
