/// \file
/// Tables of Arrow arrays as data: each row is a sequence, and columns are streams.
///
/// A program that can produce arrays of the Arrow C data interface implements ArrowBatches.
/// open_arrow_data() makes a Deserializer of the object.

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

/// Which rows and columns of a batch are wanted.
struct ArrowPart {
  std::int64_t batch = 0;
  std::int64_t first = 0;                      // the first row, within the batch
  std::int64_t count = 0;                      // of rows
  std::span<const std::int64_t> columns = {};  // numbers of columns, in the wanted order

  /// Whether the caller needs lengths alone, and no numbers, booleans or bytes of texts. A buffer
  /// of those may then be a null pointer. The caller still needs offsets, views, validity and
  /// dictionaries.
  bool lengths_only = false;
};

/// Where a batch lies in its source, for reports and for the division into units.
struct ArrowPlace {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// Rows of a table, in batches. All batches have one schema.
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

  /// Returns the name of the source of one batch, where a table has several sources.
  [[nodiscard]] virtual std::string_view name_of(std::int64_t /*batch*/) const noexcept {
    return name();
  }

  /// Returns the path of a file of the table, which an index file with the lengths of the rows may
  /// lie beside. Empty: the table has no index file, since lengths are found fast, or it has no
  /// file.
  [[nodiscard]] virtual std::string_view path() const noexcept { return {}; }

  /// Returns a short, printable text that is equal for equal content, and different otherwise.
  [[nodiscard]] virtual std::string fingerprint() const = 0;

  [[nodiscard]] virtual std::int64_t batch_count() const noexcept = 0;

  /// Pre: the batch exists, here and below.
  [[nodiscard]] virtual std::int64_t row_count(std::int64_t batch) const noexcept = 0;
  [[nodiscard]] virtual ArrowPlace place(std::int64_t batch) const noexcept = 0;

  /// Returns how many rows of a column are null, where that is known without reading the batch.
  /// The lengths of a column without lists are then known, too, where no row is null.
  [[nodiscard]] virtual std::optional<std::int64_t> null_count(std::int64_t /*batch*/,
                                                               std::int64_t /*column*/) const {
    return std::nullopt;
  }

  /// Returns whether read() of some rows of a batch costs about as much as their share of the
  /// batch. Else the caller reads batches whole, and keeps them for a while.
  [[nodiscard]] virtual bool reads_parts() const noexcept { return false; }

  /// Returns an array of structs: `part.count` rows, and a child for each wanted column. Offsets of
  /// the arrays may be other than 0. All buffers have the sizes that the lengths and offsets of
  /// their arrays demand. What the buffers say need not be right: the caller checks the offsets of
  /// lists, the views, and the numbers of dictionaries' values.
  ///
  /// Pre:    the rows and the columns exist.
  /// Throws: IoError; DataError where the batch is damaged.
  [[nodiscard]] virtual std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const = 0;
};

/// Returns whether two types are the same. Metadata and names of the items of lists may differ.
[[nodiscard]] bool are_same_types(const ArrowSchema& a, const ArrowSchema& b) noexcept;

/// Returns a table with all batches of all members, one after the other.
///
/// Pre:    there is at least one member.
/// Throws: ConfigError that names the two members and the column where types differ.
[[nodiscard]] std::shared_ptr<const ArrowBatches> chain_batches(
    std::vector<std::shared_ptr<const ArrowBatches>> members);

/// Takes all batches of a stream, which are then in memory. Batches without rows are left out.
///
/// Returns: a table that is called `name` in messages, and has the given fingerprint.
/// Throws:  IoError with the words of the stream where the stream fails; ConfigError where the
///          stream is no table.
[[nodiscard]] std::shared_ptr<const ArrowBatches> batches_of_stream(Taken<ArrowArrayStream> stream,
                                                                    std::string name,
                                                                    std::string fingerprint);

/// Options of tables of arrays: "arrow.key" names the column of the keys.
[[nodiscard]] std::span<const FormatOption> arrow_read_options() noexcept;

/// Makes a data set of a table. The table in
/// src/format/columns/column_type.h says what column becomes what stream. FormatOptions::index is
/// of tables with a path().
///
/// Throws: ConfigError for impossible options, and for columns that cannot be the declared streams;
///         DataError where no column can be a stream; IoError.
[[nodiscard]] std::unique_ptr<Deserializer> open_arrow_data(
    std::shared_ptr<const ArrowBatches> batches, const FormatOptions& options,
    const Context& context = {});

}  // namespace sheaf
