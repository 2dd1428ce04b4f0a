// A model as a file that `microgpt` and PyTorch read (safetensors): how long its text is; the text, which is JSON and
// says what kind of model it is, and the name, shape and place of each matrix; then all numbers, row after row.
#pragma once
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

/// Letters are those of the tokens 0, 1, 2 and so on, each one byte of ASCII.
template <class Matrix>
void save(const std::string& path, const std::string& letters, std::size_t n_head,
          const std::map<std::string, Matrix>& matrices) {
  std::ostringstream text;
  std::string numbers;
  std::size_t n_layer = 0;
  text << "{";
  for (const auto& [name, rows] : matrices) {
    const std::size_t begin = numbers.size();
    for (const auto& row : rows) {
      for (const auto& value : row) {
        const double x = value.data();
        numbers.append(reinterpret_cast<const char*>(&x), sizeof x);
      }
    }
    text << std::quoted(name) << R"(: {"dtype": "F64", "shape": [)" << rows.size() << ", " << rows[0].size()
         << R"(], "data_offsets": [)" << begin << ", " << numbers.size() << "]}, ";
    n_layer += name.ends_with("attn_wq");
  }
  text << R"("__metadata__": {"format": "microgpt", "activation": "relu", "n_layer": ")" << n_layer
       << R"(", "n_head": ")" << n_head << R"(", "n_embd": ")" << matrices.at("wte")[0].size()
       << R"(", "block_size": ")" << matrices.at("wpe").size() << R"(", "characters": )" << std::quoted(letters)
       << "}}";
  std::string header = text.str();
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::size_t length = header.size();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&length), 8) << header << numbers;
}
