#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <png.h>

#include "image/codec.h"
#include "image/color_rows.h"
#include "image/image_end.h"

namespace sheaf::internal {
namespace {

/// Decodes one image from memory with libpng. In case of an error, libpng leaves by longjmp().
class PngSession {
 public:
  explicit PngSession(std::span<const std::byte> bytes) : bytes_(bytes) {
    // These calls fail only without memory. run() then reports it.
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ == nullptr) return;
    info_ = png_create_info_struct(png_);
    png_set_read_fn(png_, this, on_read);
  }
  ~PngSession() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngSession(const PngSession&) = delete;
  PngSession& operator=(const PngSession&) = delete;

  [[nodiscard]] bool is_ready() const noexcept { return png_ != nullptr && info_ != nullptr; }
  [[nodiscard]] png_structp png() const noexcept { return png_; }
  [[nodiscard]] png_infop info() const noexcept { return info_; }

  template <typename Call>
  [[nodiscard]] bool run(const Call& call) {
    return guarded(jump_, call);
  }

  void report(bool has_failed, const CodecFindings& findings) const {
    const auto to_problem = [](const Note& note) {
      return ImageProblem{.offset = static_cast<std::int64_t>(note.offset),
                          .expected = "a PNG image that libpng decodes",
                          .found = note.text.data(),
                          .is_cut = note.is_cut};
    };
    for (std::size_t i = 0; i < warning_count_; ++i) {
      findings.warnings.push_back(to_problem(warnings_[i]));
    }
    if (has_failed) findings.problem = to_problem(failure_);
  }

 private:
  struct Note {
    std::size_t offset;
    bool is_cut;
    std::array<char, 128> text;
  };

  void note(Note& where, const char* text) const noexcept {
    where.offset = offset_;
    where.is_cut = is_cut_;
    const std::size_t size = std::min(std::strlen(text), where.text.size() - 1);
    std::memcpy(where.text.data(), text, size);
    where.text[size] = '\0';
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& session = *static_cast<PngSession*>(png_get_error_ptr(png));
    session.note(session.failure_, text);
    std::longjmp(session.jump_, 1);
  }

  static void on_warning(png_structp png, png_const_charp text) {
    auto& session = *static_cast<PngSession*>(png_get_error_ptr(png));
    if (session.warning_count_ == session.warnings_.size()) return;
    session.note(session.warnings_[session.warning_count_++], text);
  }

  static void on_read(png_structp png, png_bytep to, std::size_t size) {
    auto& session = *static_cast<PngSession*>(png_get_io_ptr(png));
    if (size > session.bytes_.size() - session.offset_) {
      session.offset_ = session.bytes_.size();
      session.is_cut_ = true;
      png_error(png, "the end of the bytes");
    }
    std::memcpy(to, session.bytes_.data() + session.offset_, size);
    session.offset_ += size;
  }

  std::span<const std::byte> bytes_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::size_t offset_ = 0;  // number of bytes read
  bool is_cut_ = false;
  std::jmp_buf jump_ = {};
  Note failure_ = {};
  std::array<Note, 4> warnings_ = {};
  std::size_t warning_count_ = 0;
};

/// Reads the header, and asks for 8 bits a channel, no alpha, and the channels of the result. With
/// Pillow's rules, color stays RGB even if grey is wanted, since Pillow rounds differently.
void set_up(PngSession& session, const CodecTask& task) {
  png_structp png = session.png();
  const bool is_grey = task.color == ImageColor::grey;
  const bool is_opencv = task.rules == ImageRules::opencv;
  // Ignores times, texts and profiles, which do not change pixels, with one exception. If a file
  // has a gamma, libpng converts color to grey in linear light, and OpenCV relies on libpng for
  // this.
  if (!is_grey || !is_opencv) {
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  }
  png_set_user_limits(png, static_cast<png_uint_32>(task.header.stored_width),
                      static_cast<png_uint_32>(task.header.stored_height));
  png_read_info(png, session.info());
  const unsigned type = png_get_color_type(png, session.info());
  const bool is_colored = (type & PNG_COLOR_MASK_COLOR) != 0;
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (!is_colored) png_set_expand_gray_1_2_4_to_8(png);
  if (is_grey) {
    if (is_colored && is_opencv) png_set_rgb_to_gray_fixed(png, 1, 29900, 58700);
  } else if (!is_colored) {
    png_set_gray_to_rgb(png);
  } else if (task.color == ImageColor::bgr) {
    png_set_bgr(png);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, session.info());
}

/// Decodes the rows of the region. Reads one row at a time, or all of them from an interlaced
/// image.
class RowReader {
 public:
  RowReader(PngSession& session, const CodecTask& task, CodecMemory& memory)
      : session_(session),
        task_(task),
        memory_(memory),
        channels_(png_get_channels(session.png(), session.info())),
        row_size_(png_get_rowbytes(session.png(), session.info())) {}

