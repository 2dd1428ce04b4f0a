// Prose that cannot lie: compares what a README quotes with what really happens.
//
//   check_readme README.md lessons/*/README.md      from the project's root
//
//   ```sh                       commands: their targets and files must exist
//   ```text                     output: in a lesson, of expected.txt; elsewhere of the last command of the sh block
//                               before it in the same section, whose commands are run for it
//   ```text timings             the same, whatever the numbers are; a dash stands for one that there is not
//   ```text lessons/FILE        lines of that file
//   ```diff BREAK=idea          output of make lesson-NN BREAK=idea; every patch in break/ needs such a block
//   ```text make exercise-NN    output of that command, or of any other of make
//   ```cpp                      lines of one source file, indentation aside
//   ```gdb                      checked elsewhere
//
// The lines of a block must stand one after the other; a line ... passes over any number of lines. In prose, every
// number with a decimal point or three digits must stand in a block, in the output, or in the lesson's code or
// Makefile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Change = std::string (*)(const std::string&);  // of a line, before it is compared

std::string without_end(const std::string& line) { return line.substr(0, line.find_last_not_of(" \t\r") + 1); }
std::string without_indentation(const std::string& line) {
  return without_end(line.substr(std::min(line.size(), line.find_first_not_of(" \t"))));
}
/// "72.5  4,192   3 ms   -" -> "# # # #"
std::string without_numbers(const std::string& line) {
  static const std::regex number("[0-9]+([.,][0-9]+)*( ?(ns|µs|ms|s)\\b)?|-(?= |$)");
  static const std::regex spaces(" +");
  return without_indentation(std::regex_replace(std::regex_replace(line, number, "#"), spaces, " "));
}

Lines split(const std::string& text, Change change = without_end) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(change(line));
  return lines;
}

// --- Commands --------------------------------------------------------------------------------------------------------

struct Output {
  std::string text;  // standard output and standard error
  bool success;
};

/// Runs a command, but each only once.
const Output& output_of(const std::string& command) {
  static std::map<std::string, Output> known;
  const auto [found, is_new] = known.try_emplace(command);
  if (!is_new) return found->second;
  std::FILE* pipe = ::popen(("(" + command + ") 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) throw Error("cannot run " + command);
  std::array<char, 4096> bytes{};
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    found->second.text.append(bytes.data(), count);
  }
  found->second.success = ::pclose(pipe) == 0;
  return found->second;
}

/// build/debug/... is made with MODE=debug.
std::string mode_of(const std::string& path) {
  const bool is_built = path.starts_with("build/") && !path.starts_with("build/pictures/");
  return is_built ? "MODE=" + path.substr(6, path.find('/', 6) - 6) + " " : "";
}

/// Could make make this? make lesson-NN it can as well, but that only says that there is no such lesson.
bool can_be_made(const std::string& targets) {
  const Output& plan = output_of("make -n " + targets);
  return plan.success && plan.text.find("there is no ") == std::string::npos;
}

/// What does not exist of a command, a target or a file that it reads; empty if all is well.
std::string missing(const std::string& command) {
  static const std::regex path("(src|lessons|data|tests|build/(release|debug|asan))/.*");
  if (command.starts_with("make ") && !can_be_made(command.substr(5))) return "such target";
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    const bool breaks = word.starts_with("BREAK=");
    if (breaks && output_of(command).text.find("there is no such break") != std::string::npos) return word;
    if (std::regex_match(word, path) && !fs::exists(word) && !can_be_made(mode_of(word) + word)) return word;
  }
  return "";
}

/// The command without what needs a network; empty if nothing is left that can be run here.
std::string runnable(const std::string& command) {
  const std::string offline = without_end(std::regex_replace(command, std::regex(" (setup|names)\\b"), ""));
  if (offline == "make" && command != "make") return "";
  return command.starts_with("make") || !mode_of(command).empty() ? offline : "";
}

// --- A README --------------------------------------------------------------------------------------------------------

struct Block {
  std::string info;      // what stands behind the ```
  std::size_t line = 0;  // of the README, where it begins
  std::size_t section = 0;
  Lines lines;
};

struct Readme {
  std::vector<Block> blocks;
  std::vector<std::pair<std::size_t, std::string>> prose;  // line number, text
  bool closed = true;
};

