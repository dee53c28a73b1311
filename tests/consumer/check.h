/// \file
/// What both programs test with.

#pragma once

#include <cstdio>
#include <cstdlib>

/// End the program with 1, and say where, unless `holds`.
inline void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: not so: %s\n", line, what);
  std::exit(1);
}

#define CHECK(condition) check((condition), #condition, __LINE__)
