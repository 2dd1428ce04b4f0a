#include "train/safetensors.h"

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "base/python_random.h"
#include "safetensors_file.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

Safetensors parse(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_safetensors(in);
}

/// What is wrong with the bytes.
std::string refusal(const std::string& bytes) {
  return refusal_of([&] { parse(bytes); }, "", "");
}

/// Equal if two files have the same metadata, and tensors of the same names, shapes and bits.
std::string serialize(const Safetensors& file) {
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.push_back({name, tensor.shape, tensor.data});
  return serialize_safetensors(file.metadata, tensors);
}

std::string f64(double x) { return little_endian(std::bit_cast<std::uint64_t>(x)); }

/// A file of one tensor, "t", that has nothing but these fields.
std::string one_tensor(const std::string& fields, const std::string& numbers) {
  return file(R"({"t":{)" + fields + "}}", numbers);
}

// A file of two tensors, written out by hand.
const std::string tiny_header = R"({"a":{"data_offsets":[0,16],"dtype":"F64","shape":[2]},)"
                                R"("b":{"data_offsets":[16,24],"dtype":"F64","shape":[1,1]}})";
const std::string tiny_numbers = f64(1) + f64(-2) + f64(3);

/// The tiny file with something else in one place of its header.
std::string edited(const std::string& from, const std::string& to) {
  return file(replaced(tiny_header, from, to), tiny_numbers);
}

/// Adds an empty tensor, "c", to the tiny file.
std::string with_empty(const std::string& offsets) {
  return edited("{\"a\"", R"({"c":{"dtype":"F64","shape":[3,0],"data_offsets":)" + offsets + R"(},"a")");
}

}  // namespace

TEST_CASE("tensors of every rank and their metadata read back bit for bit") {
  const std::vector<std::vector<std::uint64_t>> shapes{{}, {7}, {2, 3}, {2, 3, 2}, {2, 1, 3, 2}, {0}, {2, 0, 3}};
  const std::vector<std::size_t> sizes{1, 7, 6, 12, 12, 0, 0};
  Safetensors saved;
  saved.metadata = {{"note", "two\nlines \"quoted\" \\ äあ𐍈"}, {"", ""}};
  PythonRandom random(42);
  for (std::size_t i = 0; i < shapes.size(); i++) {
    Safetensors::Tensor& tensor = saved.tensors["layer" + std::to_string(i) + " ü"];
    tensor.shape = shapes[i];
    for (std::size_t n = 0; n < sizes[i]; n++) tensor.data.push_back(random.gauss(0, 1));
  }
  using Limits = std::numeric_limits<double>;
  saved.tensors["special"] = {{6},
                              {-0.0, Limits::denorm_min(), Limits::max(), -HUGE_VAL, std::nan(""), Limits::lowest()}};
  CHECK(serialize(parse(serialize(saved))) == serialize(saved));

  const TemporaryDirectory directory;
  write_contents(directory / "file", serialize(saved));
  CHECK(serialize(read_safetensors(directory / "file")) == serialize(saved));
}

TEST_CASE("a file is written in the order asked for, its numbers at a multiple of 8 bytes, as F64") {
  const std::vector<double> z{1, 2};
  const std::vector<double> a{3};
  CHECK(serialize_safetensors({{"k", "v"}}, {{"z", {2, 1}, z}, {"a", {}, a}}) ==
        file(R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[16,24],"dtype":"F64","shape":[]},)"
             R"("z":{"data_offsets":[0,16],"dtype":"F64","shape":[2,1]}})",
             f64(1) + f64(2) + f64(3)));
  for (std::size_t n = 0; n <= 16; n++) {  // spaces fill the header up
    const std::string header = R"({"__metadata__":{"k":")" + std::string(n, 'v') + "\"}}";
    CHECK(serialize_safetensors({{"k", std::string(n, 'v')}}, {}) ==
          file(header + std::string((8 - header.size() % 8) % 8, ' '), ""));
  }
}

TEST_CASE("what no file can say is not written") {
  const std::vector<double> two{1, 2};
  CHECK_THROWS_AS(serialize_safetensors({}, {{"a", {3}, two}}), std::invalid_argument);
  CHECK_THROWS_AS(serialize_safetensors({}, {{"a", {}, two}}), std::invalid_argument);
  CHECK_THROWS_AS(serialize_safetensors({}, {{"a", {2}, two}, {"a", {2}, two}}), std::invalid_argument);
  CHECK_THROWS_AS(serialize_safetensors({}, {{"__metadata__", {2}, two}}), std::invalid_argument);
  CHECK_THROWS_AS(serialize_safetensors({{"k", std::string(100'000'000, 'v')}}, {}), Error);
}

