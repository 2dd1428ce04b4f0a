// Tasks that need attention, so that heads can be watched at work. A document is a random word, "=", and an answer that
// follows from the word: a perfect model predicts every letter of the answer, and can only guess those of the word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/dataset.h"
#include "base/python_random.h"

namespace microgpt {

enum class TaskName : std::uint8_t {
  copy,      // cbebhh=cbebhh
  induction  // fbdhacb=dha: different letters, then one of them again, and what followed it before. Words differ in
             // length, so neither a position nor a distance tells where to look; only the letter just read does.
};

struct Task {
  TaskName name = TaskName::copy;
  std::size_t length = 6;   // letters in a word; in induction sometimes one more or less, and half as many to answer
  std::size_t letters = 8;  // letters in the alphabet, from a on; at most 26; in induction more than in a word
};

/// A document is for training or it is held out, whatever the seed and the number of documents. About a tenth of those
/// that a task has are held out.
enum class Part : std::uint8_t { training, held_out };

Part part_of(const Document& document);

/// The next document of this part; the same may come again. Letters are drawn as Python's random.choice() does, or, if
/// they must differ, taken from the front of the alphabet after a random.shuffle(). Throws Error if the part seems to
/// have no document at all, because the task has only a few.
Document draw_document(const Task& task, Part part, PythonRandom& random);

std::vector<Document> draw_documents(const Task& task, Part part, std::size_t n, PythonRandom& random);

}  // namespace microgpt
