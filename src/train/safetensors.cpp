#include "train/safetensors.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/error.h"
#include "base/file.h"

namespace microgpt {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are little-endian and are copied as they are");

using nlohmann::json;
using Tensor = Safetensors::Tensor;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t max_header_bytes = 100'000'000;  // the limit of the safetensors library
constexpr std::size_t max_rank = 64;                     // PyTorch's limit
constexpr const char* metadata_name = "__metadata__";

Error not_safetensors(const std::string& reason) { return Error{"it is not a safetensors file: " + reason}; }

// --- The header ------------------------------------------------------------------------------------------------------

/// Stops at the first piece that the format does not allow. So nesting stays shallow, and no key comes twice.
json parse_header(const std::string& text) {
  if (!text.starts_with('{')) throw not_safetensors("its header does not begin with {");
  // The parser would stop at a zero byte.
  if (text.find('\0') != std::string::npos) throw not_safetensors("its header has a zero byte");
  using Event = json::parse_event_t;
  std::map<int, std::set<std::string>> keys;  // by depth: 1 in the header, 2 in an object, 3 in a list
  std::string last_key;
  std::size_t numbers = 0;  // of its list so far
  auto unexpected = [&] { return not_safetensors("its header has something unexpected after " + shown(last_key)); };
  auto is_allowed = [&](int depth, Event event, const json& part) {
    if (event == Event::object_start) return depth < 2;
    if (event == Event::array_start) return depth == 2;
    if (event != Event::value) return true;
    return depth == 2 ? part.is_string() : depth == 3 && part.is_number_unsigned() && ++numbers <= max_rank;
  };
  auto check = [&](int depth, Event event, const json& part) {
    if (!is_allowed(depth, event, part)) throw unexpected();
    if (event == Event::object_end) keys.erase(depth + 1);
    if (event != Event::key) return true;
    last_key = part.get<std::string>();
    numbers = 0;
    if (!keys[depth].insert(last_key).second) throw not_safetensors("its header has " + shown(last_key) + " twice");
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& error) {
    throw not_safetensors("its header is not valid JSON at byte " + std::to_string(error.byte));
  } catch (const json::out_of_range&) {  // a number
    throw unexpected();
  }
}

void read_exactly(std::istream& in, void* to, std::uint64_t bytes) {
  if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) throw Error("the read failed half-way");
}

std::uint64_t size_of(std::istream& in) {
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  in.seekg(0);
  if (!in || size < 0) throw Error("its size cannot be determined");
  return static_cast<std::uint64_t>(size);
}

// --- Tensors ---------------------------------------------------------------------------------------------------------

/// A tensor's name for a message. A plain name needs no quotes.
std::string described(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 40 &&
                     std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != '"'; });
  return "the tensor " + (plain ? name : shown(name));
}

/// How many numbers a tensor has. Throws Error if their bytes do not fit into 64 bits.
std::uint64_t numbers_of(const std::string& name, const Numbers& shape) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max() / sizeof(double);
  std::uint64_t numbers = 1;
  for (const std::uint64_t size : shape) {
    if (size != 0 && numbers > max / size) throw Error(described(name) + " is larger than any file");
    numbers *= size;
  }
  return numbers;
}

/// A tensor as the header describes it, before its numbers are read.
struct Extent {
  std::uint64_t begin, bytes;
  std::string name;
  Tensor* tensor;

  /// The order in the file. An empty tensor comes before the tensor that begins at the same byte.
  bool operator<(const Extent& other) const {
    return std::tie(begin, bytes, name) < std::tie(other.begin, other.bytes, other.name);
  }
};

