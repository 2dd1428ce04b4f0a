// Safetensors (Hugging Face), a file format for named tensors that PyTorch and others read and write: a header in JSON
// that describes each tensor, then their numbers. A tensor is a list of numbers (rank 1), a matrix (rank 2), and so on;
// a tensor of rank 0 is one number.
//
//   8 bytes    length of the header, little-endian
//   header     {"__metadata__": {"n_layer": "1", ...}, "wte": {"dtype": "F64", "shape": [27, 16],
//              "data_offsets": [0, 3456]}, ...} and spaces up to a multiple of 8
//   numbers    little-endian, row after row, without gap or overlap; data_offsets count bytes from here
//
// Nothing in a file is believed before it is checked, and what is allocated is in proportion to what is really in it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace microgpt {

/// A whole file in memory.
struct Safetensors {
  struct Tensor {
    std::string dtype;                 // in the file: "F64" or "F32", double or float
    std::vector<std::uint64_t> shape;  // {} for a single number
    std::vector<double> data;          // row after row
  };
  std::map<std::string, std::string> metadata;  // empty also if the file has none
  std::map<std::string, Tensor> tensors;
};

/// Throws Error if there is no such file, it is not sound, or a tensor is of another dtype than F64 and F32.
Safetensors read_safetensors(const std::string& path);

/// The same from a stream, which must be able to seek. Throws Error with `name` and what is wrong.
Safetensors read_safetensors(std::istream& in, const std::string& name);

/// A tensor to be written.
struct TensorToWrite {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const double> data;  // row after row
};

/// The bytes of a file with these tensors as F64, in this order. All texts must be UTF-8. Throws Error if the header
/// would be longer than the format allows; std::invalid_argument if a name comes twice or a shape does not fit its
/// data.
std::string serialize_safetensors(const std::map<std::string, std::string>& metadata,
                                  const std::vector<TensorToWrite>& tensors);

// A reader that knows which tensors there must be reads in two steps: the header, then the numbers. The errors of these
// two do not name the file.

/// The header as it stands there. It is sound JSON and no key comes twice, but what it says is not checked yet.
struct SafetensorsHeader {
  using Field = std::variant<std::string, std::vector<std::uint64_t>>;  // a text or a list of whole numbers
  using Object = std::map<std::string, Field>;

  std::optional<Object> metadata;
  std::map<std::string, Object> tensors;
  std::uint64_t data_bytes = 0;  // what the file has after the header
};

/// Opens a file to read. Throws Error, with the path, if that fails or it is not a regular file.
std::ifstream open_safetensors(const std::string& path);

/// Reads the header of a stream that is able to seek; the numbers are next. Throws Error if it is not sound.
SafetensorsHeader read_safetensors_header(std::istream& in);

/// A tensor to be read: what the header must say of it, and where its numbers go.
struct TensorToRead {
  std::string name;
  std::string dtype;  // "F64" or "F32"
  std::vector<std::uint64_t> shape;
  double* data;  // room for all of them, row after row
};

/// Reads all numbers of the stream that the header came from. Throws Error, before it reads any, unless the header has
/// these tensors and no others, and they fill the numbers one after another. Compare data_bytes with what they need
/// before you make room for them.
void read_safetensors_numbers(std::istream& in, SafetensorsHeader header, const std::vector<TensorToRead>& tensors);

/// A text from a file, fit to be part of a message: quoted, escaped and not too long.
std::string shown(const std::string& text);

}  // namespace microgpt
