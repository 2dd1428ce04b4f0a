#include "train/safetensors.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace microgpt {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are little-endian and are copied as they are");

using nlohmann::json;
using Field = SafetensorsHeader::Field;
using Object = SafetensorsHeader::Object;
using Shape = std::vector<std::uint64_t>;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t most_header_bytes = 100'000'000;  // the limit of the safetensors library
constexpr const char* metadata_name = "__metadata__";

Error not_safetensors(const std::string& reason) { return Error{"it is not a safetensors file: " + reason}; }

// --- The header ------------------------------------------------------------------------------------------------------

/// Takes the header in as the JSON parser comes upon its pieces, and stops at the first that the format does not have.
/// So no nesting gets deep, and no key comes twice.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  std::map<std::string, Object> objects;  // __metadata__ and the tensors

  bool start_object(std::size_t) override { return step_in(depth_ < 2); }
  bool end_object() override { return step_out(); }
  bool start_array(std::size_t) override {
    if (depth_ == 2) *field_ = std::vector<std::uint64_t>{};
    return step_in(depth_ == 2);
  }
  bool end_array() override { return step_out(); }

  bool key(std::string& name) override {
    if (depth_ == 1 ? objects.contains(name) : object_->contains(name)) {
      throw not_safetensors("its header has " + shown(name) + " twice");
    }
    if (depth_ == 1) {
      object_ = &objects[name];
    } else {
      field_ = &(*object_)[name];
    }
    key_ = name;
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ != 2) unexpected();
    *field_ = std::move(text);
    return true;
  }
  bool number_unsigned(std::uint64_t number) override {
    if (depth_ != 3) unexpected();
    std::get<std::vector<std::uint64_t>>(*field_).push_back(number);
    return true;
  }

  bool null() override { unexpected(); }
  bool boolean(bool) override { unexpected(); }
  bool number_integer(std::int64_t) override { unexpected(); }  // a negative one
  bool number_float(double, const std::string&) override { unexpected(); }
  bool binary(json::binary_t&) override { unexpected(); }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    throw not_safetensors("its header is not valid JSON at byte " + std::to_string(position));
  }

 private:
  bool step_in(bool allowed) {
    if (!allowed) unexpected();
    depth_++;
    return true;
  }
  bool step_out() {
    depth_--;
    return true;
  }
  [[noreturn]] void unexpected() const {
    throw not_safetensors("its header has something unexpected after " + shown(key_));
  }

  int depth_ = 0;  // 1 in the header, 2 in an object, 3 in a list
  std::string key_;
  Object* object_ = nullptr;
  Field* field_ = nullptr;
};

void read_exactly(std::istream& in, void* to, std::uint64_t bytes) {
  if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) throw Error("the read failed half-way");
}

std::uint64_t size_of(std::istream& in) {
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  in.seekg(0);
  if (!in || size < 0) throw Error("it cannot be measured");
  return static_cast<std::uint64_t>(size);
}

// --- Tensors ---------------------------------------------------------------------------------------------------------

/// How a message calls a tensor. A name that is plain stands there as it is.
std::string called(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 40 &&
                     std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != '"'; });
  return "the tensor " + (plain ? name : shown(name));
}

/// The bytes of one number in the file, or 0 for a dtype that is not read here.
std::uint64_t width_of(const std::string& dtype) {
  if (dtype == "F64") return sizeof(double);
  if (dtype == "F32") return sizeof(float);
  return 0;
}

/// How many numbers a tensor has: so few that their bytes can be counted too.
std::uint64_t numbers_of(const std::string& name, const Shape& shape) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / sizeof(double);
  std::uint64_t numbers = 1;
  for (const std::uint64_t size : shape) {
    if (size != 0 && numbers > most / size) throw Error(called(name) + " is larger than any file");
    numbers *= size;
  }
  return numbers;
}

std::uint64_t bytes_of(const TensorToRead& tensor) {
  return numbers_of(tensor.name, tensor.shape) * width_of(tensor.dtype);
}