/// Checks the header's fields of a tensor, and sets its shape.
Extent placed(const std::string& name, const json& fields, Tensor& tensor) {
  const std::string which = described(name);
  auto numbers = [&](const char* field) -> std::optional<Numbers> {
    const auto list = fields.find(field);
    if (list == fields.end() || !list->is_array()) return {};
    return list->get<Numbers>();
  };
  if (fields.value("dtype", json()) != "F64") throw Error(which + " is not of dtype F64");
  const std::optional<Numbers> shape = numbers("shape"), offsets = numbers("data_offsets");
  if (!shape) throw Error(which + " has no shape");
  const std::uint64_t bytes = numbers_of(name, *shape) * sizeof(double);
  // If the end is before the begin, the difference wraps around. Such a begin is huge, and will fail as following a
  // gap.
  if (!offsets || offsets->size() != 2 || (*offsets)[1] - (*offsets)[0] != bytes) {
    throw Error(which + " does not have data_offsets " + std::to_string(bytes) + " bytes apart");
  }
  if (fields.size() != 3) throw Error(which + " has fields other than dtype, shape and data_offsets");
  tensor.shape = *shape;
  return {(*offsets)[0], bytes, name, &tensor};
}

std::map<std::string, std::string> texts_of(const json& metadata) {
  for (const auto& [name, text] : metadata.items()) {
    if (!text.is_string()) throw Error("its __metadata__ has a list, not a text, as " + shown(name));
  }
  return metadata;
}

}  // namespace

std::string shown(const std::string& text) {
  constexpr std::size_t max = 40;
  return json(text.substr(0, max)).dump(-1, ' ', true, json::error_handler_t::replace) +
         (text.size() > max ? "..." : "");
}

Safetensors read_safetensors(std::istream& in) {
  const std::uint64_t size = size_of(in);
  if (size < length_bytes) throw not_safetensors("it has only " + std::to_string(size) + " bytes");
  std::uint64_t length = 0;
  read_exactly(in, &length, length_bytes);
  if (length > std::min(size - length_bytes, max_header_bytes)) {
    throw not_safetensors("it claims a header of " + std::to_string(length) + " bytes");
  }
  std::string text(length, ' ');
  read_exactly(in, text.data(), length);

  json header = parse_header(text);
  Safetensors file{.metadata = texts_of(header.value(metadata_name, json::object())), .tensors = {}};
  header.erase(metadata_name);
  std::vector<Extent> places;
  for (const auto& [name, fields] : header.items()) places.push_back(placed(name, fields, file.tensors[name]));
  std::sort(places.begin(), places.end());
  // They fill the data without gap or overlap.
  const std::uint64_t data_bytes = size - length_bytes - length;
  auto fail = [&](const std::string& much) {
    throw Error("it has " + std::to_string(data_bytes) + " bytes of numbers, but its tensors have " + much);
  };
  std::uint64_t end = 0;
  for (const Extent& place : places) {
    if (place.begin != end)
      throw Error(described(place.name) + (place.begin < end ? " overlaps another" : " follows a gap"));
    if (place.bytes > data_bytes - end) fail("more");
    end += place.bytes;
  }
  if (end != data_bytes) fail(std::to_string(end));
  for (const Extent& place : places) {
    place.tensor->data.resize(place.bytes / sizeof(double));
    read_exactly(in, place.tensor->data.data(), place.bytes);
  }
  return file;
}

Safetensors read_safetensors(const std::string& path) {
  std::ifstream in = open_file(path);
  try {
    return read_safetensors(in);
  } catch (const Error& error) {
    throw Error("cannot load '" + path + "': " + error.what());
  }
}

std::string serialize_safetensors(const std::map<std::string, std::string>& metadata,
                                  const std::vector<TensorToWrite>& tensors) {
  json header = json::object();
  if (!metadata.empty()) header[metadata_name] = metadata;
  std::uint64_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    const bool is_new = tensor.name != metadata_name && !header.contains(tensor.name);
    if (!is_new || numbers_of(tensor.name, tensor.shape) != tensor.data.size()) {
      throw std::invalid_argument(described(tensor.name) + (is_new ? " has data of another shape" : " comes twice"));
    }
    const std::uint64_t end = begin + tensor.data.size_bytes();
    header[tensor.name] = {{"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the numbers in the file
  const std::uint64_t length = text.size();
  if (length > max_header_bytes) throw Error("the header is longer than safetensors allows");
  std::string bytes;
  bytes.reserve(length_bytes + length + begin);
  bytes.append(reinterpret_cast<const char*>(&length), length_bytes);
  bytes.append(text);
  for (const TensorToWrite& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size_bytes());
  }
  return bytes;
}

}  // namespace microgpt
