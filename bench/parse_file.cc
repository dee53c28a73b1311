// sheaf_parse_file CORPUS FILE: index a file and decode all its chunks on this one thread; no
// order, no packing. Prints what it found.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include "sheaf/sheaf.h"

#include "corpus.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: sheaf_parse_file CORPUS FILE\n", stderr);
    return 2;
  }
  try {
    const sheaf::FormatOptions options = sheaf::bench::find_corpus(argv[1]).options();
    const std::unique_ptr<sheaf::Deserializer> data = sheaf::open_data(argv[2], options);
    std::int64_t sequences = 0;
    std::int64_t bytes = 0;
    for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
      sheaf::Diagnostics diagnostics;
      const sheaf::Chunk chunk = data->read({.chunk = i}, diagnostics);
      sequences += chunk.sequence_count() - static_cast<std::int64_t>(chunk.holes().size());
      bytes += chunk.memory_bytes();
    }
    std::printf("%lld sequences, %lld bytes decoded\n", static_cast<long long>(sequences),
                static_cast<long long>(bytes));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