/// Where a tensor's numbers begin, in bytes, if the header says of it what it must.
std::uint64_t begin_of(Object found, const TensorToRead& tensor) {
  const std::string which = called(tensor.name);
  if (found["dtype"] != Field(tensor.dtype)) throw Error(which + " is not of dtype " + tensor.dtype);
  if (found["shape"] != Field(tensor.shape)) {
    std::string sizes;
    for (const std::uint64_t size : tensor.shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    throw Error(which + " does not have the shape [" + sizes + "]");
  }
  const auto* offsets = std::get_if<std::vector<std::uint64_t>>(&found["data_offsets"]);
  const std::uint64_t bytes = bytes_of(tensor);
  // Where the end is before the begin, the difference wraps around. Such a begin is far off: it follows a gap.
  if (offsets == nullptr || offsets->size() != 2 || (*offsets)[1] - (*offsets)[0] != bytes) {
    throw Error(which + " does not have data_offsets " + std::to_string(bytes) + " bytes apart");
  }
  if (found.size() != 3) throw Error(which + " has fields other than dtype, shape and data_offsets");
  return (*offsets)[0];
}

/// The tensors, as indices, in the order in which they lie in the file: without gap or overlap. Of several that are
/// empty in the same place only one is among them; there is nothing to read.
std::vector<std::size_t> file_order(SafetensorsHeader header, const std::vector<TensorToRead>& tensors) {
  // (begin, not empty) -> index. What is empty lies before what begins in the same place.
  std::map<std::pair<std::uint64_t, bool>, std::size_t> at;
  for (std::size_t i = 0; i < tensors.size(); i++) {
    auto found = header.tensors.extract(tensors[i].name);
    if (found.empty()) throw Error(called(tensors[i].name) + " is missing");
    const std::uint64_t begin = begin_of(std::move(found.mapped()), tensors[i]);
    const bool has_numbers = bytes_of(tensors[i]) != 0;
    const bool is_new = at.emplace(std::pair(begin, has_numbers), i).second;
    if (has_numbers && !is_new) throw Error(called(tensors[i].name) + " overlaps another");
  }
  if (!header.tensors.empty()) {
    throw Error("the tensor " + shown(header.tensors.begin()->first) + " is not one of this model");
  }
  std::vector<std::size_t> order;
  std::uint64_t end = 0;
  for (const auto& [place, i] : at) {
    const std::uint64_t begin = place.first;
    if (begin != end) {
      throw Error(called(tensors[i].name) + (begin < end ? " overlaps another" : " follows a gap"));
    }
    end = begin + bytes_of(tensors[i]);
    order.push_back(i);
  }
  if (end != header.data_bytes) {
    throw Error("it has " + std::to_string(header.data_bytes) + " bytes of numbers, but its tensors have " +
                std::to_string(end));
  }
  return order;
}

void read_numbers(std::istream& in, const TensorToRead& tensor) {
  if (tensor.dtype == "F64") {
    read_exactly(in, tensor.data, bytes_of(tensor));
  } else {
    std::vector<float> numbers(numbers_of(tensor.name, tensor.shape));
    read_exactly(in, numbers.data(), bytes_of(tensor));
    std::copy(numbers.begin(), numbers.end(), tensor.data);
  }
}

// --- Whole files -----------------------------------------------------------------------------------------------------

std::map<std::string, std::string> texts_of(const Object& metadata) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, field] : metadata) {
    const std::string* text = std::get_if<std::string>(&field);
    if (text == nullptr) throw Error("its __metadata__ has a list, not a text, as " + shown(name));
    texts.emplace(name, *text);
  }
  return texts;
}

/// A tensor as the header describes it, without its numbers.
Safetensors::Tensor described(const std::string& name, Object tensor) {
  const auto* dtype = std::get_if<std::string>(&tensor["dtype"]);
  if (dtype == nullptr || width_of(*dtype) == 0) throw Error(called(name) + " is not of dtype F64 or F32");
  const auto* shape = std::get_if<Shape>(&tensor["shape"]);
  if (shape == nullptr) throw Error(called(name) + " has no shape");
  return {*dtype, *shape, {}};
}

