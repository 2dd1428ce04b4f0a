// Safetensors (Hugging Face), a file format for named tensors that PyTorch and others read and write: a header in JSON
// that describes each tensor, then their numbers. A tensor is a list of numbers (rank 1), a matrix (rank 2), and so on;
// a tensor of rank 0 is one number.
//
//   8 bytes    length of the header, little-endian
//   header     {"__metadata__": {"n_layer": "1", ...}, "wte": {"dtype": "F64", "shape": [27, 16],
//              "data_offsets": [0, 3456]}, ...} and spaces up to a multiple of 8
//   numbers    little-endian, row after row, without gap or overlap; data_offsets count bytes from here
//
// Nothing in a file is trusted before it is checked, and memory is allocated only in proportion to the file's real
// size.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace microgpt {

/// A whole file in memory. All numbers are doubles (F64).
struct Safetensors {
  struct Tensor {
    std::vector<std::uint64_t> shape;  // {} for a single number
    std::vector<double> data;          // row after row
  };
  std::map<std::string, std::string> metadata;  // empty if the file has none
  std::map<std::string, Tensor> tensors;
};

/// Throws Error, with the path, if the file is missing or malformed, or if a tensor has another dtype.
Safetensors read_safetensors(const std::string& path);

/// The same from a stream, which must be able to seek. The Error does not name the file.
Safetensors read_safetensors(std::istream& in);

/// A tensor to write.
struct TensorToWrite {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const double> data;  // row after row
};

/// The bytes of a file with these tensors as F64, in this order. All texts must be UTF-8. Throws Error if the header
/// would be longer than the format allows. Throws std::invalid_argument if a name comes twice or a shape does not fit
/// its data.
std::string serialize_safetensors(const std::map<std::string, std::string>& metadata,
                                  const std::vector<TensorToWrite>& tensors);

/// A text from a file, made safe for a message: quoted, escaped and shortened.
std::string shown(const std::string& text);

}  // namespace microgpt
