// The utterances of a list: their keys, lengths and places.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index.h"

#include "format/htk/htk_files.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"
#include "format/listed/list_entry.h"
#include "format/listed/listed_index.h"

namespace sheaf::htk {

/// The chunks of a list of HTK files.
///
/// A frame has four bytes a value in the imagined source. A place is where the frames would begin
/// behind a plain header.
class HtkIndex final : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> list;
    ListRules rules;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
    ParameterFiles* files = nullptr;
  };

  /// Reads the index file, or scans the list. Reads the headers of files whose lines do not say how
  /// many frames they have, with the threads of the executor.
  ///
  /// Throws: DataError where the file is no list, or has no utterance; IoError.
  explicit HtkIndex(Parts parts);

  /// Returns the dim of the files: of the stream, or of the first file.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

  /// Returns the header of the first utterance's file; nothing where that is no good.
  [[nodiscard]] const std::optional<Header>& first_header() const noexcept { return first_header_; }

 private:
  using ListEntry = internal::ListEntry;

  [[nodiscard]] static ListParts list_parts(const Parts& parts);
  void check_is_list() const;

  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  void forget_first_file() override { first_header_.reset(); }
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> entries) override;
  [[nodiscard]] bool read_headers(std::span<ListEntry* const> entries) const;
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override;
  [[nodiscard]] std::int64_t place_bytes(const ListEntry& entry) const override;
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t frame_count,
                                           std::int64_t stored_bytes) const override;
  [[nodiscard]] std::string path_of(std::string_view line) const override;
  [[nodiscard]] std::vector<std::int64_t> first_numbers() const override { return {dim_}; }
  [[nodiscard]] std::string difference(std::span<const std::int64_t> numbers) const override;

  const Parts parts_;
  std::int64_t dim_ = 0;
  std::optional<Header> first_header_;
};

}  // namespace sheaf::htk
