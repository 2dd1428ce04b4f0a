// What microgpt bench measures: how fast this machine trains, attends or samples.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

struct Subject {
  std::string what = "train";     // train, attention (alone, forward and backward), or sample
  std::string kernels = "fast";   // or naive, scalar (the scalar path, in double), or microgpt.py
  std::string attention = "mha";  // or mqa, gqa, mla: sampling on the tensor path, with choose_attention()'s sizes
  bool absorbed = true;           // mla only: see AttentionCache
  std::string dtype = "f32";      // or f64
  std::size_t n_embd = 16;        // C
  std::size_t n_head = 4;         // H; 1 is used if it does not divide n_embd
  std::size_t batch = 1;          // B
  std::size_t threads = 1;
  std::size_t length = 0;     // T, for attention alone and for sampling on the tensor path; the others use names
  std::string mask = "full";  // for attention alone
};

struct Effort {
  std::size_t rounds;  // their median counts
  std::size_t steps;   // per round; 0: as many as fit into `seconds`
  double seconds;
};

struct Measurement {
  Subject subject = {};
  double us_per_step = 0;  // median of the rounds
  double us_fastest = 0;   // in the best round
  double names_per_second = 0;
  double per_second = 0;  // tokens in sampling, otherwise names
  double gflops = 0;
  double peak_gflops = 0;  // of fused multiply-adds on the same number of threads
  double percent_of_peak = 0;
  double peak_rss_mib = 0;                // peak resident memory of the process during the measurement
  double percent_kept = 100;              // of the pairs that a full mask keeps
  std::size_t num_params = 0;             // in attention alone: none
  std::size_t cache_bytes_per_token = 0;  // in sampling on the tensor path
};

/// Trains or samples with these documents; attention alone needs none.
Measurement measure(Subject subject, const std::vector<Document>& documents, const Effort& effort);

}  // namespace microgpt
