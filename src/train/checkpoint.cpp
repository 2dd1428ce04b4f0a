#include "train/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/replace_file.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

static_assert(std::endian::native == std::endian::little, "a checkpoint is little-endian and is copied as it is");

using nlohmann::json;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t most_header_bytes = 100'000'000;  // the limit of the safetensors library
constexpr const char* metadata_name = "__metadata__";
constexpr const char* format = "microgpt";

/// __metadata__ and every tensor is an object, and each of its fields is a text or a list of whole numbers.
using Field = std::variant<std::string, std::vector<std::uint64_t>>;
using Object = std::map<std::string, Field>;
using Header = std::map<std::string, Object>;

/// A text from the file, fit to be part of a message: quoted, escaped and not too long.
std::string shown(const std::string& text) {
  constexpr std::size_t most = 40;
  return json(text.substr(0, most)).dump(-1, ' ', true, json::error_handler_t::replace) +
         (text.size() > most ? "..." : "");
}

Error not_safetensors(const std::string& reason) { return Error{"it is not a safetensors file: " + reason}; }
Error not_microgpt(const std::string& reason) { return Error{"it is not a microgpt checkpoint: " + reason}; }

/// Takes the header in as the JSON parser comes upon its pieces, and stops at the first that the format does not have.
/// So no nesting gets deep, and no key comes twice.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  Header header;

  bool start_object(std::size_t) override { return step_in(depth_ < 2); }
  bool end_object() override { return step_out(); }
  bool start_array(std::size_t) override {
    if (depth_ == 2) *field_ = std::vector<std::uint64_t>{};
    return step_in(depth_ == 2);
  }
  bool end_array() override { return step_out(); }

  bool key(std::string& name) override {
    if (depth_ == 1 ? header.contains(name) : object_->contains(name)) {
      throw not_safetensors("its header has " + shown(name) + " twice");
    }
    if (depth_ == 1) {
      object_ = &header[name];
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

Header read_header(std::istream& in, std::uint64_t size) {
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
  return std::move(reader.header);
}

const std::string& metadata_text(const Object& metadata, const std::string& name) {
  const auto field = metadata.find(name);
  const std::string* text = field == metadata.end() ? nullptr : std::get_if<std::string>(&field->second);
  if (text == nullptr) throw not_microgpt(std::string(metadata_name) + " has no text called " + name);
  return *text;
}

std::size_t metadata_number(const Object& metadata, const std::string& name) {
  const std::string& text = metadata_text(metadata, name);
  const char* const end = text.data() + text.size();
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) throw Error(name + " is " + shown(text) + ", not a whole number");
  return number;
}

bool is_squared_relu(const std::string& activation) {
  if (activation != "relu" && activation != "squared_relu") {
    throw Error("activation is " + shown(activation) + ", neither relu nor squared_relu");
  }
  return activation == "squared_relu";
}

Tokenizer tokenizer_of(const Object& metadata) {
  return Tokenizer(decode_utf8(metadata_text(metadata, "characters")).value());  // the JSON parser has checked UTF-8
}

Config config_of(const Object& metadata, const Tokenizer& tokenizer) {
  const Config config{.vocab_size = tokenizer.vocab_size(),
                      .n_layer = metadata_number(metadata, "n_layer"),
                      .n_embd = metadata_number(metadata, "n_embd"),
                      .n_head = metadata_number(metadata, "n_head"),
                      .block_size = metadata_number(metadata, "block_size"),
                      .squared_relu = is_squared_relu(metadata_text(metadata, "activation"))};
  validate(config);
  return config;
}

/// Where a tensor's numbers begin, in bytes, if it is as the shape demands.
std::uint64_t begin_of(Object tensor, const Parameters::Shape& shape) {
  const std::string which = "the tensor " + shape.name;
  if (tensor["dtype"] != Field("F64")) throw Error(which + " is not of dtype F64");
  if (tensor["shape"] != Field(std::vector<std::uint64_t>{shape.rows, shape.cols})) {
    throw Error(which + " does not have the shape [" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) +
                "]");
  }
  const auto* offsets = std::get_if<std::vector<std::uint64_t>>(&tensor["data_offsets"]);
  const std::uint64_t bytes = shape.rows * shape.cols * sizeof(double);
  // Where the end is before the begin, the difference wraps around to more than any tensor has.
  if (offsets == nullptr || offsets->size() != 2 || (*offsets)[1] - (*offsets)[0] != bytes) {
    throw Error(which + " does not have data_offsets " + std::to_string(bytes) + " bytes apart");
  }
  if (tensor.size() != 3) throw Error(which + " has fields other than dtype, shape and data_offsets");
  return (*offsets)[0];
}

