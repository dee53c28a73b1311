// Keeps the classes of columns in the index file of a table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "format/columns/vocabulary.h"

namespace sheaf::columns {

/// Vocabularies by the numbers of their columns.
using Vocabularies = std::map<std::int64_t, std::shared_ptr<const Vocabulary>>;

/// Returns vocabularies as notes of an index file. docs/formats/index-file.md has the layout.
/// Returns an empty text if there are no vocabularies.
[[nodiscard]] std::string notes_of_classes(const Vocabularies& vocabularies);

/// The numbers of batches and columns of a table.
struct TableSize {
  std::int64_t batches = 0;
  std::int64_t columns = 0;
};

/// Parses notes of notes_of_classes() for a table of this size. Returns nothing for any other
/// bytes.
///
/// Cost: at most 256 bytes of memory for each byte of the notes, and 32 bytes for each batch of
///       each column.
[[nodiscard]] std::optional<Vocabularies> classes_of_notes(std::string_view notes,
                                                           const TableSize& table);

/// The vocabularies that an index file of the same table has, whichever streams it was made for.
class KeptVocabularies {
 public:
  /// Has no vocabularies.
  KeptVocabularies() = default;

  /// Reads the index file when find() is first called, if the options say that it may be read.
  ///
  /// Lifetime: the table, the options and the file system must outlive the object.
  KeptVocabularies(const ArrowBatches& table, const IndexOptions& options, FileSystem& files);

  /// Returns the vocabulary of a column, or null if no index file has it.
  [[nodiscard]] std::shared_ptr<const Vocabulary> find(std::int64_t column);

 private:
  [[nodiscard]] Vocabularies read() const;

  const ArrowBatches* table_ = nullptr;
  const IndexOptions* options_ = nullptr;
  FileSystem* files_ = nullptr;
  std::optional<Vocabularies> found_ = {};
};

}  // namespace sheaf::columns
