/// \file
/// A conversion in the order of the file, for data that know where the chunks of their input ended.

#pragma once

#include <memory>
#include <string>

#include "sheaf/convert.h"

#include "ops/chunk_steps.h"

namespace sheaf::internal {

/// As convert(). Chunks of the output end where chunks of the input do: with each chunk of the data
/// for which `ends_input` returns true.
///
/// Pre: the order is the order of the file.
ConvertReport convert_with_ends(const std::shared_ptr<const Deserializer>& data,
                                const std::string& path, const ConvertOptions& options,
                                ChunkEnds::EndsInput ends_input);

}  // namespace sheaf::internal
