#include "base/task.h"

#include <doctest/doctest.h>

#include <set>

#include "base/utf8.h"

namespace microgpt {
namespace {

std::vector<Document> drawn(const Task& task, Part part, std::size_t n, std::uint64_t seed) {
  PythonRandom random(seed);
  return draw_documents(task, part, n, random);
}

// The documents below were drawn by CPython 3.11 with random.choice, or random.randrange and random.shuffle, and sorted
// into parts by FNV-1a written anew.
TEST_CASE("words are those that CPython draws, and the parts always the same") {
  auto text = [](const Task& task, Part part, std::uint64_t seed) {
    std::string all;
    for (const Document& document : drawn(task, part, 3, seed)) all += encode_utf8(document) + " ";
    return all;
  };
  using enum TaskName;
  using enum Part;
  CHECK(text({copy}, training, 1) == "cbebhh=cbebhh hgdbha=hgdbha ggahed=ggahed ");
  CHECK(text({copy}, held_out, 1) == "bcgfha=bcgfha haedeb=haedeb eceehf=eceehf ");
  CHECK(text({copy, 5, 26}, training, 7) == "kemub=kemub bqgbc=bqgbc rnbsd=rnbsd ");
  CHECK(text({copy, 5, 26}, held_out, 7) == "crdls=crdls nnchc=nnchc erdsj=erdsj ");
  CHECK(text({induction}, training, 1) == "ebcgfb=cgf bghfcaeb=ghf ecgbafg=baf ");
  CHECK(text({induction}, held_out, 1) == "fghedf=ghe dgeacfha=cfh abfhegca=bfh ");
  CHECK(text({induction, 5, 26}, training, 7) == "jfvihv=ih zolxgvx=gv cugdyau=gd ");
  CHECK(text({induction, 5, 26}, held_out, 7) == "zwyqiy=qi ewsrajw=sr jvukfek=fe ");
}

TEST_CASE("no held-out document is ever drawn for training, whatever the seeds and numbers") {
  for (const TaskName name : {TaskName::copy, TaskName::induction}) {
    const Task task{name, 3, 4};  // so few documents that every one of them is drawn
    std::set<Document> training, held_out;
    for (const std::uint64_t seed : {1, 2, 3}) {
      for (const Document& document : drawn(task, Part::training, 1000 * seed, seed)) training.insert(document);
      for (const Document& document : drawn(task, Part::held_out, 500, seed)) held_out.insert(document);
    }
    for (const Document& document : held_out) CHECK_MESSAGE(!training.contains(document), encode_utf8(document));
    CHECK(!held_out.empty());
  }
}

}  // namespace
}  // namespace microgpt
