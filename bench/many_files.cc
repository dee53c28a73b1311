// sheaf_many_files PATTERN ORDER: measures the seconds from opening many files to the first
// minibatch of 256 samples, and the memory in use.

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include "sheaf/open.h"
#include "sheaf/reader.h"

namespace {

void measure(const std::string& pattern, std::string_view order_name) {
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<sheaf::Executor> executor =
      sheaf::thread_pool(sheaf::available_processors());
  sheaf::OrderOptions order;
  order.minibatch_size = 256;
  if (order_name == "keyed") {
    order.algorithm = sheaf::OrderAlgorithm::keyed;
    order.window_chunks = sheaf::default_window_chunks(sheaf::FormatOptions{}.chunk_size_bytes);
  }
  sheaf::FormatOptions format;
  format.streams = {{.name = "x", .sample_shape = sheaf::Shape{3}}};
  format.groups_chunks = order.algorithm == sheaf::OrderAlgorithm::keyed;
  const std::shared_ptr<const sheaf::Deserializer> data =
      sheaf::open_path(pattern, format, {.executor = executor.get()}).data;
  const std::shared_ptr<const sheaf::Counts> counts(data, &data->index());
  sheaf::Reader reader(data, sheaf::make_sequencer(counts, order),
                       sheaf::make_packer(sheaf::Layout::padded, order),
                       {.executor = executor.get()});
  const bool is_any = reader.next().has_value();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"minibatches\": %d, \"seconds\": %.3f, \"peak_kib\": %ld}\n", is_any ? 1 : 0,
              seconds.count(), usage.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: sheaf_many_files PATTERN file|keyed\n", stderr);
    return 2;
  }
  try {
    measure(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
