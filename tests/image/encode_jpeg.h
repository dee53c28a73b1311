/// \file
/// JPEG images of any sampling.

#pragma once

#include <string>

namespace sheaf::internal {

/// How to write a JPEG image.
struct JpegMaking {
  int width = 1;
  int height = 1;
  int h_sampling = 1;  // luma samples to one of chroma, across and down
  int v_sampling = 1;
  bool is_grey = false;
  bool is_progressive = false;
  bool has_scans = false;  // whether each component has a scan of its own
  int restart_rows = 0;    // rows of iMCUs between restart markers; 0: none
};

/// Returns an image of edges and noise.
[[nodiscard]] std::string encode_jpeg(const JpegMaking& making);

}  // namespace sheaf::internal
