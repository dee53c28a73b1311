// The fuzz target of positions: whatever the text, it is read or refused with a reason; what was
// read is written as it was; and a run takes it up or says why not.

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

#include "sheaf/sheaf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

[[noreturn]] void fail(const char* law, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", law, text.c_str());
  std::abort();
}

/// Some sequences of several lengths, in several chunks.
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
  return ctf->open(memory_source(std::move(text), "data"), options);
}

/// Go on from the place of a position, in a run of this kind.
void go_on(const std::shared_ptr<const Deserializer>& data, const OrderOptions& order,
           Position position) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  const auto reader_from = [&](std::optional<Position> start) {
    return Reader(data, make_sequencer(counts, order), make_packer(Layout::ragged, order),
                  {.threads = 1, .start = std::move(start)});
  };
  // No text could have the fingerprint of the data: what it says of the run is not looked at.
  position.run = reader_from({}).position().run;
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

  static const std::shared_ptr<const Deserializer> data = some_data();
  OrderOptions order{.minibatch_size = 5, .sweeps = 3};
  go_on(data, order, position);
  order.window_chunks = 3;
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    order.algorithm = algorithm;
    go_on(data, order, position);
  }
  order.algorithm = OrderAlgorithm::cntk;
  order.split_frames = true;
  go_on(data, order, position);
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
