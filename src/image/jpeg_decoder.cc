#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "image/codec.h"
#include "image/color_rows.h"
#include "image/image_end.h"
#include "image/jpeg_session.h"

namespace sheaf::internal {
namespace {

/// The part of the image that libjpeg-turbo decodes to pixels.
struct DecodedPart {
  std::int64_t x = 0;
  std::int64_t width = 0;
  std::int64_t dropped_rows = 0;  // rows of pixels made above the region
};

/// Interpolated chroma reads the column next to a pixel, so this column must be decoded, too.
/// Chroma has at least every second column.
constexpr std::int64_t kMarginColumns = 2;

/// Returns whether libjpeg-turbo 2.1 can skip parts of this image without changing the rest. It
/// cannot if an iMCU is more than two blocks high or wide (it reads uninitialized memory), if
/// pixels are reduced, and in progressive images (the smoothing of incomplete images reads blocks
/// farther away). Then all rows of pixels are decoded.
bool can_leave_out(jpeg_decompress_struct& codec) {
  return codec.scale_num == codec.scale_denom && jpeg_has_multiple_scans(&codec) == FALSE &&
         codec.max_h_samp_factor <= 2 && codec.max_v_samp_factor <= 2;
}

/// Returns how many rows to skip: all whole rows of iMCUs above the region, except the last one.
/// libjpeg-turbo 2.1 keeps old rows after a skip, and interpolated chroma reads the row above.
std::int64_t rows_to_skip(const jpeg_decompress_struct& codec, std::int64_t region_y) {
  const std::int64_t unit = std::int64_t{DCTSIZE} * codec.max_v_samp_factor;
  return std::max<std::int64_t>(0, region_y / unit - 1) * unit;
}

JDIMENSION dimension(std::int64_t value) { return static_cast<JDIMENSION>(value); }

void set_up(jpeg_decompress_struct& codec, const CodecTask& task) {
  codec.dct_method = JDCT_ISLOW;
  codec.do_fancy_upsampling = TRUE;
  codec.scale_num = 1;
  codec.scale_denom = static_cast<unsigned>(task.reduction);
  if (codec.num_components == 4) {
    codec.out_color_space = JCS_CMYK;
  } else if (task.color == ImageColor::grey) {
    codec.out_color_space = JCS_GRAYSCALE;
  } else {
    codec.out_color_space = task.color == ImageColor::bgr ? JCS_EXT_BGR : JCS_RGB;
  }
}

/// Reads the rows of the region, one at a time.
class RowReader {
 public:
  RowReader(JpegSession& session, const CodecTask& task, CodecMemory& memory)
      : session_(session), codec_(session.codec()), task_(task), memory_(memory) {}

  [[nodiscard]] bool start() {
    const auto start = [this] { jpeg_start_decompress(&codec_); };
    if (!session_.run(start)) return false;
    part_ = {.width = codec_.output_width, .dropped_rows = task_.region.y};
    if (can_leave_out(codec_) && !leave_out()) return false;
    const auto size = static_cast<std::size_t>(part_.width * codec_.output_components);
    memory_.row.resize(std::max(memory_.row.size(), size));
    memory_.result.resize(std::max(memory_.result.size(), size));
    return true;
  }

  [[nodiscard]] bool read() {
    if (!session_.run([this] { drop_rows(); })) return false;
    const std::int64_t height = task_.region.height;
    const std::int64_t band = task_.bands != nullptr ? kBandRows : height;
    for (std::int64_t first = 0; first < height; first += band) {
      const std::int64_t count = std::min(band, height - first);
      const auto read = [&] { is_direct() ? read_direct(count) : read_and_put(count); };
      if (!session_.run(read)) return false;
      if (task_.bands != nullptr) task_.bands->take(first, count);
    }
    return true;
  }

  [[nodiscard]] bool is_at_last_row() const {
    return codec_.output_scanline == codec_.output_height;
  }

 private:
  [[nodiscard]] bool leave_out() {
    const std::int64_t image_width = codec_.output_width;
    const std::int64_t first = std::max<std::int64_t>(0, task_.region.x - kMarginColumns);
    const std::int64_t end =
        std::min(image_width, task_.region.x + task_.region.width + kMarginColumns);
    JDIMENSION x = dimension(first);
    JDIMENSION width = dimension(end - first);
    const std::int64_t skipped = rows_to_skip(codec_, task_.region.y);
    const bool is_narrower = end - first < image_width;
    const auto leave = [&] {
      if (is_narrower) jpeg_crop_scanline(&codec_, &x, &width);
      if (skipped > 0) jpeg_skip_scanlines(&codec_, dimension(skipped));
    };
    if (!session_.run(leave)) return false;
    part_ = {.x = is_narrower ? x : 0,
             .width = is_narrower ? width : image_width,
             .dropped_rows = task_.region.y - skipped};
    return true;
  }

