/// \file
/// Data sets made of tables of Arrow arrays. Each table row is a sequence, and each column is a
/// stream.
///
/// A program that can produce arrays of the Arrow C data interface implements ArrowBatches.
/// open_arrow_data() makes a Deserializer from the object.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

namespace sheaf {

/// The rows and columns of a batch to read.
struct ArrowPart {
  std::int64_t batch = 0;
  std::int64_t first = 0;                      // the first row, within the batch
  std::int64_t count = 0;                      // of rows
  std::span<const std::int64_t> columns = {};  // column numbers, in the order of the result

  /// Whether the caller needs only lengths. Buffers of numbers, booleans and text bytes may then be
  /// null pointers. The caller still needs offsets, views, validity and dictionaries.
  bool lengths_only = false;

  /// Whether the caller needs the values of dictionaries. If not, arrays may lack them.
  bool needs_dictionaries = true;
};

/// The location of a batch in its source, for reports and for the division into units.
struct ArrowLocation {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// The rows of a table, in batches. All batches have the same schema.
///
/// Threads: all calls are safe from any number of threads.
class ArrowBatches {
 public:
  virtual ~ArrowBatches() = default;

  /// Returns the schema: a struct (format "+s"), whose children are the columns.
  ///
  /// Lifetime: as long as the object, here and below.
  [[nodiscard]] virtual const ArrowSchema& schema() const noexcept = 0;

  /// Returns the name of the source for messages, such as the path of a file.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Returns the name of one batch's source, for tables with several sources.
  [[nodiscard]] virtual std::string_view name_of(std::int64_t /*batch*/) const noexcept {
    return name();
  }

  /// Returns the path of the table's file. An index file may lie beside this file. The index file
  /// has the lengths of the table rows, and the values of dictionaries. Empty if the table needs no
  /// index file because both are found fast, or if the table has no file.
  [[nodiscard]] virtual std::string_view path() const noexcept { return {}; }

  /// Returns a short, printable text that is equal for equal content, and different otherwise.
  [[nodiscard]] virtual std::string fingerprint() const = 0;

  [[nodiscard]] virtual std::int64_t batch_count() const noexcept = 0;

  /// Pre: the batch exists, here and below.
  [[nodiscard]] virtual std::int64_t row_count(std::int64_t batch) const noexcept = 0;
  [[nodiscard]] virtual ArrowLocation location(std::int64_t batch) const noexcept = 0;

  /// Returns how many table rows of a column are null, if the number is known without reading the
  /// batch. If no row of a column without lists is null, the lengths of the column are known, too.
  [[nodiscard]] virtual std::optional<std::int64_t> null_count(std::int64_t /*batch*/,
                                                               std::int64_t /*column*/) const {
    return std::nullopt;
  }

  /// Returns whether the cost of read() is roughly proportional to the number of table rows read.
  /// If not, the caller reads whole batches and keeps them for a while.
  [[nodiscard]] virtual bool reads_parts() const noexcept { return false; }

  /// Returns whether reading only the lengths of a batch costs much less than reading its values.
  /// Matters only if read() reads whole batches. If not, the caller keeps columns that it read for
  /// their lengths, because it will need their values soon.
  [[nodiscard]] virtual bool reads_lengths() const noexcept { return false; }

  /// Returns an array of `part.count` structs, with a child for each column of the part. Arrays may
  /// have an offset other than 0. All buffers have the sizes that the lengths and offsets of their
  /// arrays require. The content of the buffers may be wrong: the caller checks list offsets,
  /// views, and dictionary indices.
  ///
  /// Pre:    the rows and the columns exist.
  /// Throws: IoError; DataError if the batch is damaged.
  [[nodiscard]] virtual std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const = 0;
};

/// Returns whether two types are the same. Ignores metadata and the names of list items.
[[nodiscard]] bool are_same_types(const ArrowSchema& a, const ArrowSchema& b) noexcept;

/// Returns a table with all batches of all members, one after the other.
///
/// Pre:    there is at least one member.
/// Throws: ConfigError that names two members and the column if their types differ.
[[nodiscard]] std::shared_ptr<const ArrowBatches> chain_batches(
    std::vector<std::shared_ptr<const ArrowBatches>> members);

/// Reads all batches of an Arrow stream into memory. Skips batches without table rows.
///
/// Returns: a table with the given fingerprint, and with `name` as the name in messages.
/// Throws:  IoError with the message of the stream if the stream fails; ConfigError if the stream
///          is not a table.
[[nodiscard]] std::shared_ptr<const ArrowBatches> batches_of_stream(Taken<ArrowArrayStream> stream,
                                                                    std::string name,
                                                                    std::string fingerprint);

/// Returns the options for tables of arrays: "arrow.key" names the column of the keys.
[[nodiscard]] std::span<const FormatOption> arrow_read_options() noexcept;

/// Makes a data set from a table. src/format/columns/column_type.h lists which column types become
/// which streams. FormatOptions::index applies only to tables with a path().
///
/// Throws: ConfigError for impossible options, and for columns that cannot become the declared
///         streams; DataError if no column can become a stream; IoError.
[[nodiscard]] std::unique_ptr<Deserializer> open_arrow_data(
    std::shared_ptr<const ArrowBatches> batches, const FormatOptions& options,
    const Context& context = {});

}  // namespace sheaf