/// Prose is what is neither a block, nor a comment, nor where a link leads.
Readme parse(const std::string& text) {
  Readme readme;
  std::size_t section = 0;
  std::size_t number = 0;
  bool comment = false;
  for (const std::string& line : split(text)) {
    number++;
    const std::string begin = without_indentation(line);
    if (begin.starts_with("```")) {
      if (readme.closed) readme.blocks.push_back({begin.substr(3), number, section, {}});
      readme.closed = !readme.closed;
    } else if (!readme.closed) {
      readme.blocks.back().lines.push_back(line);
    } else {
      section += line.starts_with("#") ? 1 : 0;
      comment = comment || line.find("<!--") != std::string::npos;
      const std::string links = std::regex_replace(line, std::regex("\\]\\([^)]*\\)|https?://[^ )>]*"), "] ");
      if (!comment) readme.prose.emplace_back(number, links);
      comment = comment && line.find("-->") == std::string::npos;
    }
  }
  return readme;
}

/// The commands of a sh block, without comments.
Lines commands(const Block& block) {
  Lines found;
  for (const std::string& line : block.lines) {
    const std::string command = without_end(line.substr(0, line.find('#')));
    if (!command.empty()) found.push_back(command);
  }
  return found;
}

/// Numbers as they are written, but 4,192 and 4'192 as 4192. Digits in a name, like layer0, are not a number.
std::vector<std::string> numbers(const std::string& text) {
  static const std::regex number("(^|[^0-9A-Za-z_.])([0-9]{1,3}([,'][0-9]{3})+|[0-9]+)(\\.[0-9]+)?(?![0-9])");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), number); match != std::sregex_iterator(); ++match) {
    std::string digits = match->str(2) + match->str(4);
    std::erase_if(digits, [](char c) { return c == ',' || c == '\''; });
    found.push_back(digits);
  }
  return found;
}

class Checker {
 public:
  explicit Checker(std::string path) : path_(std::move(path)), readme_(parse(read_file(path_))) {
    const fs::path directory = fs::path(path_).parent_path();
    if (fs::exists(directory / "expected.txt")) {
      const std::string name = directory.filename().string();
      lesson_ = name.substr(0, name.find('_'));
      expected_ = read_file(directory / "expected.txt");
      know(expected_);
      for (const auto& file : fs::directory_iterator(directory)) {
        const std::string extension = file.path().extension().string();
        if (extension == ".cpp" || extension == ".h") know(read_file(file.path()));
      }
      sources_ = {directory, "src"};
    } else {
      know(read_file("Makefile"));
    }
  }

  /// Prints what is wrong, and returns how much that is.
  int check() {
    for (const Block& block : readme_.blocks) check(block);
    check_breaks();
    for (const auto& [line, text] : readme_.prose) check_numbers(line, text);
    if (!readme_.closed) complain(readme_.blocks.back().line, "this block does not end");
    fmt::print("{}: {} blocks, {} numbers in prose, {} wrong\n", path_, readme_.blocks.size(), numbers_, errors_);
    return errors_;
  }

 private:
  void complain(std::size_t line, const std::string& message) {
    errors_++;
    fmt::print(stderr, "{}:{}: {}\n", path_, line, message);
  }

  void know(std::string text) {
    for (const std::string& number : numbers(text)) known_.insert(number);
    std::replace(text.begin(), text.end(), ',', ' ');  // in [100,200] the comma parts two numbers
    for (const std::string& number : numbers(text)) known_.insert(number);
  }

  void check(const Block& block) {
    for (const std::string& line : block.lines) know(line);
    if (block.info == "sh") {
      last_sh_ = &block;
      for (const std::string& command : commands(block)) {
        const std::string what = missing(command);
        if (!what.empty()) complain(block.line, fmt::format("`{}`: there is no {}", command, what));
      }
    } else if (block.info == "cpp") {
      check_source(block);
    } else if (block.info == "text" && !lesson_.empty()) {
      compare(block, expected_, "expected.txt");
    } else if (block.info == "text" || block.info == "text timings") {
      check_last_command(block, block.info == "text" ? without_end : without_numbers);
    } else if (block.info.starts_with("diff BREAK=") && !lesson_.empty()) {
      breaks_shown_.insert(block.info.substr(11));
      check_output(block, "make lesson-" + lesson_ + block.info.substr(4));
    } else if (block.info.starts_with("text lessons/")) {
      const std::string file = block.info.substr(5), text = read_file(file);
      know(text);
      compare(block, text, file);
    } else if (block.info.starts_with("text make ")) {
      check_output(block, block.info.substr(5));
    } else if (block.info != "gdb") {
      complain(block.line, fmt::format("a block of kind '{}' cannot be checked", block.info));
    }
  }

