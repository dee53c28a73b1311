// The fuzz target of positions. Any text is read or refused with a reason. A position that was read
// is written unchanged. A run continues from it or says why not. Parts of an input may be repeated
// (expand.h).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

#include "expand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

[[noreturn]] void fail(const char* law, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", law, text.c_str());
  std::abort();
}

/// Returns sequences of several lengths in several chunks.
std::shared_ptr<const Deserializer> some_data() {
  std::string text;
  for (int sequence = 0; sequence < 40; ++sequence) {
    for (int sample = 0; sample <= sequence % 3; ++sample) {
      text += std::to_string(sequence) + " |x " + std::to_string(sample) + "\n";
    }
  }
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{1}}};
  options.chunk_size_bytes = 60;
  const std::span<const Format> formats = builtin_formats();
  const auto ctf = std::ranges::find(formats, "ctf", &Format::name);
  return ctf->open({memory_source(std::move(text), "data"), options});
}

/// Returns runs whose places have different meanings.
std::vector<OrderOptions> orders() {
  const OrderOptions file{.minibatch_size = 5, .sweeps = 3};
  OrderOptions cntk = file;
  cntk.algorithm = OrderAlgorithm::cntk;
  cntk.window_chunks = 3;
  OrderOptions keyed = cntk;
  keyed.algorithm = OrderAlgorithm::keyed;
  std::vector<OrderOptions> found = {file, cntk, keyed};
  found.push_back(cntk);
  found.back().split_frames = true;
  found.push_back(keyed);
  found.back().long_sequences = LongSequences::split;
  found.back().row_samples = 2;
  for (const OrderOptions& order : {file, cntk}) {
    found.push_back(order);
    found.back().truncation_length = 2;
  }
  for (const OrderOptions& order : {file, cntk, keyed, found.back()}) {
    found.push_back(order);
    found.back().worker_count = 2;
    found.back().worker_index = 1;
  }
  found.push_back(keyed);
  found.back().batching = Batching::bucketed;
  found.push_back(keyed);
  found.back().unit = MinibatchUnit::sequences;
  found.back().sizes = Sizes::exact;
  found.push_back(found.back());
  found.back().minibatch_size = 2;
  found.back().drop_last = true;
  return found;
}

/// Continues one kind of run from positions.
class Run {
 public:
  Run(std::shared_ptr<const Deserializer> data, const OrderOptions& order)
      : data_(std::move(data)), order_(order), run_(reader_from({}).position().run) {}

  void go_on_from(Position position) const {
    // Replace the run, since no random text has the fingerprint of the data.
    position.run = run_;
    try {
      Reader reader = reader_from(position);
      for (int i = 0; i < 3 && reader.next(); ++i) {
        const Position there = reader.position();
        if (position_from_json(to_json(there)) != there) fail("a position is lost", to_json(there));
      }
    } catch (const ConfigError& error) {
      if (std::string_view(error.what()).empty()) fail("refused without a reason", "");
    }
  }

 private:
  [[nodiscard]] Reader reader_from(std::optional<Position> start) const {
    const std::shared_ptr<const Counts> counts(data_, &data_->index());
    const Layout layout = order_.truncation_length ? Layout::truncated : Layout::ragged;
    return Reader(data_, make_sequencer(counts, order_), make_packer(layout, order_),
                  {.threads = 1, .start = std::move(start)});
  }

  std::shared_ptr<const Deserializer> data_;
  OrderOptions order_;
  decltype(Position::run) run_;
};

std::vector<Run> all_runs() {
  const std::shared_ptr<const Deserializer> data = some_data();
  std::vector<Run> runs;
  for (const OrderOptions& order : orders()) runs.emplace_back(data, order);
  return runs;
}

void check_input(std::string_view text) {
  Position position;
  try {
    position = position_from_json(text);
  } catch (const ConfigError& error) {
    if (std::string_view(error.what()).empty()) fail("refused without a reason", "");
    return;
  }
  const std::string written = to_json(position);
  if (to_json(position_from_json(written)) != written) fail("it is not what was written", written);

  static const std::vector<Run> runs = all_runs();
  for (const Run& run : runs) run.go_on_from(position);
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(
      sheaf::fuzz::expand(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
