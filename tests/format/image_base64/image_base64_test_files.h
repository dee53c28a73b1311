/// \file
/// Makes files of images in base64.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sheaf/extend/byte_source.h"

#include "format/image_base64/image_base64_deserializer.h"
#include "support/error_of.h"

namespace sheaf::image_base64 {

using sheaf::testing::error_of;

// "ABC", "a", "ab" in base64.
inline const std::string kAbc = "QUJD";
inline const std::string kOne = "YQ==";
inline const std::string kTwo = "YWI=";

inline std::unique_ptr<ImageBase64Deserializer> open_lines(std::string text,
                                                           const FormatOptions& options = {}) {
  return std::make_unique<ImageBase64Deserializer>(memory_source(std::move(text), "t.b64"),
                                                   options);
}

inline FormatOptions with_extra(std::map<std::string, std::string> extra) {
  FormatOptions options;
  options.extra = std::move(extra);
  return options;
}

inline FormatOptions as_cntk(FormatOptions options = {}) {
  options.compatibility = Compatibility::cntk;
  return options;
}

inline FormatOptions with_keys(KeyType keys, FormatOptions options = {}) {
  options.keys = keys;
  return options;
}

}  // namespace sheaf::image_base64
