#include "image/encode_jpeg.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

// The headers of libjpeg-turbo need <cstdio> before them.
#include <jpeglib.h>

namespace sheaf::internal {
namespace {

unsigned char value_at(int x, int y, int channel) {
  const unsigned noise = static_cast<unsigned>(x * 73 + y * 151 + channel * 199) * 2654435761U;
  const bool is_light = ((x / 5) ^ (y / 3) ^ channel) % 2 != 0;
  return static_cast<unsigned char>((is_light ? 170 : 20) + (noise >> 26));
}

}  // namespace

std::string encode_jpeg(const JpegMaking& making) {
  jpeg_compress_struct codec = {};
  jpeg_error_mgr errors = {};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &bytes, &size);
  const int channels = making.is_grey ? 1 : 3;
  codec.image_width = static_cast<JDIMENSION>(making.width);
  codec.image_height = static_cast<JDIMENSION>(making.height);
  codec.input_components = channels;
  codec.in_color_space = making.is_grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, 80, TRUE);
  codec.comp_info[0].h_samp_factor = making.h_sampling;
  codec.comp_info[0].v_samp_factor = making.v_sampling;
  codec.restart_in_rows = making.restart_rows;
  if (making.is_progressive) jpeg_simple_progression(&codec);
  std::vector<jpeg_scan_info> scans;
  for (int component = 0; component < channels && making.has_scans; ++component) {
    scans.push_back({1, {component}, 0, 63, 0, 0});  // all 64 coefficients at once
  }
  if (making.has_scans) {
    codec.scan_info = scans.data();
    codec.num_scans = channels;
  }
  jpeg_start_compress(&codec, TRUE);
  std::vector<unsigned char> row(static_cast<std::size_t>(making.width * channels));
  for (int y = 0; y < making.height; ++y) {
    for (int i = 0; i < making.width * channels; ++i) {
      row[static_cast<std::size_t>(i)] = value_at(i / channels, y, i % channels);
    }
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&codec, &rows, 1);
  }
  jpeg_finish_compress(&codec);
  std::string result(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&codec);
  std::free(bytes);
  return result;
}

}  // namespace sheaf::internal
