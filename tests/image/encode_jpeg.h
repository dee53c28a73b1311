/// \file
/// Encodes JPEG images with any sampling.

#pragma once

#include <string>

namespace sheaf::internal {

/// How to write a JPEG image.
struct JpegMaking {
  int width = 1;
  int height = 1;
  int h_sampling = 1;  // luma samples for each chroma sample, horizontally and vertically
  int v_sampling = 1;
  bool is_grey = false;
  bool is_progressive = false;
  bool has_scans = false;  // whether each component has its own scan
  int restart_rows = 0;    // rows of iMCUs between restart markers; 0 means no markers
};

/// Returns an image with edges and noise.
[[nodiscard]] std::string encode_jpeg(const JpegMaking& making);

}  // namespace sheaf::internal
