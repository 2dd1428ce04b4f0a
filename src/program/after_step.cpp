#include "program/after_step.h"

#include <fmt/format.h>

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

AfterStep::AfterStep(Run& run, std::function<void()> collect)
    : run_(run),
      options_(run.options),
      collect_(std::move(collect)),
      num_steps_(options_.preset.train.num_steps),
      progress_(num_steps_, options_.quiet) {
  if (options_.save) {
    interrupts_.emplace();
    file_.emplace(*run.options.save);
  }
}

void AfterStep::operator()(std::size_t step, double loss) {
  run_.state.step = step;
  if (options_.plot) run_.losses.push_back(loss);
  show(loss);
  if (!options_.save) return;
  const int signal = Interrupts::pending();
  const bool is_last = signal != 0 || step == num_steps_;
  if (is_last || step % options_.save_every.value_or(num_steps_) == 0) save(is_last);
  if (signal != 0) throw interrupted(signal);
}

void AfterStep::give_up() {
  save(true);
  throw interrupted(Interrupts::pending());
}

void AfterStep::show(double loss) {
  const std::string digits = options_.all_digits ? all_digits(loss) : fmt::format("{:.4f}", loss);
  const std::size_t step = run_.state.step;
  try {
    progress_.show(step, fmt::format("step {:4} / {:4} | loss {}", step, num_steps_, digits));
    flush_output();
  } catch (const std::system_error& error) {
    if (options_.save) save(true);
    if (options_.save && error.code().value() == EPIPE) throw interrupted(SIGPIPE);
    throw;
  }
}

void AfterStep::save(bool is_last) {
  collect_();
  try {
    file_->save([this] {
      save_checkpoint(*options_.save, options_.preset.model, run_.start.tokenizer, run_.parameters, run_.state);
    });
    save_failed_ = false;
  } catch (const Diverged&) {
    throw;
  } catch (const Error& error) {
    if (is_last) throw;
    if (!std::exchange(save_failed_, true)) tell(fmt::format("{}; training goes on", error.what()));
  }
}

Interrupted AfterStep::interrupted(int signal) const {
  const std::string again = fmt::format("go on with: microgpt train --resume {}", quoted(*options_.save));
  const std::string others = options_.save_every ? fmt::format(" --save-every {}", *options_.save_every) : "";
  const std::string next = run_.state.step == num_steps_ ? "it was the last" : again + others;
  return {signal, fmt::format("stopped and saved after step {} of {}; {}", run_.state.step, num_steps_, next)};
}

}  // namespace microgpt
