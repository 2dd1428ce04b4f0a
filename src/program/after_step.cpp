#include "program/after_step.h"

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "program/print.h"

namespace microgpt {
namespace {

/// The text as one word for a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace

AfterStep::AfterStep(Run& run, const TrainOptions& options, std::function<void()> collect)
    : run_(run),
      options_(options),
      collect_(std::move(collect)),
      num_steps_(run.preset.train.num_steps),
      progress_(num_steps_, options.quiet) {
  if (options.save) interrupts_.emplace();
  if (!options.history) return;
  history_.emplace(run, options);
  if (history_->is_empty()) keep();
}

void AfterStep::operator()(std::size_t step, double loss) {
  run_.state.step = step;
  show(loss);
  if (history_ && history_->is_due(step, loss)) keep();
  if (!options_.save) return;
  const int signal = Interrupts::pending();
  if (signal != 0 || step == num_steps_ || step % options_.save_every.value_or(num_steps_) == 0) save();
  if (signal != 0) throw interrupted(signal);
}

void AfterStep::show(double loss) {
  const std::string digits = options_.digits == "17" ? all_digits(loss) : fmt::format("{:.4f}", loss);
  const std::size_t step = run_.state.step;
  try {
    progress_.show(step, fmt::format("step {:4} / {:4} | loss {}", step, num_steps_, digits));
    flush_output();
  } catch (const std::system_error& error) {
    if (options_.save) save();
    if (options_.save && error.code().value() == EPIPE) throw interrupted(SIGPIPE);
    throw;
  }
}

void AfterStep::save() {
  collect_();
  save_checkpoint(*options_.save, run_.preset.model, run_.start.tokenizer, run_.parameters, run_.state);
}

void AfterStep::keep() {
  collect_();
  try {
    history_->keep();
  } catch (const Error&) {  // a full disk, for instance
    if (options_.save && run_.state.step > 0) save();
    throw;
  }
}

Interrupted AfterStep::interrupted(int signal) const {
  const std::string again = fmt::format("go on with: microgpt train --resume {}", quoted(*options_.save));
  std::string others = options_.save_every ? fmt::format(" --save-every {}", *options_.save_every) : "";
  if (options_.history) others += " --history " + quoted(*options_.history);
  if (options_.every) others += fmt::format(" --every {}", *options_.every);
  const std::string next = run_.state.step == num_steps_ ? "it was the last" : again + others;
  return {signal, fmt::format("stopped and saved after step {} of {}; {}", run_.state.step, num_steps_, next)};
}

}  // namespace microgpt
