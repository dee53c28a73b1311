// A compressed buffer states its decompressed size, which may be wrong. So memory is allocated step
// by step while bytes are decompressed.

#include "format/arrow/ipc_codec.h"

#include <algorithm>
#include <new>
#include <string_view>

#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/text.h"

namespace sheaf::arrow {
namespace {

constexpr std::int64_t kFirstBytes = std::int64_t{1} << 20;

// The result of one call of the library.
struct DecodedStep {
  std::size_t used = 0;
  std::size_t made = 0;
  bool is_frame_end = false;
  std::string_view error = {};  // points to memory of the library
};

DecodedStep zstd_step(ZSTD_DCtx* context, std::span<const std::byte> bytes,
                      std::span<std::byte> into) {
  ZSTD_inBuffer in{.src = bytes.data(), .size = bytes.size(), .pos = 0};
  ZSTD_outBuffer out{.dst = into.data(), .size = into.size(), .pos = 0};
  const std::size_t code = ZSTD_decompressStream(context, &out, &in);
  if (ZSTD_isError(code) != 0) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    return {.error = ZSTD_getErrorName(code)};
  }
  return {.used = in.pos, .made = out.pos, .is_frame_end = code == 0};
}

DecodedStep lz4_step(LZ4F_dctx* context, std::span<const std::byte> bytes,
                     std::span<std::byte> into) {
  // Neither pointer may be null, not even for zero bytes.
  std::byte none{};
  std::size_t made = into.size();
  std::size_t used = bytes.size();
  const std::size_t code = LZ4F_decompress(context, into.empty() ? &none : into.data(), &made,
                                           bytes.empty() ? &none : bytes.data(), &used, nullptr);
  if (LZ4F_isError(code) != 0) {
    const std::string_view name = LZ4F_getErrorName(code);
    if (name == "ERROR_allocation_failed") throw std::bad_alloc();
    return {.error = name};
  }
  return {.used = used, .made = made, .is_frame_end = code == 0};
}

}  // namespace

struct IpcDecompressor::Contexts {
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> zstd{nullptr, &ZSTD_freeDCtx};
  std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> lz4{
      nullptr, &LZ4F_freeDecompressionContext};
};

IpcDecompressor::IpcDecompressor(IpcCodec codec)
    : codec_(codec), contexts_(std::make_unique<Contexts>()) {
  if (codec_ == IpcCodec::zstd) {
    contexts_->zstd.reset(ZSTD_createDCtx());
    if (!contexts_->zstd) throw std::bad_alloc();
  } else if (codec_ == IpcCodec::lz4) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) {
      throw std::bad_alloc();
    }
    contexts_->lz4.reset(context);
  }
}

IpcDecompressor::~IpcDecompressor() = default;

std::string IpcDecompressor::decompress(std::span<const std::byte> bytes, std::int64_t size_bytes,
                                        Buffer& into) {
  if (codec_ == IpcCodec::zstd) {
    ZSTD_DCtx_reset(contexts_->zstd.get(), ZSTD_reset_session_only);
  } else {
    LZ4F_resetDecompressionContext(contexts_->lz4.get());
  }
  // Bytes that compress well grow by a factor of 16, so the first allocation is often the last.
  const std::int64_t likely = std::max(kFirstBytes, std::ssize(bytes) * 16);
  into.resize(std::min(size_bytes, likely));
  std::int64_t made = 0;
  bool is_frame_end = false;
  while (!bytes.empty() || !is_frame_end) {
    if (made == into.size_bytes() && made < size_bytes) {
      into.resize(std::min(size_bytes, 2 * made));
    }
    const std::span<std::byte> room(into.mutable_data() + made,
                                    static_cast<std::size_t>(into.size_bytes() - made));
    const DecodedStep step = codec_ == IpcCodec::zstd
                                 ? zstd_step(contexts_->zstd.get(), bytes, room)
                                 : lz4_step(contexts_->lz4.get(), bytes, room);
    if (!step.error.empty()) return std::string(step.error);
    is_frame_end = step.is_frame_end;
    bytes = bytes.subspan(step.used);
    made += static_cast<std::int64_t>(step.made);
    const bool is_stuck = step.used == 0 && step.made == 0;
    if (is_stuck && !(is_frame_end && bytes.empty())) {
      return made == size_bytes ? formatted("more than {} bytes decompressed", size_bytes)
                                : "an end inside a compressed frame";
    }
  }
  if (made != size_bytes) {
    return formatted("{} bytes decompressed, where {} were announced", made, size_bytes);
  }
  return {};
}

}  // namespace sheaf::arrow
