#include "core/equal_streams.h"

#include <cstddef>
#include <string>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

void EqualStreams::refuse(const SequenceKey& key, std::string_view key_text,
                          std::span<const Stream> streams) const {
  const std::string name = key_text.empty() ? to_string(key) : quoted(key_text);
  throw ConfigError(formatted(
      "long: sequence {} has {} samples in stream \"{}\" and {} in stream \"{}\": a sequence that "
      "is longer than a row is cut at the same samples in every stream; leave one of the streams "
      "out, or make rows as long as the longest sequence",
      name, first_samples_, streams[static_cast<std::size_t>(first_)].name, other_samples_,
      streams[static_cast<std::size_t>(other_)].name));
}

}  // namespace sheaf::internal
