// The tests of the reader's own microgpt. lessons/mine/mine.sh compiles them with -DSTAGE=n -Dmain=mine_main and
// -include mine/microgpt.cpp. What a stage tests stays true at later stages, unless the stages say otherwise. They run
// in the order of this file: what is elementary comes first, so that a mistake is seen where it was made.
//
// A `// wants:` comment stands above the first use of what a reader has to write. If that line does not compile, the
// comment is what the reader is shown.
#undef main
#include "lesson/teach.h"

namespace teach {  // what is declared here hides what a reader calls by the same name

#if STAGE >= 1 && STAGE <= 6
[[maybe_unused]] void wanted_1() {
  // wants: using Counts = std::vector<std::vector<double>>;
  Counts counts(27, std::vector<double>(27));
  // wants: void count_pairs(Counts& counts, const std::vector<Token>& tokens)
  count_pairs(counts, std::vector<Token>{});
  // wants: Token draw(const std::vector<double>& weights)
  Token drawn = draw(std::vector<double>{1, 2});
  // wants: std::string new_name(const Counts& counts)
  std::string name = new_name(counts);
}
#endif

#if STAGE >= 1
TESTS(1, stage_1_draw) {
  auto share = [](auto weights) {
    double hits = 0;
    if constexpr (requires { draw(weights); }) {  // in later stages something else may draw
      for (int i = 0; i < 4000; i++) hits += draw(weights) == 2;
      return hits / 4000;
    }
    return 0.75;
  };
  calling("draw({1, 0, 3}), 4000 times: the share of index 2",
          "Index 2 has three quarters of the weight. std::discrete_distribution does just this. Or draw a number below "
          "the sum, and take each weight off it, until it is below the next.");
  usual({0.3333}, "All three come equally often: the weights are not used.");
  usual({0.5}, "Index 0 and 2 come equally often: the weights are not used.");
  usual({0.5714}, "draw() takes the weights as they are, not {2, 1, 4}. Or does it draw whole numbers only?");
  usual({1}, "It always draws the largest weight. Is it a maximum? Or is the generator made anew in each call?");
  usual({0},
        "Index 2 never comes. Is the generator made anew in each call? Are indices counted from 0? Is a number "
        "drawn below 1, not below the sum of the weights? Or are two whole numbers divided? 1 / 2 is 0.");
  should_be(share(std::vector<double>{1, 0, 3}), {0.75}, 0.03);
  calling("draw({0.1, 0.1, 0.6}), 4000 times: the share of index 2", "Weights may be any numbers, as probabilities.");
  usual({0.875}, "A weight that the number is not below is to be taken off before the next is looked at.");
  should_be(share(std::vector<double>{0.1, 0.1, 0.6}), {0.75}, 0.03);
}
#endif

#if STAGE >= 1 && STAGE <= 6
TESTS(1, stage_1) {
  Counts counts(27, std::vector<double>(27));
  auto seen = [&] { return Numbers{counts[26][0], counts[0][13], counts[13][13], counts[13][26]}; };
  auto count = [&] {
    count_pairs(counts, encode("ann"));
    return seen();
  };
  calling("count_pairs(counts, encode(\"ann\")): the counts of BOS-a, a-n, n-n and n-BOS",
          "The pairs of BOS a n n BOS are BOS-a, a-n, n-n and n-BOS. Each of them counts one more.");
  usual({0, 0, 1, 0}, "Rows and columns are exchanged: counts[first][second] is how often second came after first.");
  usual({1, 1, 1, 0}, "The last pair is missing. The name ends with BOS, and that is a pair, too.");
  usual({0, 1, 1, 1}, "The first pair is missing. The name begins with BOS, and that is a pair, too.");
  usual({0, 0, 0, 0}, "Nothing was counted. Does count_pairs change a copy? Its first parameter is a Counts&.");
  should_be(count(), {1, 1, 1, 1});
  calling("The same name a second time: the counts", "Each pair has come twice now.");
  usual({1, 1, 1, 1}, "Does count_pairs() write  = 1  where it should add?");
  should_be(count(), {2, 2, 2, 2});
  counts = Counts(27, std::vector<double>(27));
  counts[26][0] = counts[0][13] = counts[13][26] = 1e12;  // who adds 1 to each count may do so
  calling("new_name() of a table that has only seen \"an\"",
          "Start at BOS. Draw from its row, go to the row of what was drawn, and so on until BOS comes.");
  usual_text("aaaaaaaaaaaaaaaa", "Each letter comes from the row of BOS. Go on to the row of the letter just drawn.");
  usual_text(std::string("an\0", 3), "BOS was written into the name. It ends the name, and is not a letter of it.");
  usual_text("n", "The first letter is lost. It is drawn from the row of BOS, and belongs to the name.");
  should_read(new_name(counts), "an");
  counts[13][26] = 0;
  counts[13][0] = 1e12;
  calling("new_name() of a table in which no name ends: its length",
          "A name that does not end by itself is cut off after 16 letters.");
  usual({17}, "One letter too many: look at the length before a letter is added.");
  should_be(double(new_name(counts).size()), {16});
}
#endif

// --- Value ---
#if STAGE >= 4
[[maybe_unused]] void wanted_4() {
  // wants: struct Value, made from a number: Value a = 2.0;
  const Value a = 2.0;
  // wants: double Value::data() const
  double data = a.data();
  // wants: double Value::grad() const
  double grad = a.grad();
  // wants: Value operator+(Value a, Value b), also for a plain number: a + 1.0
  Value sum = a + a, more = a + 1.0;
  // wants: Value operator*(Value a, Value b), also for a plain number: a * 2.0
  Value product = a * a, twice = a * 2.0;
}

TESTS(4, stage_4) {
  const Value alone = 0.1;
  calling("Value a = 0.1: a.data(), a.grad()", "Its data is the number, as a double (no float); its gradient is 0.");
  usual({0.1, 1}, "A gradient starts at 0. Only the result of backward() has a gradient of 1.");
  should_be(Numbers{alone.data(), alone.grad()}, {0.1, 0}, 1e-12);
  calling("Value x = 7, y = x * 2; then 30,000 times x + 1: x, y and the last of them",
          "Did the nodes move? A full std::vector moves what it holds, a std::deque never. Is an array full?");
  usual({7, 9, 8}, "y is the sum. x * 2 is a product.");
  usual({7, 14, 6}, "The operator + takes away. That is a - b.");
  usual({7, 14, 7}, "x + 1 is 7 still: does the operator + multiply, or leave out what is on its right?");
  const Value x = 7, y = x * 2;
  Value sum = x;
  for (int i = 0; i < 30000; i++) sum = x + 1;
  std::vector<Numbers> noise;  // takes the memory that nodes have left, if they moved
  for (std::size_t size = 1; size < 600; size++) noise.push_back(Numbers(size, -1));
  should_be(Numbers{x.data(), y.data(), sum.data()}, {7, 14, 8});
  const Value a = 2, b = -3;
  calling("a + b with a = 2, b = -3", "2 - 3 is -1.");
  usual({-6}, "That is the product.");
  usual({5}, "That is a - b.");
  should_be(a + b, {-1});
  calling("a * b with a = 2, b = -3", "2 times -3 is -6.");
  usual({-1}, "That is the sum.");
  should_be(a * b, {-6});
  calling("a * b + 10.0 with a = 2, b = -3", "-6 + 10 is 4.");
  should_be(a * b + 10.0, {4});
  calling(
      "Value sum = 1, then sum = sum + 1, 30,000 times; then all of them go",
      "The end of a node ends the one that it was made of, and so on: destructors in destructors, 30,000 deep. Keep "
      "all nodes in a list, as lesson 04 does, or end them in a loop.");
  Value chain = 1;
  for (int i = 0; i < 30000; i++) chain = chain + 1;
  const double last = chain.data();
  chain = 1;
  should_be(last, {30001});
}
#endif

#if STAGE >= 5
[[maybe_unused]] void wanted_5() {
  // wants: void Value::backward() const
  Value(2.0).backward();
}

TESTS(5, stage_5) {
  auto small = [](int times, bool is_mirrored = false) {
    const Value a = 2, b = -3, u = a * b, v = u + 10, L = is_mirrored ? v * u : u * v;
    for (int i = 0; i < times; i++) L.backward();
    return Numbers{a.grad(), b.grad(), u.grad(), v.grad()};
  };
  {
    calling("Value a = 2, then a * 5.5, then backward(): a.grad()", "As a grows, a * 5.5 grows 5.5 times as much.");
    usual({5}, "A slope is a double. Are local gradients kept as whole numbers?");
    usual({0}, "Nothing arrived. Is the gradient of the result 1, before the way back begins? Does it begin there?");
    usual({2}, "The local gradients of a * b are exchanged: for a it is b, and for b it is a.");
    usual({1}, "A child gets its local gradient times the gradient of its parent. One of the two is missing.");
    const Value a = 2;
    (a * 5.5).backward();
    should_be(a.grad(), {5.5});
  }
  {
    calling("Value a = 2, b = 5, then a + b, then backward(): a.grad(), b.grad()", "If one grows, so does a + b.");
    usual({5, 2}, "Those are the local gradients of a * b. For a + b they are 1 and 1.");
    usual({1, 0}, "Only the first child got its share. A node hands on to all of its children.");
    const Value a = 2, b = 5;
    (a + b).backward();
    should_be(Numbers{a.grad(), b.grad()}, {1, 1});
  }
  {
    calling("Value a = 2, then a * a, then backward(): a.grad()", "a has two shares in a * a: 2 through each factor.");
    usual({2}, "a was used twice, and one of its two shares is lost. Does backward() write  =  where it should add?");
    const Value a = 2;
    (a * a).backward();
    should_be(a.grad(), {4});
  }
  calling("u = a * b, v = u + 10, L = u * v with a = 2, b = -3; L.backward(): the gradients of a, b, u and v",
          "Lesson 03 works this out on paper. A node hands on only when all of its shares have arrived.");
  usual({-12, 8, -2, -6}, "u handed on before all of its shares had arrived. Go from the last node to the first.");
  usual({0, 0, 4, -6}, "u never handed on what it had. Does the way back go from the last node to the first?");
  usual({0, 0, -2, -6}, "u never handed on what it had. Does the way back go from the last node to the first?");
  usual({18, -12, -6, -6}, "Only one of the two shares of u arrived. Does backward() write  =  where it should add?");
  usual({-3, 10, 5, -6}, "A child gets its local gradient times that of its parent. One of the two is missing.");
  usual({-3, 2, 5, -6}, "A child gets its local gradient times the gradient of its parent. The second is missing.");
  should_be(small(1), {6, -4, -2, -6});
  calling("The same with L = v * u: the gradients of a, b, u and v",
          "Whichever factor stands first, u hands on when all of its shares have arrived, and one comes through v.");
  usual({-12, 8, -2, -6}, "u handed on before all of its shares had arrived. Go from the last node to the first.");
  should_be(small(1, true), {6, -4, -2, -6});
  calling("The same u = a * b, v = u + 10, L = u * v, and L.backward() twice: the gradients of a, b, u and v",
          "Computed nodes start each backward() at 0. Leaves, such as a and b, add up.");
  usual({6, -4, -2, -6}, "The leaves a and b should keep what they have, and add. Only computed nodes start at 0.");
  for (const Numbers& kept : {Numbers{36, -24, -10, -12}, {18, -12, -4, -12}, {24, -16, -6, -18}})
    usual(kept, "u and v kept what they had. Set computed nodes to 0 first, and leave a and b as they are.");
  should_be(small(2), {12, -8, -2, -6});
  {
    calling("y = x * 2, z = x * 5, then y.backward(): x.grad()", "y grows twice as fast as x. z is not asked.");
    usual({7}, "z was not asked. Only the node on which backward() is called starts with a gradient of 1.");
    const Value x = 3, y = x * 2, z = x * 5;
    y.backward();
    should_be(x.grad(), {2});
  }
  {
    calling("x + x, the same with the result, and so on, 60 times, then backward(): x.grad()",
            "Each node should hand on once. Walking every path takes for ever (lesson 03).");
    Value x = 1, sum = x;
    for (int i = 0; i < 60; i++) sum = sum + sum;
    sum.backward();
    should_be(x.grad(), {std::pow(2, 60)});
  }
}
#endif

#if STAGE >= 2 && STAGE <= 5
[[maybe_unused]] void wanted_2() {
  // wants: std::vector<double> probabilities(const std::vector<double>& row)
  std::vector<double> p = probabilities(std::vector<double>{1, 2});
  // wants: double document_loss(const Counts& counts, const std::vector<Token>& tokens)
  double loss = document_loss(Counts{}, std::vector<Token>{});
}
#endif

#if STAGE >= 3 && STAGE <= 5
[[maybe_unused]] void wanted_3() {
  // wants: std::vector<double> softmax(std::vector<double> scores)
  std::vector<double> p = softmax(std::vector<double>{1, 0});
}
#endif

#if STAGE >= 6
[[maybe_unused]] void wanted_6() {
  // wants: using List = std::vector<Value>;
  List list{Value(1.0), Value(2.0)};
  // wants: List softmax(List scores)
  List p = softmax(list);
  // wants: Value operator-(Value a, Value b), and Value operator-(Value a)
  Value difference = -(list[0] - list[1]);
  // wants: Value operator/(Value a, Value b)
  Value quotient = list[0] / list[1];
  // wants: Value exp(Value x)
  Value e = exp(list[0]);
  // wants: Value log(Value x)
  Value l = log(list[0]);
  // wants: Value pow(Value x, double y)
  Value power = pow(list[0], 3.0);
  // wants: Value relu(Value x)
  Value bend = relu(list[0]);
#if STAGE == 6
  // wants: Value document_loss(const Counts& counts, const std::vector<Token>& tokens)
  Value loss = document_loss(Counts{}, std::vector<Token>{});
#endif
}
#endif

#if STAGE >= 6
TESTS(6, stage_6) {
  auto slopes = [](auto make) {
    const Value x = 2, y = 4, result = make(x, y);
    result.backward();
    return Numbers{result.data(), x.grad(), y.grad()};
  };
  const std::string with = " with x = 2, y = 4: the number, and the gradients of x and y";
  calling("x - y" + with, "x - y is x + -y, and -y is y * -1.");
  usual({-2, 1, 1}, "y is subtracted: if it grows, the result falls.");
  should_be(slopes([](Value x, Value y) { return x - y; }), {-2, 1, -1});
  calling("-x" + with, "-x is x * -1.");
  should_be(slopes([](Value x, Value) { return -x; }), {-2, -1, 0});
  calling("exp(x)" + with, "The slope of exp(x) is exp(x). It is no whole number: is a slope an int?");
  usual({7.3891, 2, 0}, "The slope of exp(x) is exp(x), not x.");
  usual({7.3891, 1, 0}, "The slope of exp(x) is exp(x), not 1.");
  should_be(slopes([](Value x, Value) { return exp(x); }), {7.3890560989, 7.3890560989, 0});
  calling("log(x)" + with, "log is the natural logarithm. Its slope is 1 / x.");
  usual({0.6931, 2, 0}, "The slope of log(x) is 1 / x, not x.");
  usual({0.6931, 1.4427, 0}, "The slope of log(x) is 1 / x, not 1 / log(x).");
  should_be(slopes([](Value x, Value) { return log(x); }), {0.6931471806, 0.5, 0});
  calling("pow(x, 3)" + with, "The slope of pow(x, y) is y * pow(x, y - 1): 3 * 2 * 2.");
  usual({8, 24, 0}, "The exponent of the slope is one less: y * pow(x, y - 1).");
  usual({8, 4, 0}, "The slope of pow(x, y) is y * pow(x, y - 1). The factor y is missing.");
  should_be(slopes([](Value x, Value) { return pow(x, 3); }), {8, 12, 0});
  calling("pow(x, 0.5)" + with, "Its slope is 0.5 * pow(x, -0.5). An exponent need not be whole: double y.");
  should_be(slopes([](Value x, Value) { return pow(x, 0.5); }), {1.4142135624, 0.3535533906, 0});
  calling("x / y" + with, "x / y is x * pow(y, -1).");
  usual({0.5, 0.25, 0.125}, "The sign of y's gradient: if y grows, the quotient falls.");
  usual({0.5, 0.25, 0}, "y got no gradient. Was a plain number made of it on the way?");
  usual({0.5, 0.25, -0.0625}, "The slope of 1 / y is -1 / (y * y), and x is one more factor.");
  usual({2, -1, 0.5}, "That is y / x.");
  should_be(slopes([](Value x, Value y) { return x / y; }), {0.5, 0.25, -0.125});
  calling("relu(x)" + with, "relu leaves positive numbers as they are, so its slope is 1.");
  should_be(slopes([](Value x, Value) { return relu(x); }), {2, 1, 0});
  calling("relu(-y)" + with, "relu makes negative numbers 0, and its slope is 0 there.");
  usual({0, 0, -1}, "Where relu cuts off, it stays 0 however y moves: the slope is 0 there.");
  usual({-4, 0, -1}, "relu makes negative numbers 0.");
  should_be(slopes([](Value x, Value y) { return relu(-y); }), {0, 0, 0});
  calling("scores {1, 0, -1}, then -log(softmax(scores)[1]), then backward(): the gradients of the scores",
          "Lesson 02: these slopes are the probabilities, minus 1 for the letter that came.");
  usual({0, 0, 0}, "No gradient arrives. softmax() has to compute with Values all the way, not with data().");
  usual({0, -1, 0}, "Everyone's score is in the sum, so all get a slope. Is each divided by it, and is it a Value?");
  usual({NAN, NAN, NAN}, "Not a number: the log of 0. Are the exponentials divided by their sum, or the scores?");
  const List scores{1.0, 0.0, -1.0};  // a Value may also be made of a pointer, as which 0 would count
  (-log(softmax(scores)[1])).backward();
  should_be(Numbers{scores[0].grad(), scores[1].grad(), scores[2].grad()}, {0.6652409558, -0.7552715289, 0.0900305732});
}
#endif

#if STAGE >= 3
#if STAGE >= 6
using Scores = List;
#else
using Scores = std::vector<double>;
#endif

TESTS(STAGE >= 6 ? 6 : 3, stage_3) {
  calling("softmax({1, 0, -1})", "Take exp of each score, then divide each by the sum of all.");
  for (const Numbers& shares : {Numbers{2.7183, 1, 0.3679}, {1, 0.3679, 0.1353}, {0.9061, 0.3333, 0.1226}}) {
    usual(shares, "These are the exponentials. Divide them by their sum (accumulate(..., 0) adds whole numbers: 0.0).");
  }
  usual({0.3333, 0.3333, 0.3333}, "All equal: were the scores used?");
  usual({0.6652, 0, -0.6652}, "The scores themselves are divided by the right sum. Does a loop change copies?");
  usual({0.2447, 0.0900, 0.0331}, "If the largest score is taken away, then from the scores in the sum, too.");
  usual({0.6652, 0.4223, 0.2685}, "The sum grows while you divide by it. Add up all exponentials first.");
  usual({1, 0.2689, 0.0900}, "The sum grows while you divide by it. Add up all exponentials first.");
  usual({0.0900, 0.2447, 0.6652}, "Upside down: is it exp(-x) in place of exp(x)?");
  should_be(softmax(Scores{1, 0.0, -1}), {0.6652409558, 0.2447284711, 0.0900305732});
  calling("softmax({1000, 1000})", "Two equal scores share evenly.");
  usual({NAN, NAN},
        "exp(1000) is infinite, and infinity / infinity is not a number. Which change of all scores changes no share?");
  should_be(softmax(Scores{1000, 1000}), {0.5, 0.5});
  calling("softmax({0, 1000})", "The second has it all: its exponential is e^1000 times that of the first.");
  usual({0, NAN}, "exp(1000) is infinite. Subtract the largest score from all, not the first or the smallest.");
  should_be(softmax(Scores{0.0, 1000}), {0, 1});
  calling("softmax({-1000, -1000, -1001})", "Only differences of scores matter: 0, 0 and -1 give the same.");
  usual({NAN, NAN, NAN}, "All exponentials are 0. Is the largest score found among the scores, or is it 0 at least?");
  should_be(softmax(Scores{-1000, -1000, -1001}), {0.4223187982, 0.4223187982, 0.1553624035});
}
#endif

#if STAGE >= 2 && STAGE <= 5
TESTS(2, stage_2) {
  calling("probabilities({0, 2, 1})", "Add 1 to each count, then divide by the sum of these: 1, 3 and 2 of 6.");
  usual({0, 0.6667, 0.3333},
        "What was never seen has no chance at all, and the loss of a name with such a pair is infinite. Count each "
        "pair once more than it was seen.");
  usual({0, 0.3333, 0.1667}, "They add up to a half. Add 1 to each count as well, not only to the sum.");
  usual({0.0900, 0.6652, 0.2447}, "softmax() takes exp of each score. So the score is the logarithm of the count.");
  usual({0.3333, 1, 0.6667}, "They add up to 2. The sum has to contain the pretended counts as well.");
  should_be(probabilities(std::vector<double>{0, 2, 1}), {1.0 / 6, 3.0 / 6, 2.0 / 6});
}
#endif

#if STAGE >= 2 && STAGE <= 6
TESTS(STAGE == 6 ? 6 : 2, stage_2_loss) {
  Counts counts(27, std::vector<double>(27));
  calling("document_loss() of \"ann\", when nothing was counted",
          "All 27 tokens are equally likely, so each surprise is log(27), and so is their mean.");
  usual({0}, "1 / n of whole numbers is 0: write 1.0 / n.");
  usual({13.1833}, "This is the sum of four surprises. The loss is their mean.");
  usual({-3.2958}, "The sign: a probability below 1 has a negative logarithm, so the surprise is minus that.");
  usual({3}, "Each surprise lost what is behind the point: int loss, or accumulate(..., 0), adds whole numbers.");
  usual({4.7549}, "This is a logarithm to the base 2. The natural logarithm is std::log.");
  usual({1.4314}, "This is a logarithm to the base 10. The natural logarithm is std::log.");
  usual({2.6367}, "Divided by the number of tokens. There is one prediction less: nothing predicts the first BOS.");
  usual({2.4719}, "A prediction is missing: that of the first letter, after BOS, or that of BOS, after the last.");
  should_be(document_loss(counts, encode("ann")), {std::log(27)});
  counts[0][13] = 27;
  calling("document_loss() of \"an\", when n came 27 times after a",
          "The probability of n after a is 28 of 54. The two others are 1 of 27.");
  usual({3.2958}, "The count was not used. Is it row and column that are exchanged?");
  usual({3.527}, "The row is that of the token before, and the column that of the token that came.");
  should_be(document_loss(counts, encode("an")), {2.4161510895});
}
#endif

// --- Parts of a model that learns ---
#if STAGE >= 7
[[maybe_unused]] void wanted_7() {
  // wants: using Matrix = std::vector<List>;
  Matrix w{{1, 2, 3}, {4, 5, 6}};
  // wants: Matrix matrix(std::size_t nout, std::size_t nin)
  w = matrix(2, 3);
  // wants: List params;  // every number that training may change
  params.push_back(w[0][0]);
#if STAGE == 7
  // wants: struct Model { Matrix table; };
  Model model;
  model.table = w;
  // wants: List gpt(const Model& model, Token token_id)
  List logits = gpt(model, Token(1));
#endif
#if STAGE <= 12
  // wants: void sgd(double learning_rate)
  sgd(0.1);
#endif
#if STAGE == 7
  // wants: Value document_loss(const Model& model, const std::vector<Token>& tokens)
  Value loss = document_loss(model, std::vector<Token>{});
#endif
#if STAGE <= 13
  // wants: std::string new_name(const Model& model)
  std::string name = new_name(Model{});
#endif
}

TESTS(7, stage_7) {
  const std::size_t before = params.size();
  const Matrix w = matrix(20, 30);
  calling("matrix(20, 30): its rows, the numbers in a row, and how many params it added",
          "20 rows of 30 numbers, and each of the 600 is in params.");
  usual({30, 20, 600}, "Rows and columns are exchanged: nout rows of nin numbers.");
  usual({20, 30, 0}, "The weights have to be in params as well: that is how training finds them.");
  usual({20, 30, 20}, "Every single weight belongs in params.");
  should_be(Numbers{double(w.size()), double(w[0].size()), double(params.size() - before)}, {20, 30, 600});
  auto size_of = [](const Matrix& m) {
    double squares = 0;
    for (const List& row : m) {
      for (const Value& x : row) squares += x.data() * x.data();
    }
    return std::sqrt(squares / double(m.size() * m[0].size()));
  };
  calling("matrix(20, 30): do its first two rows differ? (1: yes)",
          "All rows are the same. Draw each weight on its own, not one row (or one weight) for all.");
  should_be(double(w[0][0].data() != w[1][0].data()), {1});
  calling("two matrices: do they differ? (1: yes)",
          "Two matrices begin with the same number. Is the generator made anew in each call? Use random_bits.");
  should_be(double(matrix(1, 1)[0][0].data() != w[0][0].data()), {1});
  calling("two matrices: how many params they added", "params keeps what the matrices before have put there.");
  should_be(double(params.size() - before), {601});
  {
    calling("w = matrix(2, 2), then (w[0][0] * 3).backward(): all four gradients", "Each weight has its own Value.");
    usual({3, 3, 0, 0}, "All weights of a row are one and the same node. Each needs a Value of its own.");
    usual({3, 3, 3, 3}, "All weights are one and the same node. List(nin, x) copies a pointer nin times.");
    const Matrix m = matrix(2, 2);
    (m[0][0] * 3).backward();
    const Numbers slopes{m[0][0].grad(), m[0][1].grad(), m[1][0].grad(), m[1][1].grad()};
    (m[0][0] * -3).backward();  // leaves no gradient behind
    should_be(slopes, {3, 0, 0, 0});
  }
  calling("matrix(20, 30): the typical size of a weight (root mean square)",
          "Draw each from std::normal_distribution<double>(0, 0.08).");
  usual({0.2828}, "0.08 is the standard deviation. Its root was used.");
  usual({0.0064}, "0.08 is the standard deviation. Its square was used.");
  should_be(size_of(w), {0.08}, 0.02);
}
#endif

#if STAGE >= 7 && STAGE <= 12
TESTS(7, stage_7_sgd) {
  const Value w = matrix(1, 1)[0][0];
  const double start = w.data();
  auto moved = [&] {
    (w * 3).backward();
    sgd(0.1);
    return Numbers{w.data() - start, w.grad()};
  };
  calling("a weight w, then (w * 3).backward(), then sgd(0.1): how far w moved, and w.grad()",
          "Each parameter moves by minus the learning rate times its gradient. Then its gradient is 0.");
  usual({0.3, 0}, "It went uphill. The gradient says where the loss grows; go the other way.");
  usual({-0.3, 3}, "The gradient is still there, and would be added to that of the next name. Set it to 0.");
  usual({0, 3}, "Nothing moved. Does sgd() change a copy, or params hold other Values than the matrix?");
  usual({0, 0}, "Nothing moved. Was the gradient set to 0 before it was used?");
  usual({-0.1, 0}, "It moved by the learning rate alone. The step is the learning rate times the gradient.");
  usual({-3, 0}, "It moved by the whole gradient. Multiply it by the learning rate.");
  should_be(moved(), {-0.3, 0});
}
#endif

#if STAGE >= 8
[[maybe_unused]] void wanted_8() {
  // wants: List linear(const List& x, const Matrix& w)
  List y = linear(List{1, 2}, Matrix{{1, 2}});
  // wants: struct Model { Matrix wte, wpe, lm_head; };
  Model model;
  model.wte = model.wpe = model.lm_head = Matrix{{1, 2}};
#if STAGE == 8
  // wants: List gpt(const Model& model, Token token_id, std::size_t pos_id)
  List logits = gpt(model, Token(1), 2);
#endif
  // wants: Value document_loss(const Model& model, const std::vector<Token>& tokens)
  Value loss = document_loss(model, std::vector<Token>{});
}

TESTS(8, stage_8) {
  const Matrix w{{1, 2}, {3, 4}, {5, 6}};
  calling("linear({5, 6}, {{1, 2}, {3, 4}, {5, 6}})",
          "One number for each row: 1 * 5 + 2 * 6, then 3 * 5 + 4 * 6, then 5 * 5 + 6 * 6.");
  usual({35, 44}, "Each number of the result belongs to one row of w, not to a column.");
  usual({30, 36}, "Each number of the result belongs to one row of w, not to a column.");
  usual({17, 56, 117}, "The sum was not set to 0 again before the next row.");
  usual({12, 24, 36}, "Multiply by x number by number, and add up.");
  should_be(linear(List{5, 6}, w), {17, 39, 61});
  calling("linear({0.5, 0}, {{1, 1}})", "Sums are of doubles: accumulate(..., 0) adds whole numbers.");
  should_be(linear(List{0.5, 0.0}, Matrix{{1, 1}}), {0.5});
  auto slopes = [&] {
    const List x{5, 6}, y = linear(x, w);
    (y[0] * 0.1 + y[1] * -0.2).backward();
    return Numbers{w[0][0].grad(), w[0][1].grad(), w[1][0].grad(), w[1][1].grad(), x[0].grad(), x[1].grad()};
  };
  calling("the same, y[0] * 0.1 + y[1] * -0.2, backward(): the gradients of two rows of w, and of x",
          "Lesson 02: a weight's slope is its input times the slope of its output.");
  usual({0, 0, 0, 0, 0, 0}, "No gradient arrives. Was data() used on the way?");
  usual({0.5, 0.6, -1, -1.2, 0, 0}, "x gets no gradient. Was data() of x used on the way?");
  usual({0, 0, 0, 0, -0.5, -0.6}, "The weights get no gradient. Was data() of w used on the way?");
  should_be(slopes(), {0.5, 0.6, -1, -1.2, -0.5, -0.6});
}
#endif

#if STAGE >= 9
[[maybe_unused]] void wanted_9() {
  // wants: using Cache = std::vector<List>;
  Cache keys, values;
  // wants: List attention(const List& q, const Cache& keys, const Cache& values)
  List mixed = attention(List{1, 2}, keys, values);
  // wants: struct Model with Matrix attn_wq, attn_wk, attn_wv, attn_wo
  Model model;
  model.attn_wq = model.attn_wk = model.attn_wv = model.attn_wo = Matrix{{1}};
  // wants: List gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values)
  List logits = gpt(model, Token(0), 0, keys, values);
}

TESTS(9, stage_9) {
  const List q{1, 2};
  const Cache keys{{1, 0.0}, {0.0, 1}, {1, 1}}, values{{4, 0.0}, {0.0, 2}, {2, 2}};
  calling("attention({1, 2}, keys {1, 0} {0, 1} {1, 1}, values {4, 0} {0, 2} {2, 2})",
          "Lesson 07: scores 1, 2, 3; divided by the root of 2, as a key has 2 numbers; softmax; mix the values.");
  usual({1.691, 1.82}, "The scores were not divided by the root of their length: of 2, that is 1.41, and not int.");
  usual({1.758, 1.627}, "Divided by the length itself. It is the root of the length.");
  usual({7.071, 7.071}, "softmax is missing: weights are softmax(scores).");
  usual({0.716, 0.86}, "That is a mixture of the keys. Keys are compared, values are mixed.");
  should_be(attention(q, keys, values), {1.7120676706, 1.7199415099});
  calling("the same, first number, then backward(): the gradients of q",
          "The scores are computed from the query, so the gradient goes back to it through softmax.");
  usual({0, 0}, "No gradient arrives at the query. Compute scores and weights with Values, not with data().");
  attention(q, keys, values)[0].backward();
  should_be(Numbers{q[0].grad(), q[1].grad()}, {0.34380900633, -0.2265410581});
}
#endif

#if STAGE >= 10
[[maybe_unused]] void wanted_10() {
  // wants: struct Model with std::size_t n_head = 4;
  Model model;
  model.n_head = 2;
  // wants: List heads(const List& q, const Cache& keys, const Cache& values, std::size_t n_head)
  List x_attn = heads(List{1, 2}, Cache{}, Cache{}, 1);
}

TESTS(10, stage_10) {
  calling("Model().n_head", "Four heads, until somebody sets another number.");
  should_be(double(Model().n_head), {4});
  const List q{1, 2, 0.0, 3, 0.0, 1};
  const Cache keys{
      {1, 0.0, 0.0, 0.0, 0.0, 1}, {0.0, 1, 0.0, 0.0, 2, 0.0}, {0.0, 0.0, 3, 1, 0.0, 0.0}, {1, 1, 0.0, 0.0, 1, 2}};
  const Cache values{{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}, {0.0, 0.0, 0.0, 9, 9, 9}, {7, 0.0, 7, 0.0, 7, 0.0}};
  calling("heads() with 2 heads at 4 positions, a width of 6",
          "Head h has the numbers from h * head_dim on, head_dim of them, of q, of every key and of every value. What "
          "the heads find stands side by side, that of head 0 first.");
  usual({5.203, 1.674, 4.963, 4.259, 6.722, 4.777}, "Every head reads the keys of head 0. Slice them, too.");
  usual({5.203, 1.674, 4.963, 2.584, 0.7377, 2.719}, "Every head reads the values of head 0. Slice them, too.");
  usual({5.203, 1.674, 4.963, 3.135, 3.956, 2.003}, "Every head has the query of head 0. Slice it, too.");
  usual({5.39, 7.236, 5.255, 4.963, 1.674, 5.203}, "The numbers stand in the other order: add each at the end.");
  usual({4.762, 1.753, 4.576, 4.853, 6.853, 4.976}, "A head divides by the root of head_dim, not of the whole width.");
  usual({5.496, 1.59, 1.234, 7.237, 6.133, 2.723}, "head_dim and n_head are exchanged: 2 heads of 3 numbers each.");
  should_be(heads(q, keys, values, 2),
            {5.2026681268, 1.6738715906, 4.9628461945, 5.255221373, 7.2362309835, 5.389853548});
  calling("heads() with 3 heads", "With 3 heads and a width of 6, head_dim is 2.");
  should_be(heads(q, keys, values, 3),
            {5.4963396444, 1.5902390178, 1.2343344535, 7.2366650664, 6.13328666, 2.7229695399});
}
#endif

#if STAGE >= 11
[[maybe_unused]] void wanted_11() {
  // wants: List rmsnorm(List x)
  List x = rmsnorm(List{7, 1});
}

TESTS(11, stage_11) {
  calling("rmsnorm({7, 1})", "Mean square: (49 + 1) / 2 = 25. Its root is 5. So {7 / 5, 1 / 5}.");
  usual({1.40007, 0.20001}, "Very nearly. 1e-5 is added to the mean square, under the root.");
  usual({7, 1}, "Nothing was divided. Do copies change? Or is the exponent 0, as 1 / 2 is, or an int y of pow()?");
  usual({1.4, 0.822}, "The mean square changed while x did. Compute it once, before the division.");
  usual({0.28, 0.04}, "The root is missing: divide by the root of the mean square.");
  usual({0.9899, 0.1414}, "That is the sum of the squares. Divide it by how many there are: a mean.");
  usual({1, -1}, "The mean was subtracted. RMSNorm only divides.");
  should_be(rmsnorm(List{7, 1}), {1.39999972, 0.19999996}, 1e-5);
  calling("rmsnorm({0, 0})", "Zeros stay zeros.");
  usual({NAN, NAN}, "0 divided by 0. Add 1e-5 to the mean square before the root is taken.");
  should_be(rmsnorm(List{0.0, 0.0}), {0, 0});
  calling("rmsnorm({0.001, 0.001})", "Add 1e-5 to the mean square: 0.001 divided by the root of 0.000011.");
  should_be(rmsnorm(List{0.001, 0.001}), {0.3015113446, 0.3015113446});
  {
    calling("x {7, 1}, then rmsnorm(x)[0], then backward(): the gradients of x",
            "x[0] is in the scale, too: a little more of it makes the scale smaller.");
    usual({0.2, 0}, "The scale is made of x as well, and has to be a Value. Was data() used for it?");
    const List x{7, 1};
    rmsnorm(x)[0].backward();
    should_be(Numbers{x[0].grad(), x[1].grad()}, {0.004, -0.028}, 1e-5);
  }
}
#endif

#if STAGE >= 12
[[maybe_unused]] void wanted_12() {
  // wants: struct Model with Matrix mlp_fc1, mlp_fc2
  Model model;
  model.mlp_fc1 = model.mlp_fc2 = Matrix{{1}};
}
#endif

#if STAGE >= 13
[[maybe_unused]] void wanted_13() {
  // wants: void adam(double learning_rate, std::size_t step)
  adam(0.3, std::size_t(0));
}

TESTS(13, stage_13) {
  const Matrix weights = matrix(1, 2);
  const Value steep = weights[0][0], flat = weights[0][1];
  const double from_steep = steep.data(), from_flat = flat.data();
  auto moved = [&](double slope, std::size_t step) {
    (steep * slope + flat * 0.001).backward();
    adam(0.3, step);
    return Numbers{steep.data() - from_steep, flat.data() - from_flat, steep.grad()};
  };
  const std::string after = ": how far both moved, and the gradient then";
  calling("two weights with gradients -10 and 0.001, then adam(0.3, 0)" + after,
          "At the first step, step + 1 is 1: the corrected means are the gradient and its square, both move by 0.3. "
          "m is 0.85 of the old m and 0.15 of the gradient, v 0.99 of the old v and 0.01 of its square. (Inf: a "
          "correction divides by 1 - 0.85^0. The exponents are step + 1.)");
  usual({0, 0, -10}, "Nothing moved. Does adam() change a copy: Node p = ... for Node& p = ...?");
  usual({0.03, -297.03, 0}, "The root of v_hat is missing: v is a mean of squares.");
  usual({0.45, -0.45, 0}, "The corrections are missing. m and v begin at 0, so at first they are too small.");
  usual({3, -3, 0}, "v is not corrected. v_hat is v divided by 1 - 0.99^(step+1).");
  usual({0.045, -0.045, 0}, "m is not corrected. m_hat is m divided by 1 - 0.85^(step+1).");
  usual({0.3, -0.29851, 0}, "Very nearly. 1e-8 is added to the root of v_hat, not under the root.");
  usual({0.005164, -0.005164, 0}, "0.85 and 0.99 are exchanged: m keeps 0.85 of what it was, and v 0.99.");
  usual({NAN, -0.009487, 0}, "v is a mean of the gradients' squares, not of the gradients.");
  usual({1.162, -1.162, 0}, "m and v have corrections of their own: 1 - 0.85^(step+1) and 1 - 0.99^(step+1).");
  usual({NAN, NAN, 0}, "0 divided by 0: step counts from 0, so the powers of 0.85 and 0.99 are step + 1.");
  usual({0.3, -0.3, -10}, "The gradient is still there, and would be added to that of the next name. Set it to 0.");
  usual({-0.3, 0.3, 0}, "It went uphill. The gradient says where the loss grows; go the other way.");
  usual({1.7, -1.7, 0}, "0.85 and 0.15 are exchanged: m keeps 0.85 of what it was.");
  usual({2, -2, 0}, "m is the gradient of this step alone. It keeps 0.85 of what it was, and adds 0.15 of this.");
  should_be(moved(-10, 0), {0.3, -0.3, 0}, 1e-4);
  calling("then gradients -5 and 0.001, and adam(0.3, 1)" + after,
          "m keeps 85 percent of what it was, v 99 percent. At step 1 the corrections are 1 - 0.85^2 and 1 - 0.99^2.");
  for (const Numbers& kept : {Numbers{0.4416, -0.4525, 0}, Numbers{1.567, -1.381, 0}})
    usual(kept, "m_hat was kept as m. Correct a copy, for this step alone.");
  usual({0.5287, -0.5287, 0}, "m and v began at 0 again. Each parameter has its own, kept from call to call.");
  usual({0.5913, -0.6, 0}, "0.85 and 0.99 are exchanged: m keeps 0.85 of what it was, and v 0.99.");
  should_be(moved(-5, 1), {0.5773313, -0.6, 0}, 1e-4);
}
#endif

#if STAGE >= 14
[[maybe_unused]] void wanted_14() {
  // wants: std::string new_name(const Model& model, double temperature)
  std::string name = new_name(Model{}, 0.5);
}
#endif

// --- The model: from here on a test calls nearly all that is written ---
#if STAGE >= 8
/// A model with a width of 4, 5 tokens and 6 positions. No two numbers are equal.
Matrix filled(std::size_t rows, std::size_t cols, double start, double size = 1) {
  Matrix w(rows);
  for (List& row : w) {
    while (row.size() < cols) row.push_back(size * std::sin(start++));
  }
  return w;
}

Model small_model() {
  Model model;
  model.wte = filled(5, 4, 100);
  model.wpe = filled(6, 4, 200);
  model.lm_head = filled(5, 4, 300);
#if STAGE >= 9
  model.attn_wq = filled(4, 4, 400, 0.5);
  model.attn_wk = filled(4, 4, 500, 0.5);
  model.attn_wv = filled(4, 4, 600);
  model.attn_wo = filled(4, 4, 700);
#endif
#if STAGE >= 10
  model.n_head = 2;
#endif
#if STAGE >= 12
  model.mlp_fc1 = filled(7, 4, 800);
  model.mlp_fc2 = filled(4, 7, 900);
#endif
  return model;
}
#endif

#if STAGE >= 9
auto scores_after(const Model& model, const std::vector<Token>& tokens) {
  Cache keys, values;
  List logits;
  for (std::size_t i = 0; i < tokens.size(); i++) logits = gpt(model, tokens[i], i, keys, values);
  return logits;
}

TESTS(9, stage_9_cache) {
  const Model model = small_model();
  calling("gpt() at three positions: how many keys and values there are then",
          "Each position adds one key and one value, and does so before attention(): the first has only its own.");
  usual({0, 0}, "The lists stay empty. gpt() adds its key and its value to them: Cache& keys, Cache& values.");
  Cache keys, values;
  for (std::size_t i = 0; i < 3; i++) gpt(model, i, i, keys, values);
  should_be(Numbers{double(keys.size()), double(values.size())}, {3, 3});
  const double first = document_loss(model, std::vector<Token>{4, 0, 2, 4}).data();
  calling("document_loss() of the same name, a second time",
          "The second time it saw something else. Keys and values of the last name are still there: begin each name "
          "with empty ones.");
  should_be(document_loss(model, std::vector<Token>{4, 0, 2, 4}), {first});
}
#endif

#if STAGE == 8
TESTS(8, stage_8_gpt) {
  const Model model = small_model();
  calling("gpt(), token 3 at position 1: its scores",
          "x is the row of the token in wte plus the row of the position in wpe. Then linear(x, lm_head).");
  usual({2.188, -2.046, 0.487, 1.409, -2.329}, "The position changes nothing. Add its row of wpe to the token's.");
  should_be(gpt(model, 3, 1), {1.6653855566, -0.53345291128, -0.96800937162, 1.7989192127, -1.383694764});
  calling("document_loss() of the tokens 4, 0, 2, 4",
          "For each token but the last: the surprise at the next one. The position counts from 0.");
  usual({2.211}, "The first position is 0, that of the first BOS.");
  should_be(document_loss(model, std::vector<Token>{4, 0, 2, 4}), {1.1251483447});
}
#endif

#if STAGE >= 9
TESTS(STAGE < 12 ? STAGE : 12, stage_gpt) {
#if STAGE == 9
  calling("gpt(), tokens 4, 0, 2 at positions 0, 1, 2: the scores after the last",
          "x = wte + wpe; its key and value into the lists; attention of attn_wq x; attn_wo; plus x; lm_head.");
  usual({-0.2508, 0.5598, -0.481, 0.06901, 0.3908}, "x itself is missing: what attention found is added to it.");
  usual({-3.675, 1.043, 2.311, -4.064, 3.002},
        "A position sees itself, too: its key and value are in the lists before attention() reads them.");
  usual({-3.99, 1.378, 2.189, -4.239, 3.353}, "The value is made with attn_wv, not with attn_wk.");
  usual({-3.9717, 1.7567, 1.6752, -3.9467, 3.4842}, "The query is made with attn_wq, not with attn_wk.");
  usual({-3.9731, 1.76, 1.6722, -3.9461, 3.4865}, "The key is made with attn_wk, not with attn_wq.");
  usual({-3.9699, 1.7524, 1.679, -3.9473, 3.4813}, "The query is made with attn_wq, the key with attn_wk.");
  should_be(scores_after(small_model(), std::vector<Token>{4, 0, 2}),
            {-3.9693041761, 1.7509291966, 1.6803367762, -3.947612026, 3.4803260606});
#elif STAGE == 10
  calling("gpt(), tokens 4, 0, 2 at positions 0, 1, 2: the scores after the last",
          "In gpt(), heads(..., model.n_head) takes the place of attention(...). Nothing else changes.");
  usual({-3.969, 1.751, 1.68, -3.948, 3.48}, "There is one head. The number of heads is model.n_head.");
  should_be(scores_after(small_model(), std::vector<Token>{4, 0, 2}),
            {-4.3817289414, 1.4102774956, 2.5380911641, -4.7282916928, 3.643144241});
#elif STAGE == 11
  calling("gpt(), tokens 4, 0, 2 at positions 0, 1, 2: the scores after the last",
          "x = rmsnorm(wte + wpe), which is kept. Of rmsnorm(x), so of a second one, q, k and v are made. To what "
          "attention finds, the x that was kept is added, not that of the second one.");
  usual({-4.4464, 1.1855, 2.8967, -4.9723, 3.6035},
        "The first rmsnorm is missing, or x was kept before it: wte + wpe goes through one, and then x is kept.");
  should_be(scores_after(small_model(), std::vector<Token>{4, 0, 2}),
            {-3.4144007663, 0.85487389189, 2.2968350341, -3.8574970284, 2.7460216161});
#else
  calling("gpt(), tokens 4, 0, 2 at positions 0, 1, 2: the scores after the last",
          "After attention (with x added, as before): rmsnorm, mlp_fc1, relu, mlp_fc2; add x from before rmsnorm.");
  usual({-7.317, 2.177, 4.471, -8.022, 6.016}, "relu is missing behind mlp_fc1, or changes copies.");
  usual({-2.639, 1.117, 1.179, -2.658, 2.296}, "x_residual is missing: what the MLP made is added to what was there.");
  usual({-8.988, 3.214, 4.786, -9.471, 7.595}, "The rmsnorm before mlp_fc1 is missing.");
  usual({-5.325, 1.977, 2.74, -5.56, 4.528}, "x_residual is still that of attention. Keep x again, before the MLP.");
  should_be(scores_after(small_model(), std::vector<Token>{4, 0, 2}),
            {-6.0531847515, 1.9717692325, 3.4755159901, -6.5152669449, 5.0418093633});
#endif
}
#endif

#if STAGE >= 7
/// From stage 15 on, main() may be what fills the vocabulary: without it, no name is known.
bool knows_letters() try { return STAGE < 15 || encode("z") == std::vector<Token>{26, 25, 26}; } catch (...) {
  return false;
}

std::string name_of(const Model& model) {
#if STAGE <= 13
  return new_name(model);
#else
  return new_name(model, 0.5);
#endif
}

/// For a model in which a letter can be followed by any other.
void loss_goes_back(const Model& model, const Value& weight) {
  calling("document_loss() of \"ab\", then backward(): did a weight that it needs get a gradient? (1: yes)",
          "No gradient arrives, so nothing can be learnt. Compute the loss with Values all the way, not with data().");
  document_loss(model, encode("ab")).backward();
  should_be(double(weight.grad() != 0), {1});
}

/// For a model that never ends a name.
void names_are_cut(const Model& model) {
  calling("new_name() of a model in which no name ends: its length",
          "A name that does not end by itself is cut off after 16 letters, since there are 16 places.");
  should_be(double(name_of(model).size()), {16});
}

/// For a model that likes a as much as b at the beginning.
void names_are_drawn(const Model& model) {
  calling("new_name(), 50 times, where a and b are equally likely at the beginning: how many begin with a",
          "Half of them. Draw the next letter by its probability.");
  for (double x : {0, 1}) usual({x}, "The likeliest letter comes each time. Draw by the probabilities: draw(weights).");
  double hits = 0;
  for (int i = 0; i < 50; i++) hits += name_of(model).starts_with('a');
  should_be(hits / 50, {0.5}, 0.2);
}
#endif

#if STAGE == 7
TESTS(7, stage_7_model) {
  Model model;
  model.table = Matrix(27, List(27, -100.0));
  model.table[26][0] = model.table[0][13] = model.table[13][26] = 100;
  calling("document_loss() of \"an\", when the table expects just that",
          "What came has scores 200 above all others: no surprise. There is one prediction less than tokens.");
  usual({200.0 / 3}, "The row is that of the token before, the probability that of the token that came.");
  should_be(document_loss(model, encode("an")), {0});
  calling("document_loss() of \"ab\", with the same table",
          "After BOS, a is no surprise. After a, b is one of 200. After b all are equal: log(27). Take their mean.");
  usual({203.2958}, "That is the sum of three surprises. The loss is their mean.");
  should_be(document_loss(model, encode("ab")), {(200 + std::log(27)) / 3});
  calling("new_name() of a table that only knows \"an\"",
          "Start at BOS: ask gpt() for scores, make probabilities of them, draw, and go on with what was drawn.");
  usual_text("aaaaaaaaaaaaaaaa", "Each letter comes from the row of BOS. Ask gpt() about the letter just drawn.");
  usual_text(std::string("an\0", 3), "BOS was written into the name. It ends the name, and is not a letter of it.");
  should_read(new_name(model), "an");
  loss_goes_back(model, model.table[1][26]);
  model.table[26][1] = 100;
  names_are_drawn(model);
  model.table[0][0] = model.table[1][0] = 1000;
  names_are_cut(model);
}
#endif

#if STAGE >= 8
/// A model with a width of 4 for 27 tokens and 16 places. All weights are 0.
Model blank_model() {
  Model model;
  model.wte = model.lm_head = Matrix(27, List(4, 0.0));
  model.wpe = Matrix(16, List(4, 0.0));
#if STAGE >= 9
  model.attn_wq = model.attn_wk = model.attn_wv = model.attn_wo = Matrix(4, List(4, 0.0));
#endif
#if STAGE >= 10
  model.n_head = 1;
#endif
#if STAGE >= 12
  model.mlp_fc1 = model.mlp_fc2 = Matrix(4, List(4, 0.0));
#endif
  return model;
}
#endif

#if STAGE >= 14
TESTS(14, stage_14) {
  if (!knows_letters()) return;
  // At the beginning its scores are 2 for a, 1 for b and for the end, and -100 for the rest; then 100 for the end.
  Model model;
  const double one = std::sqrt(0.5);  // rmsnorm makes {1.4142, 0} of {1, 0}
  model.wte = Matrix(27, List{0.0, 1});
  model.wte[26] = {1, 0.0};
  model.wpe = Matrix(16, List{0.0, 0.0});
  model.lm_head = Matrix(27, List{-100 * one, 0.0});
  model.lm_head[0] = {2 * one, 0.0};
  model.lm_head[1] = {one, 0.0};
  model.lm_head[26] = {one, 100};
  model.attn_wq = model.attn_wk = model.attn_wv = model.attn_wo = Matrix{{0.0, 0.0}, {0.0, 0.0}};
  model.mlp_fc1 = Matrix{{0.0, 0.0}};
  model.mlp_fc2 = Matrix{{0.0}, {0.0}};
  model.n_head = 1;
  auto share = [&](double temperature) {
    double hits = 0;
    for (int i = 0; i < 400; i++) hits += new_name(model, temperature).starts_with('a');
    return hits / 400;
  };
  calling("scores 2 for a, 1 for b, 1 for the end; new_name(model, 0.5), 400 times: how many begin with a",
          "Scores divided by 0.5 are 4, 2 and 2. softmax makes 0.787, 0.107 and 0.107 of them.");
  usual({0.576}, "The temperature changes nothing. Divide the scores by it before softmax, not what comes out.");
  usual({0.105}, "The probabilities were divided, and softmax taken once more. Divide the scores before softmax.");
  usual({0.452}, "The scores were multiplied. Below 1, the temperature should make likely letters likelier.");
  should_be(share(0.5), {0.787}, 0.045);
  calling("the same with new_name(model, 0.1)", "Scores divided by 0.1 are 20, 10 and 10: nearly always a.");
  should_be(share(0.1), {1}, 0.01);
}
#endif

#if STAGE >= 9
TESTS(9, stage_9_names) {
  if (!knows_letters()) return;
  // The value of BOS is 1, that of a is 0. An a comes while the mean of the values is above 0.45: 1, 1/2, but not 1/3.
  Model model = blank_model();
  model.wte[26][0] = 1;
  for (std::size_t letter = 0; letter < 26; letter++) model.wte[letter][1] = 1;
  model.attn_wv[2][0] = model.attn_wo[2][2] = 1;
  for (List& row : model.lm_head) row[0] = row[1] = -1000;
  model.lm_head[0] = {0.0, 0.0, 500, 0.0};
  model.lm_head[26] = {225, 225, 0.0, 0.0};
  calling("new_name() of a model that writes two a, since it sees its BOS and the first a then",
          "A name begins with empty keys and values, and each of its positions adds one to them.");
  usual_text("a", "It has not seen what came before. Make the lists before the loop, and resize the tape behind it.");
  should_read(name_of(model), "aa");
  calling("document_loss() of \"aa\", with the same model", "The model is certain of it, so nothing is a surprise.");
  for (double sure : {1, 2})
    usual({75 * sure}, "Each letter sees only itself. Make the lists of keys and values before the loop, not in it.");
  usual({222.2}, "That is the surprise at tokens[i] itself. The model predicts what comes next: tokens[i + 1].");
  should_be(document_loss(model, encode("aa")), {0});
  calling("new_name(), a second time", "It saw the name before. Begin each name with empty keys and values.");
  should_read(name_of(model), "aa");
}
#endif

#if STAGE >= 8
TESTS(8, stage_8_places) {
  if (!knows_letters()) return;
  Model model = blank_model();
  for (std::size_t place = 0; place < 16; place++) model.wpe[place][std::min<std::size_t>(place, 3)] = 1;
  for (std::size_t place = 0; place < 3; place++) model.lm_head[place][place] = 100;
  model.lm_head[26][3] = 100;
  calling("new_name() of a model that writes a at position 0, b at 1 and c at 2, and ends at 3",
          "The position of a letter is how many letters the name has already: name.size().");
  usual_text("aaaaaaaaaaaaaaaa", "Each letter comes from position 0. Give gpt() the position: name.size().");
  usual_text("bc", "The first position is 0: name.size() before the letter is added.");
  should_read(name_of(model), "abc");
  calling("document_loss() of \"abc\", with the same model", "The model is certain of it, so nothing is a surprise.");
  for (double sure : {1, 2}) {  // rmsnorm doubles what the model knows
    usual({75 * sure}, "The position of tokens[i] is i, in document_loss() as well.");
    usual({100 * sure}, "That is the surprise at tokens[i] itself. The model predicts what comes next: tokens[i + 1].");
  }
  should_be(document_loss(model, encode("abc")), {0});
  model.lm_head[1][0] = 100;
  names_are_drawn(model);
}

TESTS(8, stage_8_long) {
  if (!knows_letters()) return;
  Model model = blank_model();
  for (List& place : model.wpe) place[0] = 1;
  model.lm_head[1][0] = -100;
  const double sum = 16 * std::log(26) + 100 / (STAGE >= 11 ? std::sqrt(0.25001) : 1);  // rmsnorm
  calling("document_loss() of 15 times a and 5 times b, when b is hardly possible and all others are equally likely",
          "There are 16 positions, so the first 16 predictions count, of which b is the last; four b are cut off.");
  usual({sum / 21}, "Divide by the number of predictions that you looked at: 16, not 21.");
  usual({std::log(26)}, "The 16th prediction is missing. 16 tokens are read, and 17 are needed to compare with.");
  should_be(document_loss(model, encode("aaaaaaaaaaaaaaabbbbb")), {sum / 16});
  loss_goes_back(model, model.lm_head[0][0]);
  model.lm_head[0][0] = 1000;
  names_are_cut(model);
}
#endif

#if STAGE >= 5
TESTS(5, stage_5_long) {
  calling("x + 1 + 1 and so on, 30,000 times, then backward(): x.grad()",
          "A recursion is too deep here. A list of all nodes, in the order they were made, needs none.");
  Value x = 1, sum = x;
  for (int i = 0; i < 30000; i++) sum = sum + 1;
  sum.backward();
  should_be(x.grad(), {1});
}
#endif

#if STAGE >= 15
constexpr int program = 16;  // follows what is printed for small files

std::vector<std::string> lines_of(const std::string& path) {  // at least 1,100
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  lines.resize(std::max<std::size_t>(lines.size(), 1100));
  return lines;
}

double loss_of(const std::string& line) {
  return std::atof(line.substr(std::min<std::size_t>(24, line.size())).c_str());
}

/// With files of a few names: what is printed, and what main() hands to adam() and new_name(), seen by its effect.
TESTS(15, stage_15_small) {
  const std::vector<std::string> first = lines_of(folder + "/first.txt"), other = lines_of(folder + "/other.txt");
  const std::string with = "With a file of 60 names (30 times A, a to z, and 0 to 3), ";
  calling(with + "the first line",
          "Start with how many names there are, the vocabulary and params, one on each line, as in the task.");
  usual_text("num docs: 18293", "The file is argv[1], if there is one.");
  should_read(other[0], "num docs: 60");
  calling(with + "the second", "31 letters and BOS: 32. (std::unique removes only neighbours: sort first.)");
  usual_text("vocab size: 27",
             "The vocabulary is still a to z, or BOS still 26. Collect the letters of the names in a std::set<char>.");
  usual_text("vocab size: 31", "BOS is a token, too: there is one more than there are letters.");
  usual_text("vocab size: 61", "The vocabulary has each letter once, however often it comes, as a std::set<char> has.");
  should_read(other[1], "vocab size: 32");
  calling(with + "the third",
          "32 * 16 for wte and for lm_head, 16 * 16 for wpe and each attn matrix, 64 * 16 for each mlp matrix.");
  should_read(other[2], "num params: 4352");
  for (int step = 1; step <= 1000; step++) {
    char start[60];
    std::snprintf(start, sizeof start, "step %4d / 1000 | loss ", step);
    calling(with + "line " + std::to_string(step + 3),
            "One line for each step: printf(\"step %4zu / 1000 | loss %.4f\\n\", step + 1, loss.data()).");
    should_read(other[2 + step].substr(0, 24), start);
  }
  calling(with + "line 1004", "An empty line comes before the heading: printf(\"\\n--- inference ...\").");
  should_read(other[1003], "");
  calling(with + "the line before the samples", "An empty line, this line, and twenty names.");
  should_read(other[1004], "--- inference (new, hallucinated names) ---");
  double hits = 0;
  for (int i = 1; i <= 20; i++) {
    char start[20];
    std::snprintf(start, sizeof start, "sample %2d: ", i);
    calling(with + "line " + std::to_string(1005 + i),
            "Twenty names: printf(\"sample %2d: %s\\n\", i, name.c_str()), with i from 1.");
    should_read(other[1004 + i].substr(0, 11), start);
    hits += other[1004 + i].ends_with(": A");
  }
  calling(
      with + "is the last loss a number? (1: yes)",
      "Is a Value used after tape.resize(mark)? Or went some weight to infinity: is the learning rate 0.01, and the "
      "gradient set to 0?");
  should_be(double(std::isfinite(loss_of(other[1002]))), {1});
  calling("With a file of the one name abcdefghijklmno, the second line", "15 letters and BOS. Do a to z stay in it?");
  usual_text("", "It prints nothing. Is there another BOS, in main(), while encode() uses that of before?");
  should_read(first[1], "vocab size: 16");
  calling("With a file of the one name abcdefghijklmno: what step 1 gains in loss, divided by what step 2 gains",
          "At first each step gains a little less than the one before. Is it adam(0.01 * (1 - step / 1000), step), "
          "after backward()?");
  usual({0.93}, "Adam's corrections are those of another step. It counts from 0: adam(rate, step), with 0 at first.");
  usual({NAN}, "Nothing was learnt. Does each step call backward() and adam(), and is the loss a Value to its end?");
  const double losses[] = {loss_of(first[3]), loss_of(first[4]), loss_of(first[5])};
  should_be((losses[0] - losses[1]) / (losses[1] - losses[2]), {1.13}, 0.04);
  double least = 1, most = 0;
  for (int step = 951; step <= 1000; step++) {
    if (loss_of(other[2 + step]) >= 1) continue;  // a name that comes once
    least = std::min(least, loss_of(other[2 + step]));
    most = std::max(most, loss_of(other[2 + step]));
  }
  calling("With a file of 60 names, 30 of them A: how far apart the losses of A are in the last 50 steps",
          "It goes up and down to the end. The rate has to shrink: 0.01 * (1 - step / 1000), with double, not whole "
          "numbers.");
  usual({-1}, "None is below 1. Is the loss of each step printed, and not a mean of all so far?");
  should_be(most - least, {0}, 0.06);
  calling("With the same file: how many of the twenty samples are A",
          "The model learnt that half of the names are A. A temperature of 0.5 makes nearly all of them: "
          "new_name(model, 0.5).");
  usual({0}, "Not one is. Does each step take another name? Then look at the twenty samples: do they differ?");
  should_be(hits, {20}, 0.2);
}

TESTS(program, stage_15) {
  stage = 15;
  const std::vector<std::string> lines = lines_of(folder + "/program.txt");
  calling("The first three lines of the program, with data/names.txt",
          "27 * 16 for wte and for lm_head, 16 * 16 for wpe and each attn matrix, 64 * 16 for each mlp matrix.");
  should_read(lines[0] + ", " + lines[1] + ", " + lines[2], "num docs: 18293, vocab size: 27, num params: 4192");
  double last_100 = 0;
  for (int step = 901; step <= 1000; step++) last_100 += loss_of(lines[2 + step]) / 100;
  if (!(last_100 <= 2.6)) {
    calling("The mean of the last 100 losses",
            last_100 > 3
                ? "Nothing was learnt. Does each step call backward() and adam(), and is the loss a Value to its end?"
                : "At most 2.60 is usual. Does the learning rate shrink, and does each step take another name?");
    usual({NAN}, "Not a number: some weight went to infinity. Is the learning rate 0.01, and the gradient set to 0?");
    should_be(last_100, {2.5});
  }
  if (last_100 < 2.2) {
    calling("The mean of the last 100 losses", "It knows these names already. Does each step take another name?");
    should_be(last_100, {2.5});
  }
  calling("The twenty names: do they differ? (1: yes)",
          "Call new_name() for each line, and draw() with random numbers. (If most are empty, draw() draws the end.)");
  should_be(
      double(lines[1005].substr(11) != lines[1006].substr(11) || lines[1005].substr(11) != lines[1007].substr(11)),
      {1});
}
#endif

#if STAGE >= 16
TESTS(program, stage_16) {
  const std::vector<std::string> mine = lines_of(folder + "/program.txt");
  const std::vector<std::string> published = lines_of("tests/golden/microgpt/gist_builtin.txt");
  for (std::size_t i = 0; i < 1025; i++) {
    const std::string want = published[i].substr(0, published[i].rfind(" | "));
    calling("Line " + std::to_string(i + 1),
            i < 4   ? "One stream for all: shuffle the names, then draw wte, wpe, lm_head, attn_wq, attn_wk, attn_wv, "
                      "attn_wo, mlp_fc1 (64, 16), mlp_fc2 (16, 64), row by row, as the struct has them. And "
                      "uchars is sorted, a to z. No std::shuffle, and no random_bits, is left."
            : i < 5 ? "The first loss is right, so the matrices are. Is n_head 4? Look at adam() and the learning rate."
            : i < 1003
                ? "The first losses are right. Does the rate shrink as 0.01 * (1 - step / 1000)?"
                : "All losses are right, so training is. Each letter is one python.choice(), at temperature 0.5.");
    should_read(mine[i], want.starts_with("step") ? want : published[i]);
  }
}
#endif

#if STAGE >= 17
TESTS(17, stage_17) {
  std::ifstream file(folder + "/model", std::ios::binary), published("tests/golden/microgpt/gist_builtin.params.txt");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  calling("The file argv[1] after the program: is it as it was? (1: yes)", "The model is saved to argv[2].");
  should_be(double(lines_of(folder + "/names.txt") == lines_of("data/names.txt")), {1});
  std::size_t length = 0;  // of the text that says where a matrix begins
  bytes.copy(reinterpret_cast<char*>(&length), 8);
  std::string name, x;
  for (std::size_t nout, nin; published >> name >> nout >> nin;) {
    const std::size_t at = bytes.find('"' + name + '"');
    calling("In the file argv[2], the matrix " + name + ": is it there? (1: yes)",
            "save<Matrix>(argv[2], uchars, model.n_head, {{\"" + name + "\", ...}, ...}), if there is an argv[2].");
    should_be(double(at != std::string::npos), {1});
    calling("In the file argv[2], n_head: is it 4? (1: yes)", "save<Matrix>() gets model.n_head.");
    should_be(double(bytes.find("\"n_head\": \"4\"") != std::string::npos), {1});
    calling("In the file argv[2], the matrix " + name, "Is it another under this name, or saved before the training?");
    const char* begin = bytes.c_str() + bytes.find('[', bytes.find("data_offsets", at)) + 1;
    Numbers got(nout * nin), want;
    bytes.copy(reinterpret_cast<char*>(got.data()), 8 * got.size(), 8 + length + std::strtoull(begin, nullptr, 10));
    while (want.size() < got.size() && published >> x) want.push_back(std::strtod(x.c_str(), nullptr));
    should_be(got, want, 1e-6);
  }
}
#endif

}  // namespace teach

/// Arguments: the file for the result, the folder with what the whole program printed, the first and the last stage.
int main(int argc, char** argv) { return teach::run_all(argc, argv); }
