#include "base/task.h"

#include <string>

#include "base/error.h"

namespace microgpt {
namespace {

using Word = std::u32string;

Word alphabet(const Task& task) { return Word(U"abcdefghijklmnopqrstuvwxyz").substr(0, task.letters); }

Word draw_copy(const Task& task, PythonRandom& random) {
  const Word letters = alphabet(task);
  Word word;
  while (word.size() < task.length) word += letters[random.below(letters.size())];
  return word + U'=' + word;
}

Word draw_induction(const Task& task, PythonRandom& random) {
  const std::size_t length = task.length - 1 + random.below(3);
  const Word letters = alphabet(task);
  std::vector<char32_t> shuffled(letters.begin(), letters.end());
  random.shuffle(shuffled);
  const Word word(shuffled.begin(), shuffled.begin() + static_cast<std::ptrdiff_t>(length));
  const std::size_t answer_length = task.length / 2;
  const std::size_t repeated = random.below(length - answer_length);
  return word + word[repeated] + U'=' + word.substr(repeated + 1, answer_length);
}

}  // namespace

Part part_of(const Document& document) {
  // The last bits of this hash only mix the last bits of the letters; the first half mixes all of them.
  return (fingerprint({&document, 1}) >> 32) % 10 == 0 ? Part::held_out : Part::training;
}

Document draw_document(const Task& task, Part part, PythonRandom& random) {
  constexpr std::size_t enough = 100'000;  // a part that has documents has one among these, almost certainly
  for (std::size_t i = 0; i < enough; i++) {
    const Word document = task.name == TaskName::copy ? draw_copy(task, random) : draw_induction(task, random);
    if (part_of(document) == part) return keep(document);
  }
  throw Error("none of the few documents that this task has is in this part");
}

std::vector<Document> draw_documents(const Task& task, Part part, std::size_t n, PythonRandom& random) {
  std::vector<Document> documents;
  while (documents.size() < n) documents.push_back(draw_document(task, part, random));
  return documents;
}

}  // namespace microgpt
