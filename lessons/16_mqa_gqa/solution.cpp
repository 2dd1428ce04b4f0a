// Hint 1: Query head h reads head g = h / (H / G): numbers h D to h D + D - 1 of q, but g D to g D + D - 1 of k and v.
// D is q.cols / H. For each t and h: the scores of s = 0 to t, softmax(), and the mixture of the values.
//
// Hint 2: On the way back, for each t and h again: compute the weights anew. Then dweight[s] = dout . v[s], and v[s]
// gets weight[s] * dout. dscore[s] = weight[s] * (dweight[s] - mean), where mean = sum of weight * dweight, and is
// divided by the root of D. q gets dscore[s] * k[s], and k[s] gets dscore[s] * q. A shared key has several readers, so
// write += .

/// The weights that query head h at position t gives to the positions 0 to t of head g.
std::vector<double> weights_of(const Qkv& a, std::size_t t, std::size_t h, std::size_t g, std::size_t D) {
  std::vector<double> scores;
  for (std::size_t s = 0; s <= t; s++) {
    double score = 0;
    for (std::size_t j = 0; j < D; j++) score += a.q[t][h * D + j] * a.k[s][g * D + j];
    scores.push_back(score / std::sqrt(D));
  }
  return softmax(scores);
}

Array gqa(const Qkv& a, std::size_t H, std::size_t G) {
  const std::size_t D = a.q.cols / H;
  Array out(a.q.rows, a.q.cols);
  for (std::size_t t = 0; t < a.q.rows; t++) {
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t g = h / (H / G);
      const std::vector<double> weights = weights_of(a, t, h, g, D);
      for (std::size_t s = 0; s <= t; s++) {
        for (std::size_t j = 0; j < D; j++) out[t][h * D + j] += weights[s] * a.v[s][g * D + j];
      }
    }
  }
  return out;
}

Qkv gqa_backward(const Array& dout, const Qkv& a, std::size_t H, std::size_t G) {
  const std::size_t D = a.q.cols / H;
  Qkv d{Array(a.q.rows, a.q.cols), Array(a.k.rows, a.k.cols), Array(a.v.rows, a.v.cols)};
  for (std::size_t t = 0; t < a.q.rows; t++) {
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t g = h / (H / G);
      const std::vector<double> weights = weights_of(a, t, h, g, D);
      std::vector<double> dweights(t + 1);
      double mean = 0;
      for (std::size_t s = 0; s <= t; s++) {
        for (std::size_t j = 0; j < D; j++) {
          dweights[s] += dout[t][h * D + j] * a.v[s][g * D + j];
          d.v[s][g * D + j] += weights[s] * dout[t][h * D + j];
        }
        mean += weights[s] * dweights[s];
      }
      for (std::size_t s = 0; s <= t; s++) {
        const double dscore = weights[s] * (dweights[s] - mean) / std::sqrt(D);
        for (std::size_t j = 0; j < D; j++) {
          d.q[t][h * D + j] += dscore * a.k[s][g * D + j];
          d.k[s][g * D + j] += dscore * a.q[t][h * D + j];
        }
      }
    }
  }
  return d;
}
