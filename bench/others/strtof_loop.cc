// strtof_loop FILE: the plain way to read numbers from text, for comparison. Reads the file piece
// by piece, finds the beginning of each number, and calls strtof, also for indices. The loop has no
// checks, no streams and no sequences, so it does less than a reader must do. Prints the count and
// the sum.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: strtof_loop FILE\n", stderr);
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "rb");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  constexpr std::size_t kPieceSize = std::size_t{1} << 20;
  std::vector<char> buffer(2 * kPieceSize + 1);
  std::vector<float> values;
  std::size_t kept = 0;
  long long count = 0;
  double sum = 0;
  for (;;) {
    const std::size_t got = std::fread(buffer.data() + kept, 1, kPieceSize, file);
    const std::size_t size = kept + got;
    if (size == 0) break;
    // Stop at the last row end, so that no number is cut in two.
    std::size_t end = size;
    if (got > 0) {
      while (end > 0 && buffer[end - 1] != '\n') --end;
    }
    const char after = buffer[end];
    buffer[end] = '\0';
    values.clear();
    const char* p = buffer.data();
    const char* const last = p + end;
    while (p < last) {
      const char c = *p;
      if (c == '|') {
        while (p < last && *p != ' ' && *p != '\n') ++p;
      } else if ((c >= '0' && c <= '9') || c == '-') {
        char* next = nullptr;
        values.push_back(std::strtof(p, &next));
        p = next;
      } else {
        ++p;
      }
    }
    for (const float value : values) sum += static_cast<double>(value);
    count += static_cast<long long>(values.size());
    buffer[end] = after;
    kept = size - end;
    std::memmove(buffer.data(), buffer.data() + end, kept);
    if (got == 0) break;
  }
  std::fclose(file);
  std::printf("%lld numbers, sum %.9g\n", count, sum);
  return 0;
}
