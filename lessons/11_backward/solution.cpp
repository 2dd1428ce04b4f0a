// Hint 1: Compute the weights again, with weights_of(). Then take one position t after the other. out[t] is a sum of
// weights[t][s] * v[s], so v[s] gets weights[t][s] * dout[t], and the weight gets dout[t] . v[s]. Everything that is
// used by several positions gets a share from each: += .
//
// Hint 2: Softmax hands back dscore[s] = weight[s] * (dweight[s] - mean), where mean is the sum of weight * dweight
// over the s of this t. The score is a sum of two things. The product q . k is divided by the root of D, so q[t] gets
// dscore[s] / root * k[s], and k[s] gets dscore[s] / root * q[t]. The bias is not divided: bias[t - s] gets dscore[s].

Head attention_backward(const Array& dout, const Head& a) {
  const std::size_t T = a.q.rows, D = a.q.cols;
  Head d{Array(T, D), Array(T, D), Array(T, D), Array(1, T)};
  const Array weights = weights_of(a);
  for (std::size_t t = 0; t < T; t++) {
    std::vector<double> dweights(t + 1);
    double mean = 0;
    for (std::size_t s = 0; s <= t; s++) {
      for (std::size_t j = 0; j < D; j++) {
        d.v[s][j] += weights[t][s] * dout[t][j];
        dweights[s] += dout[t][j] * a.v[s][j];
      }
      mean += weights[t][s] * dweights[s];
    }
    for (std::size_t s = 0; s <= t; s++) {
      const double dscore = weights[t][s] * (dweights[s] - mean);
      d.bias[0][t - s] += dscore;
      for (std::size_t j = 0; j < D; j++) {
        d.q[t][j] += dscore / std::sqrt(D) * a.k[s][j];
        d.k[s][j] += dscore / std::sqrt(D) * a.q[t][j];
      }
    }
  }
  return d;
}