  [[nodiscard]] bool read() {
    if (png_get_interlace_type(session_.png(), session_.info()) != PNG_INTERLACE_NONE) {
      return read_interlaced();
    }
    memory_.row.resize(std::max(memory_.row.size(), row_size_));
    const bool is_as_stored =
        channels_ == task_.pixels.channels() && task_.region.width == task_.header.stored_width;
    if (!skip(task_.region.y)) return false;
    for (std::int64_t y = 0; y < task_.region.height; ++y) {
      std::uint8_t* direct = is_as_stored ? task_.pixels.direct_row(y) : nullptr;
      std::uint8_t* row = direct != nullptr ? direct : memory_.row.data();
      if (!session_.run([&] { png_read_row(session_.png(), row, nullptr); })) return false;
      if (direct == nullptr) put(y, row);
    }
    return true;
  }

  [[nodiscard]] bool is_at_last_row() const {
    return task_.region.y + task_.region.height == task_.header.stored_height ||
           png_get_interlace_type(session_.png(), session_.info()) != PNG_INTERLACE_NONE;
  }

 private:
  [[nodiscard]] bool skip(std::int64_t count) {
    return session_.run([&] {
      for (std::int64_t i = 0; i < count; ++i) png_read_row(session_.png(), nullptr, nullptr);
    });
  }

  /// Keeps the rows of the region in memory, since each pass adds to them.
  [[nodiscard]] bool read_interlaced() {
    const auto rows = static_cast<std::size_t>(task_.region.height);
    memory_.result.resize(std::max(memory_.result.size(), row_size_ * rows));
    std::uint8_t* const first = memory_.result.data();
    const std::int64_t below = task_.header.stored_height - task_.region.y - task_.region.height;
    const int pass_count = PNG_INTERLACE_ADAM7_PASSES;
    for (int pass = 0; pass < pass_count; ++pass) {
      const auto read_rows = [&] {
        for (std::size_t y = 0; y < rows; ++y) {
          png_read_row(session_.png(), first + y * row_size_, nullptr);
        }
      };
      if (!skip(task_.region.y) || !session_.run(read_rows) || !skip(below)) return false;
    }
    memory_.row.resize(std::max(memory_.row.size(), row_size_));
    for (std::size_t y = 0; y < rows; ++y) {
      put(static_cast<std::int64_t>(y), first + y * row_size_);
    }
    return true;
  }

  void put(std::int64_t y, std::uint8_t* row) {
    row += task_.region.x * channels_;
    if (channels_ != task_.pixels.channels()) {
      convert_to_grey(row, task_.region.width, task_.rules, row);
    }
    task_.pixels.put_row(y, row);
  }

  PngSession& session_;
  const CodecTask& task_;
  CodecMemory& memory_;
  std::int64_t channels_;
  std::size_t row_size_;
};

bool has_layout(const PngSession& session, const CodecTask& task, const CodecFindings& findings) {
  const auto channels = static_cast<std::int64_t>(png_get_channels(session.png(), session.info()));
  const bool is_right = png_get_image_width(session.png(), session.info()) ==
                            static_cast<png_uint_32>(task.header.stored_width) &&
                        png_get_image_height(session.png(), session.info()) ==
                            static_cast<png_uint_32>(task.header.stored_height) &&
                        png_get_bit_depth(session.png(), session.info()) == 8 &&
                        (channels == 3 || channels == task.pixels.channels());
  if (is_right) return true;
  findings.problem = {.offset = 0,
                      .expected = "a PNG image of the extents of its header",
                      .found = "another layout",
                      .is_cut = false};
  return false;
}

}  // namespace

bool decode_png(const CodecTask& task, CodecMemory& memory, const CodecFindings& findings) {
  PngSession session(task.bytes);
  if (!session.is_ready()) throw std::bad_alloc();
  if (!session.run([&] { set_up(session, task); })) {
    session.report(/*has_failed=*/true, findings);
    return false;
  }
  if (!has_layout(session, task, findings)) return false;
  RowReader rows(session, task, memory);
  bool is_done = rows.read();
  if (is_done && rows.is_at_last_row()) {
    is_done = session.run([&] { png_read_end(session.png(), nullptr); });
  } else if (is_done && !check_png_chunks(task.bytes, findings.problem)) {
    // An image that is damaged or cut behind the region fails as it would when read completely.
    return false;
  }
  session.report(!is_done, findings);
  return is_done;
}

}  // namespace sheaf::internal
