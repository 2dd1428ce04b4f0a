// Hint 1: What may two threads not share? The scratch, since each look writes weights into it, and a sum, since each
// look adds to it. What is declared inside a parallel loop belongs to one thread. And if a thread has all heads of a
// name, it owns that name's sum. For sum(), where the numbers are cut must not depend on the number of threads.
//
// Hint 2: #pragma omp parallel for   stands directly above the loop over names, and the Scratch inside that loop. For
// sum(), make a vector with a place for the sum of each block, let threads share the blocks, and add the places up
// behind the loop, on one thread.

void look_everywhere(const Batch& a, std::vector<float>& out, std::vector<Sum>& sums) {
#pragma omp parallel for
  for (std::size_t b = 0; b < B; b++) {
    Scratch scratch;
    for (std::size_t h = 0; h < H; h++) sums[b] += look(a, b, h, scratch, out);
  }
}

float sum(const std::vector<float>& x) {
  std::vector<float> blocks((x.size() + 63) / 64);
#pragma omp parallel for
  for (std::size_t block = 0; block < blocks.size(); block++) {
    const std::size_t end = std::min(x.size(), block * 64 + 64);
    for (std::size_t i = block * 64; i < end; i++) blocks[block] += x[i];
  }
  return std::accumulate(blocks.begin(), blocks.end(), 0.0F);
}