/// The tensors, as indices into `shapes`, in the order in which they lie in the file: without gap or overlap.
std::vector<std::size_t> file_order(Header tensors, const std::vector<Parameters::Shape>& shapes) {
  std::map<std::uint64_t, std::size_t> at;  // begin -> index; no tensor is empty, so no two begin together
  for (std::size_t i = 0; i < shapes.size(); i++) {
    Header::node_type tensor = tensors.extract(shapes[i].name);
    if (tensor.empty()) throw Error("the tensor " + shapes[i].name + " is missing");
    const bool is_new = at.emplace(begin_of(std::move(tensor.mapped()), shapes[i]), i).second;
    if (!is_new) throw Error("the tensor " + shapes[i].name + " overlaps another");
  }
  if (!tensors.empty()) throw Error("the tensor " + shown(tensors.begin()->first) + " is not one of this model");
  std::vector<std::size_t> order;
  std::uint64_t end = 0;
  for (const auto& [begin, i] : at) {
    if (begin != end) {
      throw Error("the tensor " + shapes[i].name + (begin < end ? " overlaps another" : " follows a gap"));
    }
    end = begin + shapes[i].rows * shapes[i].cols * sizeof(double);
    order.push_back(i);
  }
  return order;
}

/// The first matrix with a value that is infinite or not a number, or nullptr.
const Parameter* not_finite(const Parameters& parameters) {
  for (const Parameter& matrix : parameters.matrices()) {
    if (!std::all_of(matrix.data, matrix.data + matrix.size(), [](double x) { return std::isfinite(x); })) {
      return &matrix;
    }
  }
  return nullptr;
}

Checkpoint read_checkpoint(std::istream& in) {
  const std::uint64_t size = size_of(in);
  Header header = read_header(in, size);
  const std::uint64_t data_bytes = size - static_cast<std::uint64_t>(in.tellg());

  const Header::node_type metadata = header.extract(metadata_name);
  if (metadata.empty()) throw not_microgpt("it has no " + std::string(metadata_name));
  if (const std::string& found = metadata_text(metadata.mapped(), "format"); found != format) {
    throw not_microgpt("its format is " + shown(found));
  }
  Tokenizer tokenizer = tokenizer_of(metadata.mapped());
  const Config config = config_of(metadata.mapped(), tokenizer);

  // From here on, what is allocated is in proportion to what is really in the file.
  const std::uint64_t expected_bytes = num_parameters(config) * sizeof(double);
  if (data_bytes != expected_bytes) {
    throw Error("it has " + std::to_string(data_bytes) + " bytes of numbers, but its model has " +
                std::to_string(expected_bytes));
  }
  const std::vector<Parameters::Shape> shapes = gpt_shapes(config);
  const std::vector<std::size_t> order = file_order(std::move(header), shapes);
  Parameters parameters(shapes);
  for (const std::size_t i : order) {
    const Parameter& matrix = parameters.matrices()[i];
    read_exactly(in, matrix.data, matrix.size() * sizeof(double));
  }
  if (const Parameter* matrix = not_finite(parameters)) {
    throw Error("the tensor " + matrix->name + " has a value that is not finite");
  }
  return {config, std::move(tokenizer), std::move(parameters)};
}

}  // namespace

Checkpoint parse_checkpoint(std::istream& in, const std::string& name) {
  try {
    return read_checkpoint(in);
  } catch (const Error& error) {  // also a UsageError: this config was found in a file, not asked for
    throw Error("cannot load '" + name + "': " + error.what() + "; make one with 'microgpt train --save FILE'");
  }
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot load '" + path.string() + "': " + reason); };
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw fail("it is a directory, a device or a pipe; give a file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  return parse_checkpoint(in, path.string());
}

std::string serialize_checkpoint(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters) {
  if (const Parameter* matrix = not_finite(parameters)) {
    throw Error("cannot save the model: " + matrix->name +
                " has a value that is not finite; training diverged, try a smaller --lr");
  }
  json header;
  header[metadata_name] = {{"format", format},
                           {"n_layer", std::to_string(config.n_layer)},
                           {"n_embd", std::to_string(config.n_embd)},
                           {"n_head", std::to_string(config.n_head)},
                           {"block_size", std::to_string(config.block_size)},
                           {"activation", config.squared_relu ? "squared_relu" : "relu"},
                           {"characters", encode_utf8(tokenizer.characters())}};
  std::uint64_t begin = 0;
  for (const Parameter& matrix : parameters.matrices()) {
    const std::uint64_t end = begin + matrix.size() * sizeof(double);
    header[matrix.name] = {{"dtype", "F64"}, {"shape", {matrix.rows, matrix.cols}}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned in the file
  const std::uint64_t length = text.size();
  if (length > most_header_bytes) {
    throw Error("cannot save the model: safetensors has no room for the names of " + std::to_string(config.n_layer) +
                " layers; choose a smaller --n-layer");
  }
  std::string bytes;
  bytes.reserve(length_bytes + length + begin);
  bytes.append(reinterpret_cast<const char*>(&length), length_bytes);
  bytes.append(text);
  bytes.append(reinterpret_cast<const char*>(parameters.data().data()), begin);
  return bytes;
}

void save_checkpoint(const std::filesystem::path& path, const Config& config, const Tokenizer& tokenizer,
                     const Parameters& parameters) {
  replace_file(path, serialize_checkpoint(config, tokenizer, parameters));
}

void rehearse_save(const std::filesystem::path& path, const Config& config, const Tokenizer& tokenizer,
                   const Parameters& parameters) {
  rehearse_replace_file(path, serialize_checkpoint(config, tokenizer, parameters));
}

}  // namespace microgpt
