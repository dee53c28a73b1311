/// \file
/// Checks for both programs.

#pragma once

#include <cstdio>
#include <cstdlib>

/// Unless `holds`, ends the program with exit status 1 and prints the line.
inline void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: not so: %s\n", line, what);
  std::exit(1);
}

#define CHECK(condition) check((condition), #condition, __LINE__)
