// How fast training, attention and sampling are, compared with the processor's peak, and how much memory they take.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/dataset.h"

namespace microgpt {

/// What to measure.
struct Subject {
  std::string what = "train";     // train, attention (alone, forward and backward), or sample
  std::string kernels = "fast";   // or naive, or scalar: the scalar path, in double
  std::string attention = "mha";  // or mqa, gqa, mla: sampling on the tensor path, with choose_attention()'s sizes
  bool absorbed = true;           // mla only: see AttentionCache
  std::string dtype = "f32";      // or f64
  std::size_t n_embd = 16;        // C
  std::size_t n_head = 4;         // H; 1 is used if it does not divide n_embd
  std::size_t batch = 1;          // B
  std::size_t threads = 1;
  std::size_t length = 0;     // T, for attention alone; the others use the documents
  std::string mask = "full";  // for attention alone, as parse_mask_pattern reads it
};

/// How long to measure.
struct Effort {
  std::size_t rounds = 5;  // their median counts
  std::size_t steps = 0;   // per round; 0: as many as fit into `seconds`
  double seconds = 0.1;
};

struct Measurement {
  Subject subject = {};
  std::size_t num_params = 0;
  double us_per_step = 0;                 // median of the rounds; in sampling a step is one token
  double us_fastest = 0;                  // in the best round
  double per_second = 0;                  // documents (train, attention), or tokens (sample)
  std::size_t cache_bytes_per_token = 0;  // in sampling on the tensor path
  /// Training: 6 * multiplied weights * positions, plus 12 * C * pairs that attention keeps (4 of them forward).
  /// Sampling: 2 instead of 6, and 4 instead of 12 for MHA. MLA takes more per pair; expanded, it also computes keys
  /// and values again for every pair.
  double gflops = 0;
  double peak_gflops = 0;  // of fused multiply-adds on the same number of threads
  double percent_of_peak = 0;
  double percent_kept = 100;  // of the pairs that a full mask keeps
  double peak_rss_mib = 0;    // peak resident memory of the process during the measurement
};

/// Throws UsageError if the shape is not valid.
Measurement measure(Subject subject, std::span<const Document> documents, const Effort& effort);

}  // namespace microgpt
