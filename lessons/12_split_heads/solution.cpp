// Hint 1: For split(), write down where number j of head h at position t of document b is before,
// ((b T + t) H + h) D + j, and where it is to go, ((b H + h) T + t) D + j. Only t and h change places. So reshape to
// four dimensions first, then transpose two of them. merge() does the same two things, in the opposite order.
//
// Hint 2: For attend(), loop over b, h and t. Collect the scores q . k / root of D for all s (causal: s = 0 to t), take
// softmax() of them, and add weight * v for each s. The keys of a head begin at row (b H + h) M. attention() is one
// line: split() what linear() makes of x with W_Q, W_K and W_V, attend, merge, and linear() with W_O.

NdArray split(const NdArray& x, std::size_t H) {
  const std::size_t B = x.shape[0], T = x.shape[1], C = x.shape[2];
  return transpose(reshape(x, {B, T, H, C / H}), 1, 2);
}

NdArray attend(const NdArray& q, const NdArray& k, const NdArray& v, bool causal) {
  const std::size_t B = q.shape[0], H = q.shape[1], T = q.shape[2], D = q.shape[3], M = k.shape[2], E = v.shape[3];
  NdArray out{{B, H, T, E}, std::vector<double>(B * H * T * E)};
  for (std::size_t i = 0; i < B * H * T; i++) {  // each query of each head of each document
    const std::size_t first = i / T * M;         // the row of its first key
    const std::size_t seen = causal ? i % T + 1 : M;
    std::vector<double> weights;
    for (std::size_t s = 0; s < seen; s++) {
      double score = 0;
      for (std::size_t j = 0; j < D; j++) score += q.numbers[i * D + j] * k.numbers[(first + s) * D + j];
      weights.push_back(score / std::sqrt(D));
    }
    weights = softmax(weights);
    for (std::size_t s = 0; s < seen; s++) {
      for (std::size_t j = 0; j < E; j++) out.numbers[i * E + j] += weights[s] * v.numbers[(first + s) * E + j];
    }
  }
  return out;
}

NdArray merge(const NdArray& x) {
  const std::size_t B = x.shape[0], H = x.shape[1], T = x.shape[2], D = x.shape[3];
  return reshape(transpose(x, 1, 2), {B, T, H * D});
}

NdArray attention(const NdArray& x, const Weights& w, std::size_t H, bool causal) {
  const NdArray q = split(linear(x, w.q), H), k = split(linear(x, w.k), H), v = split(linear(x, w.v), H);
  return linear(merge(attend(q, k, v, causal)), w.o);
}
