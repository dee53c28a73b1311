// Bindings that open Arrow tables as data: batches in memory, and batches that Python code reads.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/index_file.h"

#include "bind/bindings.h"
#include "bind/capsules.h"
#include "bind/user_handles.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"
#include "user/user_batches.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

using SharedBatches = std::shared_ptr<const ArrowBatches>;

void give_table(Plan& plan, std::string object, SharedBatches batches,
                std::vector<StreamOptions> streams, FormatOptions options) {
  options.streams = std::move(streams);
  const std::string name(batches->name());
  std::shared_ptr<const Deserializer> data;
  {
    const FreeGil free;  // opening reads the dictionaries
    data = open_arrow_data(std::move(batches), options);
  }
  plan.give(std::move(object), {std::move(data), name});
}

void give_stream(Plan& plan, std::string object, const nb::object& capsule, const std::string& name,
                 const std::string& fingerprint, std::vector<StreamOptions> streams,
                 FormatOptions options) {
  auto stream = take<ArrowArrayStream>(capsule, "arrow_array_stream");
  SharedBatches batches;
  {
    const FreeGil free;
    batches = batches_of_stream(std::move(stream), name, fingerprint);
  }
  give_table(plan, std::move(object), std::move(batches), std::move(streams), std::move(options));
}

// Adds tables that Python code reads. An element of `parts` is (name, fingerprint, schema, rows of
// each batch, bytes of each batch, null counts of each batch by column, path).
void give_batches(Plan& plan, std::string object, const nb::list& readers, const nb::list& parts,
                  std::vector<StreamOptions> streams, FormatOptions options) {
  std::vector<std::shared_ptr<const Kept>> kept;
  for (const nb::handle each : readers) {
    const auto reader = nb::cast<nb::tuple>(each);
    kept.push_back(std::make_shared<const Kept>(nb::cast<const Calls&>(reader[0]).calls,
                                                nb::cast<std::int64_t>(reader[1])));
  }
  std::vector<SharedBatches> members;
  std::int64_t first_batch = 0;
  for (const nb::handle each : parts) {
    const auto said = nb::cast<nb::tuple>(each);
    UserBatches::Part part{.name = bytes_of(said[0]),
                           .path = bytes_of(said[6]),
                           .fingerprint = bytes_of(said[1]),
                           .schema = take<ArrowSchema>(said[2], "arrow_schema"),
                           .first_batch = first_batch,
                           .batches = {}};
    const auto rows = nb::cast<std::vector<std::int64_t>>(said[3]);
    const auto sizes = nb::cast<std::vector<std::int64_t>>(said[4]);
    const auto nulls = nb::cast<std::vector<std::vector<std::int64_t>>>(said[5]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      part.batches.push_back(
          {.row_count = rows[i], .size_bytes = sizes.at(i), .null_counts = nulls.at(i)});
    }
    first_batch += std::ssize(part.batches);
    members.push_back(std::make_shared<const UserBatches>(kept, std::move(part)));
  }
  give_table(plan, std::move(object), chain_batches(std::move(members)), std::move(streams),
             std::move(options));
}

}  // namespace

void bind_tables(nb::module_& module) {
  module.def(
      "give_stream", give_stream, nb::arg("plan"), nb::arg("object"), nb::arg("capsule"),
      nb::arg("name"), nb::arg("fingerprint"), nb::arg("streams"), nb::arg("format"),
      "Add the batches of an Arrow stream to a plan. The spec of the plan calls them `object`.");
  module.def(
      "index_file_path",
      [](const std::string& path, const std::string& directory) {
        return index_file_path(path, directory);
      },
      nb::arg("path"), nb::arg("directory"), "Return the path of the index file of a data file.");
  module.def(
      "raise_damage",
      [](const std::string& path, std::int64_t byte_offset, const std::string& code,
         const std::string& expected,
         const std::string& found) { throw damage_of(path, byte_offset, code, expected, found); },
      nb::arg("path"), nb::arg("byte_offset"), nb::arg("code"), nb::arg("expected"),
      nb::arg("found"),
      nb::sig("def raise_damage(path: str, byte_offset: int, code: str, expected: str, found: str) "
              "-> typing.NoReturn"),
      "Raise the DataError of a damaged file.");
  module.def(
      "give_batches", give_batches, nb::arg("plan"), nb::arg("object"), nb::arg("readers"),
      nb::arg("parts"), nb::arg("streams"), nb::arg("format"),
      nb::sig(
          "def give_batches(plan: Plan, object: str, readers: list[tuple[UserCalls, "
          "int]], parts: list[tuple[str, str, typing.Any, list[int], list[int], list[list[int]], "
          "str]], "
          "streams: collections.abc.Sequence[StreamOptions], format: FormatOptions) -> "
          "None"),
      "Add a table to a plan. Python code reads the batches of the table.");
}

}  // namespace sheaf::python
