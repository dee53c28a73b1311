// The utterances of a list: their keys, lengths and locations.

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
/// In the imaginary source of the index, a frame takes four bytes for each value. The location of
/// an utterance is where its frames would begin after a plain header.
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

  /// Reads the index file, or scans the list. If lines do not tell the number of frames, reads the
  /// headers of their files on the threads of the executor.
  ///
  /// Throws: DataError if the file is not a list, or has no utterance; IoError.
  explicit HtkIndex(Parts parts);

  /// Returns the dim of the files, from the declared stream or from the first file.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

  /// Returns the header of the first utterance's file, or nothing if that is wrong.
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
  [[nodiscard]] std::int64_t location_bytes(const ListEntry& entry) const override;
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
