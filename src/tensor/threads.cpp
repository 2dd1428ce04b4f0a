#include "tensor/threads.h"

#ifdef _OPENMP
#include <algorithm>
#include <chrono>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace microgpt {

std::size_t startable_threads(std::size_t n) {
  static std::mutex one_at_a_time;
  static std::size_t tried = 1, started = 1;
  const std::lock_guard lock(one_at_a_time);
  if (n > tried) {
    tried = n;
    std::latch end(1);
    std::vector<std::thread> threads;
    try {
      while (threads.size() + 1 < n) threads.emplace_back([&end] { end.wait(); });
    } catch (const std::system_error&) {
    }
    end.count_down();
    for (std::thread& thread : threads) thread.join();
    started = std::max(started, threads.size() + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // for so long they may count as not yet ended
  }
  return std::min(n, started);
}

}  // namespace microgpt
#endif
