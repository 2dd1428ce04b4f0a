// How fast training, attention and sampling are, against what the processor could do, and how much memory they take.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/dataset.h"

namespace microgpt {

/// What is measured.
struct Subject {
  std::string what = "train";     // train, attention (alone, forward and backward), or sample
  std::string engine = "tensor";  // or scalar
  std::string kernels = "fast";   // or naive
  std::string attention = "mha";  // or, in sampling on the tensor path: mqa, gqa or mla, in choose_attention()'s sizes
  bool absorbed = true;           // of mla: see AttentionCache
  std::string dtype = "f32";      // or f64
  std::size_t n_embd = 16;        // C
  std::size_t n_head = 4;         // H; 1 where it does not divide n_embd
  std::size_t batch = 1;          // B
  std::size_t threads = 1;
  std::size_t length = 0;     // T of attention alone; the others work on documents as they come
  std::string mask = "full";  // of attention alone: as parse_mask_pattern reads it
};

/// How long to measure.
struct Effort {
  std::size_t rounds = 5;  // their median counts
  std::size_t steps = 0;   // in a round; 0: as many as take `seconds`
  double seconds = 0.1;
};

struct Measurement {
  Subject subject;
  std::size_t num_params = 0;
  double us_per_step = 0;                 // the median of the rounds; a step of sampling is a token
  double us_fastest = 0;                  // of the best round
  double per_second = 0;                  // documents (train, attention), or tokens (sample)
  std::size_t cache_bytes_per_token = 0;  // of sampling on the tensor path
  /// 6 * multiplied weights * positions, and 12 * C * pairs that attention keeps (4 forward). In sampling 2 and, of
  /// MHA, 4: MLA's pairs take more, and if it is not absorbed, keys and values are multiplied anew for every pair.
  double gflops = 0;
  double peak_gflops = 0;  // of fused multiply-adds on as many threads
  double percent_of_peak = 0;
  double percent_kept = 100;  // of the pairs of positions that a full mask keeps
  double peak_rss_mib = 0;    // most memory the process had resident meanwhile
};

/// Throws UsageError for a shape that cannot be.
Measurement measure(const Subject& subject, std::span<const Document> documents, const Effort& effort);

}  // namespace microgpt
