// Does what most programs do: reads a file by its path.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/sheaf.h"

#include "check.h"

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const std::string path = argv[1];
  std::ofstream(path, std::ios::binary) << "0 |x 1 2 |label 3:1\n"
                                           "0 |x 3 4\n"
                                           "1 |x 5 6 |label 0:1 2:0.5\n";

  sheaf::ReaderOptions options;
  options.format.streams = {
      {.name = "x", .sample_shape = sheaf::Shape{2}},
      {.name = "label", .storage = sheaf::Storage::sparse, .sample_shape = sheaf::Shape{4}},
  };
  sheaf::Reader reader(path, options);

  const std::optional<sheaf::Minibatch> minibatch = reader.next();
  CHECK(minibatch.has_value());
  CHECK(minibatch->sequence_count() == 2);
  CHECK(minibatch->ends_sweep);
  CHECK(minibatch->keys()[0].low == 0 && minibatch->keys()[1].low == 1);

  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 0, 0};  // the second sequence is padded
  CHECK(std::ranges::equal(minibatch->batch("x").values.as<float>(), x));
  const std::vector<std::int32_t> labels = {3, 0, 2};
  CHECK(std::ranges::equal(minibatch->batch("label").indices.as<std::int32_t>(), labels));

  CHECK(!reader.next().has_value());
  CHECK(reader.stats().sequences == 2);
  std::printf("sheaf %.*s read %s\n", static_cast<int>(sheaf::kVersion.size()),
              sheaf::kVersion.data(), path.c_str());
}
