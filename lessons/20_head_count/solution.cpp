// The solved functions of exercise.cpp.

Config sizes_of(const Parameters& parameters) {
  Config config{.vocab_size = parameters["wte"].rows, .n_layer = 0, .n_embd = parameters["wte"].cols};
  config.block_size = parameters["wpe"].rows;
  for (const Parameter& matrix : parameters.matrices()) config.n_layer += matrix.name.ends_with("attn_wo") ? 1 : 0;
  return config;
}

std::vector<Config> possible_configs(const Parameters& parameters) {
  const std::size_t queries = parameters["layer0.attn_wq"].rows, keys = parameters["layer0.attn_wk"].rows;
  std::vector<Config> all;
  for (std::size_t D = keys; D > 0; D--) {
    if (keys % D != 0) continue;
    Config config = sizes_of(parameters);
    config.n_head = queries / D;
    config.n_kv_head = keys / D;
    all.push_back(config);
  }
  return all;
}

Config config_of(const Parameters& parameters, LossOf loss_of) {
  Config best;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Config& config : possible_configs(parameters)) {
    const double loss = loss_of(config, parameters);
    if (loss < lowest) best = config;
    lowest = std::min(lowest, loss);
  }
  return best;
}
