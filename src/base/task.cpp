#include "base/task.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace microgpt {
namespace {

using Word = std::u32string;

Word alphabet(const Task& task) { return Word(U"abcdefghijklmnopqrstuvwxyz").substr(0, task.letters); }

Word draw_word(const Task& task, PythonRandom& random) {
  const Word letters = alphabet(task);
  Word word;
  while (word.size() < task.length) word += letters[random.below(letters.size())];
  return word;
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

/// The letters that come most often in a word.
Word most_frequent(const Task& task, const Word& word) {
  Word found;
  std::ptrdiff_t most = 0;
  for (const char32_t letter : alphabet(task)) {
    const std::ptrdiff_t times = std::count(word.begin(), word.end(), letter);
    if (times < most) continue;
    if (times > most) found.clear();
    most = times;
    found += letter;
  }
  return found;
}

/// A document of either part.
Word draw_any(const Task& task, PythonRandom& random) {
  if (task.name == TaskName::induction) return draw_induction(task, random);
  Word word = draw_word(task, random);
  if (task.name == TaskName::copy) return word + U'=' + word;
  if (task.name == TaskName::reverse) return word + U'=' + Word(word.rbegin(), word.rend());
  while (most_frequent(task, word).size() > 1) word = draw_word(task, random);
  return word + U'=' + most_frequent(task, word);
}

}  // namespace

void validate(const Task& task) {
  if (task.length == 0) throw UsageError("a word needs at least 1 letter");
  if (task.letters == 0 || task.letters > 26) {
    throw UsageError("an alphabet has 1 to 26 letters, not " + std::to_string(task.letters));
  }
  if (task.name != TaskName::induction) return;
  if (task.length < 3) throw UsageError("induction needs words of at least 3 letters");
  if (task.length >= task.letters) {
    throw UsageError("induction has words of up to " + std::to_string(task.length + 1) +
                     " different letters; the alphabet has only " + std::to_string(task.letters));
  }
}

Part part_of(const Document& document) {
  // The last bits of this hash only mix the last bits of the letters; the first half mixes all of them.
  return (fingerprint({&document, 1}) >> 32) % 10 == 0 ? Part::held_out : Part::training;
}

Document draw_document(const Task& task, Part part, PythonRandom& random) {
  constexpr std::size_t enough = 100'000;  // a part that has documents has one among these, almost certainly
  for (std::size_t i = 0; i < enough; i++) {
    const Word document = draw_any(task, random);
    if (part_of(document) == part) return keep(document);
  }
  throw UsageError(std::string("none of the few documents that this task has is ") +
                   (part == Part::held_out ? "held out" : "for training"));
}

std::vector<Document> draw_documents(const Task& task, Part part, std::size_t n, PythonRandom& random) {
  std::vector<Document> documents;
  while (documents.size() < n) documents.push_back(draw_document(task, part, random));
  return documents;
}

}  // namespace microgpt
