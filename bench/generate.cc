// sheaf_generate CORPUS MEGABYTES: write made-up text to standard output.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "corpus.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: sheaf_generate CORPUS MEGABYTES >FILE\n", stderr);
    return 2;
  }
  try {
    const sheaf::bench::Corpus& corpus = sheaf::bench::find_corpus(argv[1]);
    const std::string text = sheaf::bench::make_text(corpus, std::atoll(argv[2]) * 1'000'000);
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sheaf_generate: %s\n", error.what());
    return 2;
  }
}
