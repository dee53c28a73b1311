#include "ops/sequence_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/scan_data.h"
#include "sheaf/float16.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

float value_at(ElementType type, const std::byte* bytes) {
  return with_zero_of(type, [bytes](auto zero) {
    return static_cast<float>(arithmetic(load<decltype(zero)>(bytes)));
  });
}

float first_number(const Stream& stream, const SequenceView& view) {
  if (!view.is_present || view.value_count == 0) return kNone;
  const float number = view.indices != nullptr ? value_at(stream.index_type, view.indices)
                                               : value_at(stream.element_type, view.values);
  return std::isfinite(number) ? number : kNone;
}

[[noreturn]] void refuse_values(const std::string& stream, const std::string& reason) {
  throw ConfigError(formatted("noise_of {}: {}", stream, reason));
}

// Throws: ConfigError if the stream does not exist or has no numbers.
std::int64_t stream_number(const Deserializer& data, const std::string& name) {
  const std::span<const Stream> streams = data.streams();
  const auto found = std::ranges::find(streams, name, &Stream::name);
  if (found == streams.end()) {
    std::string names;
    for (const Stream& stream : streams) names += (names.empty() ? "" : ", ") + stream.name;
    refuse_values(name, "there is no such stream; there are: " + names);
  }
  const bool is_dense = found->storage == Storage::dense;
  const ElementType type = is_dense ? found->element_type : found->index_type;
  if (type == ElementType::bytes) {
    refuse_values(name, formatted("values of type {} are no numbers to look at", to_string(type)));
  }
  return found - streams.begin();
}

}  // namespace

SequenceValues::SequenceValues(const Deserializer& data, Executor& executor,
                               const std::string& stream,
                               const std::function<void(std::int64_t)>& done) {
  const std::int64_t number = stream_number(data, stream);
  const Stream& description = data.streams()[static_cast<std::size_t>(number)];
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  scan_data(data, executor, [&](const ScanUnit& unit) {
    Diagnostics diagnostics(0);
    const Chunk chunk = data.read(unit.range, diagnostics);
    std::vector<float> part;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      part.push_back(chunk.is_hole(i) ? kNone : first_number(description, chunk.view(number, i)));
    }
    return [&, part = std::move(part), range = unit.range, end = unit.stored_bytes] {
      const auto chunk_number = static_cast<std::size_t>(range.chunk);
      if (values_.size() <= chunk_number) values_.resize(chunk_number + 1);
      for (const float each : part) {
        values_[chunk_number].push_back(each);
        if (std::isnan(each)) continue;
        least = std::min(least, each);
        most = std::max(most, each);
      }
      if (done) done(end);
    };
  });
  if (least > most) refuse_values(stream, "no sequence has a value in it");
  if (least == most) {
    refuse_values(stream,
                  formatted("all sequences have the same {} in it: there is nothing to mix",
                            description.storage == Storage::sparse ? "first index" : "value"));
  }
}

}  // namespace sheaf::internal
