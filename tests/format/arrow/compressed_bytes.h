// Compresses bytes into the form used by record batches.

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <lz4frame.h>
#include <zstd.h>

#include "format/arrow/ipc_message.h"

namespace sheaf::arrow::testing {

inline std::string compressed(IpcCodec codec, std::string_view bytes) {
  const bool is_zstd = codec == IpcCodec::zstd;
  std::string into(
      is_zstd ? ZSTD_compressBound(bytes.size()) : LZ4F_compressFrameBound(bytes.size(), nullptr),
      '\0');
  const std::size_t size =
      is_zstd ? ZSTD_compress(into.data(), into.size(), bytes.data(), bytes.size(), 1)
              : LZ4F_compressFrame(into.data(), into.size(), bytes.data(), bytes.size(), nullptr);
  if (size > into.size()) throw std::runtime_error("not compressed");
  into.resize(size);
  return into;
}

}  // namespace sheaf::arrow::testing
