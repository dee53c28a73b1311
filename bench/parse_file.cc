// sheaf_parse_file CORPUS FILE: index a file and decode all of it on this one thread, a megabyte at
// a time as a Reader does; no order, no packing. Prints what it found.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include "sheaf/sheaf.h"

#include "corpus.h"

namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

}  // namespace

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
      const auto table = data->index().sequences(i);
      for (std::int64_t first = 0; first < table->size();) {
        std::int64_t end = first + 1;
        while (end < table->size() &&
               table->offset_bytes(end) - table->offset_bytes(first) < kPieceBytes) {
          ++end;
        }
        sheaf::Diagnostics diagnostics;
        const sheaf::Chunk chunk = data->read({i, first, end - first}, diagnostics);
        sequences += chunk.sequence_count() - static_cast<std::int64_t>(chunk.holes().size());
        bytes += chunk.memory_bytes();
        first = end;
      }
    }
    std::printf("%lld sequences, %lld bytes decoded\n", static_cast<long long>(sequences),
                static_cast<long long>(bytes));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
