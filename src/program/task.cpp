// microgpt task: writes documents of a task that needs attention.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "base/python_random.h"
#include "base/task.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/options.h"

namespace microgpt {
namespace {

struct TaskOptions {
  std::string name;
  Task task;
  std::size_t num = 10000;
  std::string seed = "42";
  bool held_out = false;
};

void print_documents(const TaskOptions& options) {
  Task task = options.task;
  task.name = parse_task_name(options.name);
  PythonRandom random{std::string_view(options.seed)};
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
  Command command{.name = "task", .help = "Write documents of a task that needs attention, to train a model on."};
  command.footer =
      "Every document is a random word, =, and an answer:\n"
      "  copy           cbebhh=cbebhh\n"
      "  induction      fbdhacb=dha    what followed the last letter before; no other letter comes twice\n"
      "  reverse        cbebhh=hhbebc\n"
      "  most-frequent  cbebha=b       the letter that comes most often\n"
      "A document of --held-out is never among those written without it, whatever the seeds. Documents may repeat.\n"
      "Examples:\n"
      "  microgpt task copy > copy.txt\n"
      "  microgpt task copy --held-out --num 1000 > unseen.txt";
  add_text(command, "TASK", options->name, "NAME", "copy, induction, reverse or most-frequent").required = true;
  add_count(command, "--num", options->num, "documents to write [10000]");
  add_seed(command, options->seed);
  add_option(command, "--letters", "N", "letters that words are made of, at most 26 [8]",
             [options](const std::string& text) { options->task.letters = parse_count("--letters", text, 26); });
  add_option(command, "--length", "N", "letters in a word; in induction sometimes one more or less [6]",
             [options](const std::string& text) { options->task.length = parse_count("--length", text, 1000); });
  add_flag(command, "--held-out", options->held_out, "write documents to evaluate on instead of those to train on");
  command.run = [options] { print_documents(*options); };
  return command;
}

}  // namespace microgpt
