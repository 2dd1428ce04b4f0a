#include "seeds.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/replace_file.h"

namespace microgpt {

void wrong(const std::string& what) {
  std::fprintf(stderr, "WRONG: %s\n", what.c_str());
  std::abort();
}

}  // namespace microgpt

/// libFuzzer calls this once, before everything else.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const folder = std::getenv("SEEDS");
  if (folder == nullptr) return 0;
  const std::vector<std::string> all = microgpt::seeds();
  for (std::size_t i = 0; i < all.size(); i++) {
    microgpt::replace_file(std::string(folder) + "/seed-" + std::to_string(i), all[i]);
  }
  std::exit(0);
}