TEST_CASE("what the format leaves open is read") {
  const std::string tiny = serialize(parse(file(tiny_header, tiny_numbers)));
  CHECK(tiny == serialize({{}, {{"a", {{2}, {1, -2}}}, {"b", {{1, 1}, {3}}}}}));
  CHECK(serialize(parse(file(tiny_header + std::string(100, ' '), tiny_numbers))) == tiny);
  CHECK(serialize(parse(edited("{\"a\"", R"({"__metadata__":{},"\u0061" )"))) == tiny);
  CHECK(parse(file("{}", "")).tensors.empty());
  CHECK(parse(file(R"({"__metadata__":{"format":"pt"}})", "")).metadata.at("format") == "pt");
  // The second tensor first. The numbers need not be aligned.
  std::string header = replaced(tiny_header, "[0,16]", "[8,24]");
  header = replaced(header, "[16,24]", "[0,8]");
  CHECK(serialize(parse(file(header, f64(3) + f64(1) + f64(-2)))) == tiny);
}

TEST_CASE("empty tensors lie between others, several in one place") {
  for (const std::string offsets : {"[0,0]", "[16,16]", "[24,24]"}) {
    const Safetensors::Tensor c = parse(with_empty(offsets)).tensors.at("c");
    CHECK(c.shape == std::vector<std::uint64_t>{3, 0});
    CHECK(c.data.empty());
  }
  const std::string empty = R"({"dtype":"F64","shape":[0],"data_offsets":[0,0]})";
  CHECK(parse(file(R"({"a":)" + empty + R"(,"b":)" + empty + "}", "")).tensors.size() == 2);
  CHECK(parse(one_tensor(R"("dtype":"F64","shape":[0,18446744073709551615,2],"data_offsets":[0,0])", ""))
            .tensors.at("t")
            .data.empty());
}

TEST_CASE("what is not safetensors is refused, and what is wrong is named") {
  const std::string no_brace = "header does not begin with {", no_dtype = "tensor a is not of dtype F64";
  const std::string apart = "b does not have data_offsets 8 bytes apart", more = "but its tensors have more";
  const std::string huge = "t is larger than any file", after_shape = "something unexpected after \"shape\"";
  auto sized = [](const std::string& shape) {
    return one_tensor(R"("dtype":"F64","data_offsets":[0,0],"shape":)" + shape, "");
  };
  // 2^60 doubles are 2^63 bytes; twice that would be 0 again.
  const std::string large = R"({"dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,9223372036854775808]})";
  std::string ones = "[1";  // of more dimensions than a tensor can have
  for (int i = 0; i < 64; i++) ones += ",1";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "it has only 0 bytes"},
      {"1234567", "it has only 7 bytes"},
      {"emma\noli", "it claims a header of 7596568761842101605 bytes"},
      {little_endian(~std::uint64_t{0}) + tiny_header, "it claims a header of 18446744073709551615 bytes"},
      {little_endian(3) + "{}", "it claims a header of 3 bytes"},
      {file(tiny_header + std::string(100'000'000 - tiny_header.size() + 1, ' '), tiny_numbers), "100000001 bytes"},
      {little_endian(0), no_brace},
      {file(" " + tiny_header, tiny_numbers), no_brace},
      {file("\xef\xbb\xbf" + tiny_header, tiny_numbers), no_brace},
      {file("[]", ""), no_brace},
      {file("{", ""), "not valid JSON at byte 2"},
      {file("{} {}", ""), "not valid JSON at byte 4"},
      {file("{\"\xff\":{}}", ""), "not valid JSON at byte 3"},     // not UTF-8
      {file(R"({"\ud800":{}})", ""), "not valid JSON at byte 9"},  // half a pair
      {file(tiny_header + std::string("\0}", 2), tiny_numbers), "its header has a zero byte"},
      {file(R"({"__metadata__":{"n_layer":1}})", ""), "something unexpected after \"n_layer\""},
      {file(R"({"wte":{"shape":)" + ones + "]}}", ""), after_shape},
      {file(R"({"__metadata__":{"k":[1]}})", ""), "its __metadata__ has a list, not a text, as \"k\""},
      {file(R"({"wte":{},"\u0077te":{}})", ""), "has \"wte\" twice"},
      {file(R"({"__metadata__":{},"__metadata__":{}})", ""), "has \"__metadata__\" twice"},
      {file(R"({"__metadata__":{"n_layer":"1","n_layer":"1"}})", ""), "has \"n_layer\" twice"},
      {file(R"({"wte":{"shape":[1],"shape":[1]}})", ""), "has \"shape\" twice"},
      {edited("\"F64\"", "\"F32\""), no_dtype},
      {edited("\"F64\"", "[64]"), no_dtype},
      {edited(R"("dtype":"F64",)", ""), no_dtype},
      {edited(R"("shape":[2])", R"("shape":"2")"), "a has no shape"},
      {edited(R"(,"shape":[2]})", "}"), "a has no shape"},
      {edited("[2]", R"([2],"stride":[1])"), "a has fields other than dtype, shape and data_offsets"},
      {edited(R"("data_offsets":[0,16],)", ""), "a does not have data_offsets 16 bytes apart"},
      {sized("[2305843009213693952]"), huge},
      {sized("[4294967296,4294967296]"), huge},
      {sized("[9223372036854775808,2,0]"), huge},
      {file(R"({"a":)" + large + R"(,"b":)" + large + "}", ""), "0 bytes of numbers, " + more},
      {file(tiny_header, tiny_numbers.substr(1)), "it has 23 bytes of numbers, " + more},
      {file(tiny_header, tiny_numbers + " "), "it has 25 bytes of numbers, but its tensors have 24"},
      {edited("[16,24]", "[16,16]"), apart},
      {edited("[16,24]", "[24,16]"), apart},
      {edited("[16,24]", "[16]"), apart},
      {edited("[16,24]", "[16,24,24]"), apart},
      {edited("[16,24]", "[18446744073709551608,24]"), apart},
      {edited("[16,24]", "[8,16]"), "b overlaps another"},
      {edited("[16,24]", "[0,8]"), "a overlaps another"},
      {edited("[0,16]", "[1,17]"), "a follows a gap"},
      {edited("[16,24]", "[18446744073709551608,0]"), "b follows a gap"},  // 2^64 - 8
      {with_empty("[8,8]"), "c overlaps another"},
      {with_empty("[32,32]"), "c follows a gap"},
      {with_empty("[16,24]"), "c does not have data_offsets 0 bytes apart"}};
  for (const auto& [bytes, words] : refused) {
    const std::string said = refusal(bytes);
    CHECK_MESSAGE(said.find(words) != std::string::npos, said);
  }
  for (const std::string value : {"{}", "[[]]", "[\"1\"]", "[1e3]", "[-1]", "[18446744073709551616]", "1", "null"}) {
    CHECK(refusal(file(R"({"wte":{"shape":)" + value + "}}", "")).ends_with(after_shape));
    if (value[0] != '{') CHECK(refusal(file(R"({"wte":)" + value + "}", "")).ends_with("unexpected after \"wte\""));
  }
}

