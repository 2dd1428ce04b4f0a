Value batch_loss(const Mlp& model, std::span<const Name> batch) {
  return mean(Values(batch.size(), [&](std::size_t i) { return document_loss(model, batch[i]); }));
}
