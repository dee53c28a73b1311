// sheaf_generate CORPUS MEGABYTES [csv|libsvm]: writes generated text to standard output. The
// default is the notation that sheaf reads. With csv or libsvm, writes the same sequences and
// numbers for other programs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "corpus.h"

namespace {

constexpr std::size_t kPieceSize = std::size_t{1} << 20;

void write(std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw std::runtime_error("cannot write");
  }
  text.clear();
}

void generate(const sheaf::bench::Corpus& corpus, std::int64_t size_bytes,
              std::string_view notation) {
  sheaf::bench::Sequences sequences(corpus);
  std::string text;
  std::string other;
  for (std::int64_t made = 0; made < size_bytes;) {
    while (text.size() < kPieceSize && made + std::ssize(text) < size_bytes) sequences.append(text);
    made += std::ssize(text);
    if (notation.empty()) {
      write(text);
    } else {
      sheaf::bench::append_rewritten(other, corpus, text, notation);
      text.clear();
      write(other);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: sheaf_generate CORPUS MEGABYTES [csv|libsvm] >FILE\n", stderr);
    return 2;
  }
  try {
    generate(sheaf::bench::find_corpus(argv[1]), std::atoll(argv[2]) * 1'000'000,
             argc == 4 ? argv[3] : "");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sheaf_generate: %s\n", error.what());
    return 2;
  }
}
