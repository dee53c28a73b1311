// sheaf_parse_file CORPUS FILE [LEVEL]: indexes a file and decodes all of it on this thread, unit
// by unit as a Reader does, without index file, order or packing. LEVEL is a set of instructions
// (sheaf/extend/simd.h); sheaf_parse_file --levels prints the sets of this machine.
// sheaf_parse_file --spec SPEC does the same with the data of a spec; --index SPEC only indexes.
// Prints a JSON object: the numbers found, and the clock and processor seconds of both stages.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/sheaf.h"

#include "corpus.h"

namespace {

// Measures the seconds since its construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    return seconds.count();
  }
  [[nodiscard]] double processor_seconds() const { return now() - processor_start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double processor_start_ = now();
};

struct Totals {
  std::int64_t sequences = 0;
  std::int64_t bytes = 0;
};

// Reads a chunk in the units of its ChunkCounts.
void parse(const sheaf::Deserializer& data, sheaf::ChunkIndex chunk_index, Totals& totals) {
  const sheaf::ChunkCounts counts = *data.index().chunk_counts(chunk_index);
  const auto begin = [&counts](std::int64_t unit) {
    return unit * counts.sequence_count / counts.unit_count;
  };
  for (std::int64_t unit = 0; unit < counts.unit_count; ++unit) {
    const std::int64_t first = begin(unit);
    sheaf::Diagnostics diagnostics;
    const sheaf::Chunk chunk =
        data.read({chunk_index, first, begin(unit + 1) - first}, diagnostics);
    totals.sequences += chunk.sequence_count() - static_cast<std::int64_t>(chunk.holes().size());
    totals.bytes += chunk.memory_bytes();
  }
}

std::shared_ptr<const sheaf::Deserializer> open_corpus(const char* corpus, const char* path) {
  sheaf::FormatOptions options = sheaf::bench::find_corpus(corpus).options();
  options.index.mode = sheaf::IndexMode::off;
  return sheaf::open_path(path, options).data;
}

std::shared_ptr<const sheaf::Deserializer> open_spec(const char* path) {
  sheaf::DataSpec data = sheaf::load_spec(path).data;
  for (sheaf::FilesSpec* const files : sheaf::files_of(data)) {
    files->format.index.mode = sheaf::IndexMode::off;
  }
  return sheaf::open(data).data;
}

std::shared_ptr<const sheaf::Deserializer> open(char** argv) {
  return argv[1][0] == '-' ? open_spec(argv[2]) : open_corpus(argv[1], argv[2]);
}

void run(char** argv) {
  Stopwatch watch;
  const std::shared_ptr<const sheaf::Deserializer> data = open(argv);
  for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
  }
  std::printf(R"({"index_seconds": %.6f, "index_processor_seconds": %.6f)", watch.seconds(),
              watch.processor_seconds());
  if (std::string_view(argv[1]) != "--index") {
    Totals totals;
    watch = {};
    for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) parse(*data, i, totals);
    std::printf(R"(, "parse_seconds": %.6f, "parse_processor_seconds": %.6f, )"
                R"("sequences": %lld, "decoded_bytes": %lld)",
                watch.seconds(), watch.processor_seconds(),
                static_cast<long long>(totals.sequences), static_cast<long long>(totals.bytes));
  }
  std::puts("}");
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
    std::fputs("usage: sheaf_parse_file CORPUS FILE [LEVEL] | --spec SPEC | --index SPEC\n",
               stderr);
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
