/// \file
/// Conversion in the order of the file for data that know where the chunks of their input end.

#pragma once

#include <memory>
#include <string>

#include "sheaf/convert.h"

#include "ops/chunk_steps.h"

namespace sheaf::internal {

/// Converts as convert() does. A chunk of the output ends with each chunk of the data for which
/// `ends_input` returns true. These are the ends of the input chunks.
///
/// Pre: the order is the order of the file.
ConvertReport convert_with_ends(const std::shared_ptr<const Deserializer>& data,
                                const std::string& path, const ConvertOptions& options,
                                ChunkEnds::EndsInput ends_input);

}  // namespace sheaf::internal