Safetensors read_whole(std::istream& in) {
  SafetensorsHeader header = read_safetensors_header(in);
  Safetensors file;
  if (header.metadata) file.metadata = texts_of(*header.metadata);
  std::uint64_t left = header.data_bytes;
  for (const auto& [name, fields] : header.tensors) {
    const Safetensors::Tensor& tensor = file.tensors.emplace(name, described(name, fields)).first->second;
    const std::uint64_t bytes = numbers_of(name, tensor.shape) * width_of(tensor.dtype);
    if (bytes > left) {
      throw Error("it has " + std::to_string(header.data_bytes) + " bytes of numbers, but its tensors have more");
    }
    left -= bytes;
  }

  std::vector<TensorToRead> to_read;
  for (auto& [name, tensor] : file.tensors) {
    tensor.data.resize(numbers_of(name, tensor.shape));
    to_read.push_back({name, tensor.dtype, tensor.shape, tensor.data.data()});
  }
  read_safetensors_numbers(in, std::move(header), to_read);
  return file;
}

}  // namespace

std::string shown(const std::string& text) {
  constexpr std::size_t most = 40;
  return json(text.substr(0, most)).dump(-1, ' ', true, json::error_handler_t::replace) +
         (text.size() > most ? "..." : "");
}

std::ifstream open_safetensors(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot load '" + path + "': " + reason); };
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw fail("it is a directory, a device or a pipe; give a file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  return in;
}

SafetensorsHeader read_safetensors_header(std::istream& in) {
  const std::uint64_t size = size_of(in);
  if (size < length_bytes) throw not_safetensors("it has only " + std::to_string(size) + " bytes");
  std::uint64_t length = 0;
  read_exactly(in, &length, length_bytes);
  if (length > std::min(size - length_bytes, most_header_bytes)) {
    throw not_safetensors("it claims a header of " + std::to_string(length) + " bytes");
  }
  std::string text(length, ' ');
  read_exactly(in, text.data(), length);
  if (!text.starts_with('{')) throw not_safetensors("its header does not begin with {");
  // The parser takes a zero byte for the end of the text.
  if (text.find('\0') != std::string::npos) throw not_safetensors("its header has a zero byte");
  HeaderReader reader;
  json::sax_parse(text, &reader);

  SafetensorsHeader header;
  if (auto metadata = reader.objects.extract(metadata_name)) header.metadata = std::move(metadata.mapped());
  header.tensors = std::move(reader.objects);
  header.data_bytes = size - length_bytes - length;
  return header;
}

void read_safetensors_numbers(std::istream& in, SafetensorsHeader header, const std::vector<TensorToRead>& tensors) {
  for (const std::size_t i : file_order(std::move(header), tensors)) read_numbers(in, tensors[i]);
}

Safetensors read_safetensors(std::istream& in, const std::string& name) {
  try {
    return read_whole(in);
  } catch (const Error& error) {
    throw Error("cannot load '" + name + "': " + error.what() + "; give a sound safetensors file of F64 or F32");
  }
}

Safetensors read_safetensors(const std::string& path) {
  std::ifstream in = open_safetensors(path);
  return read_safetensors(in, path);
}

std::string serialize_safetensors(const std::map<std::string, std::string>& metadata,
                                  const std::vector<TensorToWrite>& tensors) {
  json header = json::object();
  if (!metadata.empty()) header[metadata_name] = metadata;
  std::uint64_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    const bool is_new = tensor.name != metadata_name && !header.contains(tensor.name);
    if (!is_new || numbers_of(tensor.name, tensor.shape) != tensor.data.size()) {
      throw std::invalid_argument(called(tensor.name) + (is_new ? " has data of another shape" : " comes twice"));
    }
    const std::uint64_t end = begin + tensor.data.size_bytes();
    header[tensor.name] = {{"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned in the file
  const std::uint64_t length = text.size();
  if (length > most_header_bytes) throw Error("safetensors has no room for a header of so many bytes");
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
