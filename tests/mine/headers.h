// What the tests of all stages and the whole program need, for check-mine, which compiles it once (mine.sh header):
// standard headers, and the code of templates.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lesson/teach.h"

// Unoptimized tests call these templates in headers.o, which is compiled with -DINSTANCE=template.
#ifndef __OPTIMIZE__
#ifndef INSTANCE
#define INSTANCE extern template
#endif
INSTANCE class std::basic_string<char>;
INSTANCE class std::vector<double>;
INSTANCE class std::vector<std::vector<double>>;
INSTANCE class std::vector<std::size_t>;
INSTANCE class std::vector<std::string>;
INSTANCE class std::vector<teach::Mistake>;
INSTANCE class std::vector<teach::Test>;
INSTANCE class std::discrete_distribution<std::size_t>;
INSTANCE class std::normal_distribution<double>;
#endif