  void check_breaks() {
    const fs::path directory = fs::path(path_).parent_path() / "break";
    if (lesson_.empty() || !fs::exists(directory)) return;
    for (const auto& file : fs::directory_iterator(directory)) {
      const std::string idea = file.path().stem().string();
      if (!breaks_shown_.contains(idea)) complain(1, fmt::format("no block shows what BREAK={} does", idea));
    }
  }

  void check_output(const Block& block, const std::string& command, Change change = without_end) {
    if (!output_of(command).success && block.info.starts_with("diff")) return complain(block.line, command + " fails");
    know(output_of(command).text);
    compare(block, output_of(command).text, "the output of " + command, change);
  }

  void check_last_command(const Block& block, Change change) {
    if (last_sh_ == nullptr || last_sh_->section != block.section || commands(*last_sh_).empty()) {
      return complain(block.line, "no sh block before it in this section says which command prints this");
    }
    std::string last;
    for (const std::string& command : commands(*last_sh_)) {
      last = runnable(command);
      if (!mode_of(last).empty()) output_of("make " + mode_of(last) + last.substr(0, last.find(' ')));
      if (!last.empty() && !output_of(last).success) complain(last_sh_->line, "`" + command + "` fails");
    }
    if (last.empty()) return complain(block.line, "the output of this command cannot be had here");
    check_output(block, last, change);
  }

  void check_source(const Block& block) {
    for (const fs::path& directory : sources_) {
      for (const auto& file : fs::recursive_directory_iterator(directory)) {
        const std::string extension = file.path().extension().string();
        if (extension != ".h" && extension != ".cpp") continue;
        if (difference(block, read_file(file.path()), without_indentation).empty()) return;
      }
    }
    complain(block.line, "no source file has these lines one after the other");
  }

  void compare(const Block& block, const std::string& text, const std::string& what, Change change = without_end) {
    const std::string message = difference(block, text, change);
    if (!message.empty()) complain(block.line, what + ": " + message);
  }

  /// Where the block is no part of the text, in words; otherwise empty.
  static std::string difference(const Block& block, const std::string& text, Change change) {
    const Lines actual = split(text, change);
    auto at = actual.begin();  // where the next lines may begin
    Lines wanted;
    for (std::size_t i = 0; i <= block.lines.size(); i++) {
      if (i < block.lines.size() && without_indentation(block.lines[i]) != "...") {
        wanted.push_back(change(block.lines[i]));
        continue;
      }
      auto search = [&](std::size_t n) { return std::search(at, actual.end(), wanted.begin(), wanted.begin() + n); };
      std::size_t n = wanted.size();
      while (n > 0 && search(n) == actual.end()) n--;  // the longest beginning that stands there
      at = search(n) + n;
      if (n < wanted.size()) {
        const std::string instead = at == actual.end() ? "the end" : "'" + *at + "'";
        if (n == 0) return fmt::format("'{}' does not stand there", wanted[0]);
        return fmt::format("after '{}' comes {}, not '{}'", wanted[n - 1], instead, wanted[n]);
      }
      wanted.clear();
    }
    return "";
  }

  void check_numbers(std::size_t line, const std::string& text) {
    for (const std::string& number : numbers(text)) {
      const bool decimal = number.find('.') != std::string::npos;
      const bool year = number.size() == 4 && (number.starts_with("19") || number.starts_with("20"));
      if ((!decimal && number.size() < 3) || (!decimal && year)) continue;
      numbers_++;
      if (!known_.contains(number)) complain(line, number + " stands in no block, no output and no code");
    }
  }

  std::string path_;
  Readme readme_;
  std::string lesson_;    // "07", or empty
  std::string expected_;  // its expected.txt
  std::vector<fs::path> sources_{"src", "lessons", "tests"};
  std::set<std::string> known_;  // numbers that stand somewhere
  std::set<std::string> breaks_shown_;
  const Block* last_sh_ = nullptr;
  int numbers_ = 0;
  int errors_ = 0;
};

}  // namespace
}  // namespace microgpt

int main(int argc, char** argv) {
  int errors = 0;
  try {
    for (int i = 1; i < argc; i++) errors += microgpt::Checker(argv[i]).check();
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_readme: {}\n", error.what());
    return 1;
  }
  return errors == 0 ? 0 : 1;
}
