// limits copy|read|newlines FILE: measures the upper limits for any reader of a file in the page
// cache, on one thread. `copy` copies the bytes once in memory. `read` reads the file piece by
// piece into one buffer. `newlines` also finds the end of each line with memchr. Prints the
// seconds.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPieceSize = std::size_t{1} << 20;

/// Calls take(data, size) for each piece of the file.
template <typename Take>
void read_pieces(const char* path, Take take) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error(std::string("cannot open ") + path);
  std::vector<char> buffer(kPieceSize);
  ssize_t got = 0;
  for (off_t at = 0; (got = pread(file, buffer.data(), kPieceSize, at)) > 0; at += got) {
    take(buffer.data(), static_cast<std::size_t>(got));
  }
  close(file);
  if (got < 0) throw std::runtime_error(std::string("cannot read ") + path);
}

long long count_lines(const char* data, std::size_t size) {
  long long count = 0;
  const char* const end = data + size;
  while (data < end) {
    const void* found = std::memchr(data, '\n', static_cast<std::size_t>(end - data));
    if (found == nullptr) break;
    ++count;
    data = static_cast<const char*>(found) + 1;
  }
  return count;
}

template <typename Run>
double seconds_of(Run run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double measure(std::string_view what, const char* path, long long& lines) {
  if (what == "read") {
    return seconds_of([&] { read_pieces(path, [](const char*, std::size_t) {}); });
  }
  if (what == "newlines") {
    return seconds_of([&] {
      read_pieces(path, [&](const char* p, std::size_t size) { lines += count_lines(p, size); });
    });
  }
  if (what != "copy") throw std::runtime_error("copy, read or newlines");
  std::vector<char> from;
  read_pieces(path, [&](const char* p, std::size_t size) { from.insert(from.end(), p, p + size); });
  std::vector<char> into(from.size(), 1);  // touches the pages before the clock runs
  const double seconds = seconds_of([&] { std::memcpy(into.data(), from.data(), from.size()); });
  lines = count_lines(into.data(), into.size());
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: limits copy|read|newlines FILE\n", stderr);
    return 2;
  }
  try {
    long long lines = 0;
    const double seconds = measure(argv[1], argv[2], lines);
    std::printf("{\"seconds\": %.9f, \"lines\": %lld}\n", seconds, lines);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "limits: %s\n", error.what());
    return 1;
  }
}
