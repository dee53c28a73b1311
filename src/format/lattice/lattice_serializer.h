// Writes sequences to a table of contents of lattices and an archive.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "index/written_keys.h"

namespace sheaf::lattice {

/// Writes tables and archives as described in docs/formats/lattice.md under "Writing".
class LatticeSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that lattices cannot be, for a path that no table can name,
  ///         and for any options; as CreateRequest::create_file.
  explicit LatticeSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::span<const std::byte> lattice_of(const SequenceView& view,
                                                      std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const internal::ErrorKind& kind,
                         std::string found) const;

  const std::unique_ptr<ByteSink> toc_;
  const Stream stream_;
  std::string archive_name_;
  std::unique_ptr<ByteSink> archive_;

  // About the lattices appended so far.
  std::int64_t size_bytes_ = 0;  // of the archive
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::lattice
