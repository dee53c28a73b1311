#include "image/jpeg_session.h"

#include <jerror.h>

namespace sheaf::internal {
namespace {

// Encoders write about ten scans. A file with thousands of empty scans would keep a machine busy
// for hours.
constexpr int kScansMax = 500;

/// Returns whether all pixels are right after this warning.
bool is_harmless(int message) noexcept {
  return message == JWRN_EXTRANEOUS_DATA || message == JWRN_ADOBE_XFORM ||
         message == JWRN_JFIF_MAJOR || message == JWRN_BOGUS_ICC;
}

}  // namespace

JpegSession::JpegSession(std::span<const std::byte> bytes) : bytes_(bytes) {
  codec_.err = jpeg_std_error(&errors_);
  errors_.error_exit = on_error;
  errors_.emit_message = on_message;
  errors_.output_message = on_output;
  codec_.client_data = this;
  // Fails only with another version of the library, or without memory.
  if (!guarded(jump_, [this] { jpeg_create_decompress(&codec_); })) return;
  codec_.client_data = this;
  source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  source_.bytes_in_buffer = bytes.size();
  source_.init_source = on_nothing;
  source_.fill_input_buffer = on_end;
  source_.skip_input_data = on_skip;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = on_nothing;
  codec_.src = &source_;
  progress_.progress_monitor = on_progress;
  codec_.progress = &progress_;
}

JpegSession::~JpegSession() { jpeg_destroy_decompress(&codec_); }

std::size_t JpegSession::offset() const noexcept { return bytes_.size() - source_.bytes_in_buffer; }

void JpegSession::report(bool has_failed, const CodecFindings& findings) const {
  const auto to_problem = [](const Note& note) {
    return ImageProblem{.offset = note.offset,
                        .expected = "a JPEG image that libjpeg-turbo decodes",
                        .found = note.text.data(),
                        .is_cut = note.is_cut};
  };
  for (std::size_t i = 0; i < warning_count_; ++i) {
    findings.warnings.push_back(to_problem(warnings_[i]));
  }
  if (has_failed) findings.problem = to_problem(failure_);
}

JpegSession& JpegSession::session_of(j_common_ptr codec) noexcept {
  return *static_cast<JpegSession*>(codec->client_data);
}

void JpegSession::note(Note& where, bool is_cut) noexcept {
  where.offset = static_cast<std::int64_t>(offset());
  where.is_cut = is_cut;
  errors_.format_message(reinterpret_cast<j_common_ptr>(&codec_), where.text.data());
}

void JpegSession::on_error(j_common_ptr codec) {
  JpegSession& session = session_of(codec);
  session.note(session.failure_, codec->err->msg_code == JERR_INPUT_EOF);
  std::longjmp(session.jump_, 1);
}

void JpegSession::on_message(j_common_ptr codec, int level) {
  if (level >= 0) return;  // messages of libjpeg-turbo about valid images
  if (!is_harmless(codec->err->msg_code)) on_error(codec);
  JpegSession& session = session_of(codec);
  if (session.warning_count_ == session.warnings_.size()) return;
  session.note(session.warnings_[session.warning_count_++], /*is_cut=*/false);
}

void JpegSession::on_output(j_common_ptr /*codec*/) {}

void JpegSession::on_progress(j_common_ptr codec) {
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number <= kScansMax) return;
  codec->err->msg_code = JERR_BAD_PROGRESSION;
  on_error(codec);
}

/// Fails if the bytes end too early. libjpeg-turbo's own sources invent an end with grey pixels.
boolean JpegSession::on_end(j_decompress_ptr codec) {
  codec->src->bytes_in_buffer = 0;
  codec->err->msg_code = JERR_INPUT_EOF;
  on_error(reinterpret_cast<j_common_ptr>(codec));
  return FALSE;
}

void JpegSession::on_skip(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  jpeg_source_mgr& source = *codec->src;
  const auto size = static_cast<std::size_t>(count);
  if (size > source.bytes_in_buffer) {
    on_end(codec);
    return;
  }
  source.next_input_byte += size;
  source.bytes_in_buffer -= size;
}

void JpegSession::on_nothing(j_decompress_ptr /*codec*/) {}

}  // namespace sheaf::internal
