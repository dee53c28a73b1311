/// \file
/// Runs libjpeg-turbo without its own reading, printing and exiting.

#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>

// libjpeg-turbo's header needs <cstdio> before it.
#include <cstdio>

#include <jpeglib.h>

#include "image/codec.h"

namespace sheaf::internal {

/// Decodes one image from memory with libjpeg-turbo. Records the messages of libjpeg-turbo. Errors,
/// and warnings that mean lost pixels, end the call by longjmp().
class JpegSession {
 public:
  /// Lifetime: the session refers to `bytes`.
  explicit JpegSession(std::span<const std::byte> bytes);
  ~JpegSession();
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  /// Runs calls of libjpeg-turbo. Returns false if one failed. report() then says why.
  template <typename Call>
  [[nodiscard]] bool run(const Call& call) {
    return guarded(jump_, call);
  }

  [[nodiscard]] jpeg_decompress_struct& codec() noexcept { return codec_; }

  /// Returns how many bytes have been read.
  [[nodiscard]] std::size_t offset() const noexcept;

  /// Copies the recorded messages to `findings`.
  void report(bool has_failed, const CodecFindings& findings) const;

 private:
  struct Note {
    std::int64_t offset;
    bool is_cut;
    std::array<char, JMSG_LENGTH_MAX> text;
  };

  static JpegSession& session_of(j_common_ptr codec) noexcept;
  static void on_error(j_common_ptr codec);
  static void on_message(j_common_ptr codec, int level);
  static void on_output(j_common_ptr codec);
  static void on_progress(j_common_ptr codec);
  static boolean on_end(j_decompress_ptr codec);
  static void on_skip(j_decompress_ptr codec, long count);
  static void on_nothing(j_decompress_ptr codec);

  void note(Note& where, bool is_cut) noexcept;

  std::span<const std::byte> bytes_;
  jpeg_decompress_struct codec_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_source_mgr source_ = {};
  jpeg_progress_mgr progress_ = {};
  std::jmp_buf jump_ = {};
  Note failure_ = {};
  std::array<Note, 4> warnings_ = {};
  std::size_t warning_count_ = 0;
};

}  // namespace sheaf::internal
