// The program: microgpt train, train-fast, sample, eval, inspect, kv, bench.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/error.h"
#include "program/command_line.h"
#include "program/commands.h"
#include "program/print.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

Program microgpt() {
  return {.name = "microgpt",
          .version = "0.2.0",
          .help = "microgpt: train a small GPT, one scalar at a time, and watch it learn.",
          .footer = "Start with `microgpt train`. `microgpt COMMAND --help` explains a command and its options.",
          .commands = {train_command(), train_fast_command(), sample_command(), eval_command(), inspect_command(),
                       kv_command(), bench_command()}};
}

bool is_control(unsigned char c) { return c < ' ' || c == 0x7f; }

}  // namespace
}  // namespace microgpt

int main(int argc, char** argv) {
  auto fail = [](std::string message, int code) {
    std::replace_if(message.begin(), message.end(), microgpt::is_control,
                    '?');  // keeps it one line, even if a file name has a line break
    std::fflush(stdout);
    fmt::print(stderr, "microgpt: {}\n", message);
    return code;
  };
  try {
    microgpt::run(microgpt::microgpt(), argc, argv);
    microgpt::flush_output();
    return 0;
  } catch (const microgpt::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const microgpt::Diverged& error) {
    return fail(std::string(error.what()) + ", try a smaller --lr", 1);
  } catch (const microgpt::ModelFileError& error) {
    return fail(std::string(error.what()) + "; make one with 'microgpt train --save FILE'", 1);
  } catch (const std::system_error& error) {  // from fmt::print; files throw Error
    return fail("cannot write to standard output: " + error.code().message(), 1);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; choose a smaller shape", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
