// microgpt task: writes documents of a task that needs attention.
#include <memory>

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

}  // namespace

Command task_command() {
  auto options = std::make_shared<TaskOptions>();
  const Binding name = choice(options->task.name, {{"copy", TaskName::copy}, {"induction", TaskName::induction}});
  return {
      "task",
      "Write documents of a task that needs attention, to train a model on.",
      "Every document is a random word, =, and an answer:\n"
      "  copy       cbebhh=cbebhh\n"
      "  induction  fbdhacb=dha    what followed the last letter before; no other letter comes twice\n"
      "A document of --held-out is never among those written without it, whatever the seeds. Documents may repeat.\n"
      "Examples:\n"
      "  microgpt task copy > copy.txt\n"
      "  microgpt task copy --held-out --num 1000 > unseen.txt",
      {{.name = "TASK", .help = "copy or induction", .binding = name, .required = true},
       {"--num", "documents to write", count(options->num)},
       seed_option(options->seed),
       {"--held-out", "write documents to evaluate on instead of those to train on", flag(options->held_out)}},
      [options](const Options&) {
        PythonRandom random(options->seed);
        const Part part = options->held_out ? Part::held_out : Part::training;
        for (std::size_t i = 0; i < options->num; i++) {
          fmt::print("{}\n", encode_utf8(draw_document(options->task, part, random)));
        }
      }};
}

}  // namespace microgpt