  // The calls below leave by longjmp() in case of an error, so no object with a destructor may
  // exist.

  // Reads the rows up to `end`. row_at(y) returns the address for a row. Each call reads at least
  // one row or fails, since the source has all bytes.
  template <typename RowAt>
  void read_rows(std::int64_t end, const RowAt& row_at) {
    constexpr std::int64_t kRowsMax = 16;
    std::array<JSAMPROW, kRowsMax> rows{};
    for (std::int64_t y = 0; y < end;) {
      const std::int64_t count = std::min(kRowsMax, end - y);
      for (std::int64_t i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = row_at(y + i);
      y += jpeg_read_scanlines(&codec_, rows.data(), dimension(count));
    }
  }

  void drop_rows() {
    read_rows(part_.dropped_rows, [this](std::int64_t) { return memory_.row.data(); });
  }

  void read_direct(std::int64_t count) {
    const std::int64_t before = (task_.region.x - part_.x) * codec_.output_components;
    read_rows(count, [&](std::int64_t y) { return task_.pixels.direct_row(y) - before; });
  }

  void read_and_put(std::int64_t count) {
    for (std::int64_t y = 0; y < count; ++y) {
      JSAMPROW row = memory_.row.data();
      jpeg_read_scanlines(&codec_, &row, 1);
      task_.pixels.put_row(y, converted(row));
    }
  }

  // Returns whether libjpeg can write rows directly to the result: they have the wanted form, and
  // there is room for the pixels next to the region.
  [[nodiscard]] bool is_direct() const {
    const std::int64_t before = task_.region.x - part_.x;
    const std::int64_t behind = part_.width - before - task_.region.width;
    return codec_.num_components != 4 && before <= task_.margin && behind <= task_.margin &&
           task_.pixels.direct_row(0) != nullptr;
  }

  [[nodiscard]] const std::uint8_t* converted(const std::uint8_t* row) {
    row += (task_.region.x - part_.x) * codec_.output_components;
    if (codec_.num_components != 4) return row;
    convert_cmyk(row, task_.region.width, task_.color, task_.rules, memory_.result.data());
    return memory_.result.data();
  }

  JpegSession& session_;
  jpeg_decompress_struct& codec_;
  const CodecTask& task_;
  CodecMemory& memory_;
  DecodedPart part_;
};

/// Reads to the end of the image, or finds the end behind the decoded rows, so that an image that
/// is cut there fails, too. Images of several scans are read completely before their first row.
bool finish(JpegSession& session, const CodecTask& task, const RowReader& rows,
            const CodecFindings& findings) {
  jpeg_decompress_struct& codec = session.codec();
  if (rows.is_at_last_row()) {
    if (session.run([&] { jpeg_finish_decompress(&codec); })) return true;
    session.report(/*has_failed=*/true, findings);
    return false;
  }
  if (jpeg_has_multiple_scans(&codec) == TRUE || codec.unread_marker == JPEG_EOI ||
      has_jpeg_end(task.bytes, session.offset())) {
    return true;
  }
  findings.problem = {.offset = static_cast<std::int64_t>(task.bytes.size()),
                      .expected = "the end of the JPEG image",
                      .found = "the end of the bytes",
                      .is_cut = true};
  return false;
}

bool has_extents(const jpeg_decompress_struct& codec, const CodecTask& task,
                 const CodecFindings& findings) {
  if (codec.image_width == task.header.stored_width &&
      codec.image_height == task.header.stored_height &&
      codec.num_components == task.header.channels) {
    return true;
  }
  findings.problem = {
      .offset = 0, .expected = "one frame", .found = "frames of several extents", .is_cut = false};
  return false;
}

}  // namespace

bool decode_jpeg(const CodecTask& task, CodecMemory& memory, const CodecFindings& findings) {
  JpegSession session(task.bytes);
  jpeg_decompress_struct& codec = session.codec();
  if (!session.run([&] { jpeg_read_header(&codec, TRUE); })) {
    session.report(/*has_failed=*/true, findings);
    return false;
  }
  if (!has_extents(codec, task, findings)) return false;
  set_up(codec, task);
  RowReader rows(session, task, memory);
  if (!rows.start() || !rows.read()) {
    session.report(/*has_failed=*/true, findings);
    return false;
  }
  if (!finish(session, task, rows, findings)) return false;
  session.report(/*has_failed=*/false, findings);
  return true;
}

}  // namespace sheaf::internal