TEST_CASE("a header of fifty megabytes is refused without harm, however deep it nests") {
  const std::string brackets(std::size_t{50} << 20, '[');
  CHECK(refusal(file(brackets, "")).ends_with("its header does not begin with {"));
  CHECK(refusal(file("{\"a\":" + brackets, "")).ends_with("unexpected after \"a\""));
  CHECK(refusal(file("{\"a\":{\"b\":" + brackets, "")).ends_with("unexpected after \"b\""));
  std::string objects = "{";
  while (objects.size() < brackets.size()) objects += "\"a\":{";
  CHECK(refusal(file(objects, "")).ends_with("unexpected after \"a\""));
}

TEST_CASE("a name that is not plain is quoted") {
  auto no_dtype = [](const std::string& name) { return refusal(file("{\"" + name + "\":{}}", "")); };
  const std::string end = " is not of dtype F64";
  CHECK(no_dtype("layer0.attn_wq") == "the tensor layer0.attn_wq" + end);
  CHECK(no_dtype("") == "the tensor \"\"" + end);
  CHECK(no_dtype("two words") == "the tensor \"two words\"" + end);
  CHECK(no_dtype(R"(\n\u001b[31m\u00e9\")") == R"(the tensor "\n\u001b[31m\u00e9\"")" + end);
  const std::string long_name(1000, 'n');
  const std::string beginning(40, 'n');
  CHECK(no_dtype(long_name) == "the tensor \"" + beginning + "\"..." + end);
}

TEST_CASE("a safetensors file cut short anywhere is refused") {
  const std::string bytes = file(tiny_header, tiny_numbers);
  for (std::size_t n = 0; n < bytes.size(); n++) {
    CAPTURE(n);
    CHECK_THROWS_AS(parse(bytes.substr(0, n)), Error);
  }
}

TEST_CASE("a stream that cannot be read is refused with the reason") {
  std::istream nothing(nullptr);
  CHECK_THROWS_WITH_AS(read_safetensors(nothing), "its size cannot be determined", Error);
}

}  // namespace microgpt
