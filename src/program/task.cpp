// microgpt task: writes documents of a task that needs attention.
#include <memory>

#include "base/error.h"
#include "base/python_random.h"
#include "base/task.h"
#include "base/utf8.h"
#include "program/commands.h"

namespace microgpt {
namespace {

struct TaskOptions {
  Task task;
  std::size_t num = 10000;
  std::uint64_t seed = 42;
  bool held_out = false;
};

void print_documents(const TaskOptions& options) {
  const Task& task = options.task;
  PythonRandom random(options.seed);
  try {
    validate(task);
    for (std::size_t i = 0; i < options.num; i++) {
      fmt::print("{}\n", encode_utf8(draw_document(task, options.held_out ? Part::held_out : Part::training, random)));
    }
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}; choose another --length or --letters", error.what()));
  }
}

}  // namespace

Command task_command() {
  auto options = std::make_shared<TaskOptions>();
  using enum TaskName;
  const Binding name =
      choice(options->task.name,
             {{"copy", copy}, {"induction", induction}, {"reverse", reverse}, {"most-frequent", most_frequent}});
  return {
      "task",
      "Write documents of a task that needs attention, to train a model on.",
      "Every document is a random word, =, and an answer:\n"
      "  copy           cbebhh=cbebhh\n"
      "  induction      fbdhacb=dha    what followed the last letter before; no other letter comes twice\n"
      "  reverse        cbebhh=hhbebc\n"
      "  most-frequent  cbebha=b       the letter that comes most often\n"
      "A document of --held-out is never among those written without it, whatever the seeds. Documents may repeat.\n"
      "Examples:\n"
      "  microgpt task copy > copy.txt\n"
      "  microgpt task copy --held-out --num 1000 > unseen.txt",
      {{.name = "TASK", .help = "copy, induction, reverse or most-frequent", .binding = name, .required = true},
       {"--num", "documents to write", count(options->num)},
       seed_option(options->seed),
       {"--letters", "letters that words are made of, at most 26", count(options->task.letters, 26)},
       {"--length", "letters in a word; in induction sometimes one more or less", count(options->task.length, 1000)},
       {"--held-out", "write documents to evaluate on instead of those to train on", flag(options->held_out)}},
      [options](const Options&) { print_documents(*options); }};
}

}  // namespace microgpt
