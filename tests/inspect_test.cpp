// How a model is looked at: pictures, tables, counts, and the page as a file.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <string>

#include "base/base64.h"
#include "inspect/likeliest.h"
#include "inspect/page.h"
#include "inspect/plot.h"
#include "inspect/published.h"
#include "inspect/work.h"
#include "scalar/ops.h"

namespace microgpt {
namespace {

// --- Inspect ---------------------------------------------------------------------------------------------------------

TEST_CASE("attention weights become a triangle labelled with the tokens that looked") {
  const Scope scope;
  const Tokenizer tokenizer(U"ab");
  const std::vector<Token> tokens{tokenizer.bos(), 1, 0, tokenizer.bos()};
  const std::vector<Values> weights{Values(1, [](std::size_t) { return 1.0; }),
                                    Values(2, [](std::size_t t) { return t == 0 ? 0.25 : 0.75; })};
  const Grid grid = attention_grid(weights, tokens, tokenizer);
  CHECK(grid.row_labels == std::vector<std::string>{".", "b"});
  CHECK(grid.col_labels == grid.row_labels);
  CHECK(grid.rows == std::vector<std::vector<double>>{{1}, {0.25, 0.75}});
  CHECK(times_even_share(grid).rows == std::vector<std::vector<double>>{{1}, {0.5, 1.5}});
  CHECK(numbers(grid) == "        .    b\n   . 1.00\n   b 0.25 0.75\n");
  CHECK(shades(grid) == "     . b\n   . ██\n   b ░░▓▓\n");
}

TEST_CASE("grids of different size stand next to each other, each under its title") {
  const Grid large{{"a", "b"}, {"a", "b"}, {{1, 0}, {1, 1}}};
  const Grid small{{"c"}, {"c"}, {{1}}};
  CHECK(shades({{"large", large}, {"small", small}, {"large", large}}) ==
        "     large        small        large\n"
        "     a b          c            a b\n"
        "   a ██         c ██         a ██\n"
        "   b ████                    b ████\n");
}

TEST_CASE("Values are printed side by side") {
  const Scope scope;
  CHECK(numbers(Values(2, [](std::size_t i) { return i == 0 ? 0.3416 : -12.0; })) == "  0.342 -12.000");
}

TEST_CASE("the likeliest tokens come first, and no more than there are") {
  const Tokenizer tokenizer(U"ab");
  const std::vector<double> p{0.25, 0.25, 0.5};
  CHECK(likeliest(p, tokenizer, 2) == ". 0.500, a 0.250");
  CHECK(likeliest(p, tokenizer, 9) == ". 0.500, a 0.250, b 0.250");
}

TEST_CASE("the work of a linear layer is its weights, that of a dot product its length") {
  const Scope scope;
  const Work before = work_on_tape();
  const Parameters parameters({{"w", 3, 2}});
  const Values x(2, [](std::size_t) { return 0.0; });
  const Values y = linear(x, Matrix(parameters["w"]));
  dot(y, y);
  softmax(y);
  const Work work = work_on_tape();
  CHECK(work.linear - before.linear == 6);
  CHECK(work.dot - before.dot == 3);
  CHECK(work.exp - before.exp == 3);
}

// --- Page ------------------------------------------------------------------------------------------------------------

TEST_CASE("base64 is that of RFC 4648, section 10") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("text that looks like HTML cannot leave the data of the page") {
  const std::string page = inspector_page(R"({"text":"</script><!-- /*STYLE*/ <script>"})");
  CHECK(page.find(R"({"text":"\u003c/script>\u003c!-- /*STYLE*/ \u003cscript>"})") != std::string::npos);
  CHECK(page.find("/*SCRIPT*/") == std::string::npos);
  CHECK(page.find("/*DATA*/") == std::string::npos);
}

TEST_CASE("the page names no host and forbids every connection") {
  const std::string page = inspector_page("{}");
  CHECK_FALSE(std::regex_search(page, std::regex("[a-z]://|src=|url\\(|@import")));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("connect-src 'none'") != std::string::npos);
}

// --- Published -------------------------------------------------------------------------------------------------------

TEST_CASE("published models have as many parameters as their publishers' files") {
  const std::map<std::string, std::size_t> published{
      {"gpt2", 124'439'808},
      {"gpt2-xl", 1'557'611'200},
      {"llama2-7b", 6'738'415'616},
      {"llama2-13b", 13'015'864'320},
      {"llama2-70b", 68'976'648'192},
      {"llama3-8b", 8'030'261'248},
      {"llama3-70b", 70'553'706'496},
      {"llama3-405b", 405'853'388'800},
      {"mistral-7b", 7'241'732'096},
      {"mixtral-8x7b", 46'702'792'704},
      {"gemma-2b", 2'506'172'416},
      {"gemma-7b", 8'537'680'896},
      {"falcon-7b", 6'921'720'704},
      {"qwen2-7b", 7'615'616'512},
      {"deepseek-v2-lite", 15'706'484'224},
      {"deepseek-v2", 235'741'434'880},
      {"deepseek-v3", 671'026'419'200},
  };
  CHECK(published_models().size() == published.size());
  for (const auto& file : published) {
    CAPTURE(file.first);
    CHECK(num_parameters(published_model(file.first)).value() == file.second);
  }
}

/// Numbers that a cache keeps of a token in all layers.
std::size_t kept(const PublishedModel& model) { return cache_bytes(model.attention, model.n_layer, 1, 1).value(); }

TEST_CASE("published models keep of a token what their papers say") {
  // DeepSeek-V2, tables 1 and 9: (d_c + d_h^R) l = 9/2 d_h l numbers for MLA, 34.6 thousand; 15.6 thousand for V2-Lite
  CHECK(kept(published_model("deepseek-v2")) == 60 * 9 * 128 / 2);
  CHECK(kept(published_model("deepseek-v2-lite")) == 27 * 9 * 128 / 2);
  // Llama 2's 7B keeps half a MiB in f16, and its 70B, with grouped queries, less than that
  CHECK(2 * kept(published_model("llama2-7b")) == 512 * 1024);
  CHECK(kept(published_model("llama2-70b")) == 80 * 2 * 8 * 128);
  // heads of 256 in a stream of 3072, so that 16 of them are wider than it
  CHECK(kept(published_model("gemma-7b")) == 28 * 2 * 16 * 256);
}

TEST_CASE("another kind of attention changes what attention has and keeps, and nothing else") {
  const PublishedModel& llama = published_model("llama2-7b");
  const PublishedModel gqa = with_attention(llama, "gqa");
  CHECK(gqa.attention.n_kv_head == 8);
  CHECK(kept(gqa) == kept(llama) / 4);
  CHECK(attention_parameters(gqa).value() == 32 * (2 * 4096 + 2 * 1024) * std::size_t{4096});
  CHECK(num_parameters(gqa).value() - attention_parameters(gqa).value() ==
        num_parameters(llama).value() - attention_parameters(llama).value());
  CHECK(with_attention(llama, "mha").attention.kind() == "mha");
  CHECK(kept(with_attention(llama, "mqa")) == kept(llama) / 32);

  const PublishedModel& deepseek = published_model("deepseek-v2");
  CHECK(kept(with_attention(deepseek, "mha")) == 60 * 2 * 128 * 128);
  CHECK(kept(with_attention(with_attention(deepseek, "mqa"), "mla")) == kept(deepseek));

  CHECK(with_attention(published_model("gpt2"), "gqa").attention.n_kv_head == 6);        // of 12
  CHECK(with_attention(published_model("gemma-2b"), "gqa").attention.n_kv_head == 4);    // of 8
  CHECK(with_attention(published_model("falcon-7b"), "gqa").attention.kind() == "mqa");  // 71 is prime
}

}  // namespace
}  // namespace microgpt
