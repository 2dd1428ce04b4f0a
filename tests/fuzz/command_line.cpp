// Fuzzing the command line: the input's words, ended by zero bytes or line breaks, are parsed with the real options.
// The commands themselves do nothing.
#include "program/commands.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "seeds.h"

namespace microgpt {
namespace {

std::vector<Command> commands() {
  std::vector<Command> all = all_commands();
  for (Command& command : all) {
    command.run = [owner = command.run](const Options&) { (void)owner; };  // it also owns what the options set
  }
  return all;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(std::string_view("\0\n", 2));
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

/// A command with all its options.
std::string typed(const Command& command) {
  std::string text = command.name;
  for (const Option& option : command.options) {
    if (option.name.starts_with("-")) text += "\n" + option.name;
    const auto& [type, read, write, shown, choices] = option.binding;
    if (!type.empty()) text += "\n" + (choices.empty() ? "2" : choices.front());
  }
  return text;
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all{"", "--help", "--version", "no-such-command"};
  for (const Command& command : commands()) {
    all.push_back(typed(command));
    all.push_back(command.name + "\n--help");
    for (const Option& option : command.options) all.push_back(command.name + "\n" + option.name + "=1e9\n-1");
  }
  return all;
}

}  // namespace microgpt

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace microgpt;
  std::vector<std::string> words = words_of({reinterpret_cast<const char*>(data), size});
  words.insert(words.begin(), "microgpt");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  try {
    static std::vector<Command> all = commands();
    run(all, static_cast<int>(words.size()), argv.data());
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
