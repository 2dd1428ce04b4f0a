// microgpt.cpp as a library: all of it but main(), and the operators that only lessons and tests use.
#pragma once

#define MICROGPT_LIBRARY
#include "microgpt.cpp"

namespace microgpt {

inline Value operator+(double a, Value b) { return b + a; }
inline Value operator*(double a, Value b) { return b * a; }
inline Value operator-(Value a, Value b) { return a + -b; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator-(double a, Value b) { return -b + a; }
inline Value operator/(double a, Value b) { return pow(b, -1.0) * a; }

}  // namespace microgpt
