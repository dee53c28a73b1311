// sheaf_parse_file CORPUS FILE [LEVEL]: index a file and decode all of it on this one thread, a
// megabyte at a time as a Reader does; no index file, no order, no packing. LEVEL is a set of
// instructions (sheaf/extend/simd.h); sheaf_parse_file --levels prints those of this machine.
// Prints what it found, and the seconds of both, as JSON.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/sheaf.h"

#include "corpus.h"

namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

double seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return seconds.count();
}

struct Totals {
  std::int64_t sequences = 0;
  std::int64_t bytes = 0;
};

void parse(const sheaf::Deserializer& data, sheaf::ChunkIndex chunk_index, Totals& totals) {
  const auto table = data.index().sequences(chunk_index);
  for (std::int64_t first = 0; first < table->size();) {
    std::int64_t end = first + 1;
    while (end < table->size() &&
           table->offset_bytes(end) - table->offset_bytes(first) < kPieceBytes) {
      ++end;
    }
    sheaf::Diagnostics diagnostics;
    const sheaf::Chunk chunk = data.read({chunk_index, first, end - first}, diagnostics);
    totals.sequences += chunk.sequence_count() - static_cast<std::int64_t>(chunk.holes().size());
    totals.bytes += chunk.memory_bytes();
    first = end;
  }
}

void run(char** argv) {
  sheaf::FormatOptions options = sheaf::bench::find_corpus(argv[1]).options();
  options.index.mode = sheaf::IndexMode::off;
  auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<const sheaf::Deserializer> data = sheaf::open_path(argv[2], options).data;
  for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
  }
  const double index_seconds = seconds_since(start);
  Totals totals;
  start = std::chrono::steady_clock::now();
  for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) parse(*data, i, totals);
  std::printf(
      R"({"sequences": %lld, "decoded_bytes": %lld, "index_seconds": %.6f, "parse_seconds": %.6f})"
      "\n",
      static_cast<long long>(totals.sequences), static_cast<long long>(totals.bytes), index_seconds,
      seconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--levels") {
    for (const sheaf::SimdLevel level : sheaf::simd_levels()) {
      std::printf("%s\n", std::string(to_string(level)).c_str());
    }
    return 0;
  }
  if (argc < 3 || (argc > 3 && !sheaf::bench::use_level(argv[3]))) {
    std::fputs("usage: sheaf_parse_file CORPUS FILE [LEVEL]\n", stderr);
    return 2;
  }
  try {
    run(argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
