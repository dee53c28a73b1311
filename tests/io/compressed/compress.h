// Makes compressed files for tests, with the libraries' own compressors.

#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

namespace sheaf {

/// Returns text that compresses to about a fourth and never repeats.
inline std::string compressible_text(std::size_t size, std::uint64_t seed = 1) {
  std::string text;
  text.reserve(size + 32);
  while (text.size() < size) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(seed >> 44U);
    text += (seed >> 40U) % 7 == 0 ? '\n' : ' ';
  }
  text.resize(size);
  return text;
}

struct GzipOptions {
  int level = 6;
  std::string name = {};     // FNAME
  std::string comment = {};  // FCOMMENT
  std::string extra = {};    // FEXTRA
  bool has_header_checksum = false;
};

/// Returns one gzip member.
inline std::string gzip_member(std::string_view bytes, const GzipOptions& options = {}) {
  z_stream stream{};
  if (deflateInit2(&stream, options.level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string name = options.name;
  std::string comment = options.comment;
  std::string extra = options.extra;
  gz_header header{};
  header.os = 255;
  if (!name.empty()) header.name = reinterpret_cast<Bytef*>(name.data());
  if (!comment.empty()) header.comment = reinterpret_cast<Bytef*>(comment.data());
  if (!extra.empty()) {
    header.extra = reinterpret_cast<Bytef*>(extra.data());
    header.extra_len = static_cast<uInt>(extra.size());
  }
  header.hcrc = options.has_header_checksum ? 1 : 0;
  deflateSetHeader(&stream, &header);
  std::string in(bytes);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

/// Returns one zstd frame that ends with a checksum.
inline std::string zstd_frame(std::string_view bytes, bool has_size = true) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, has_size ? 1 : 0);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("ZSTD_compress2");
  out.resize(size);
  return out;
}

struct Lz4Options {
  bool is_independent = true;
  bool has_block_checksums = false;
  bool has_size = false;
};

/// Returns one lz4 frame with blocks of 64 KiB that ends with a checksum.
inline std::string lz4_frame(std::string_view bytes, const Lz4Options& options = {}) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode =
      options.is_independent ? LZ4F_blockIndependent : LZ4F_blockLinked;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.blockChecksumFlag =
      options.has_block_checksums ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
  preferences.frameInfo.contentSize = options.has_size ? bytes.size() : 0;
  // Uses a stream, because LZ4F_compressFrame() chooses the size of blocks itself.
  LZ4F_cctx* context = nullptr;
  LZ4F_createCompressionContext(&context, LZ4F_VERSION);
  std::string out(LZ4F_compressBound(bytes.size(), &preferences) + 1024, '\0');
  std::size_t size = LZ4F_compressBegin(context, out.data(), out.size(), &preferences);
  const auto add = [&size](std::size_t more) {
    if (LZ4F_isError(more) != 0) throw std::runtime_error(LZ4F_getErrorName(more));
    size += more;
  };
  if (!bytes.empty()) {
    add(LZ4F_compressUpdate(context, out.data() + size, out.size() - size, bytes.data(),
                            bytes.size(), nullptr));
  }
  add(LZ4F_compressEnd(context, out.data() + size, out.size() - size, nullptr));
  LZ4F_freeCompressionContext(context);
  out.resize(size);
  return out;
}

/// Returns a frame that decompressors of zstd and lz4 skip.
inline std::string skippable_frame(std::string_view bytes) {
  std::string frame = "\x53\x2A\x4D\x18";
  for (unsigned shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>((bytes.size() >> shift) & 0xFFU);
  }
  return frame.append(bytes);
}

}  // namespace sheaf
