// The fuzz target of the notes about classes in the index file of a table. Any bytes are read as
// notes or refused. Notes that were read describe each batch, use no more memory than their size
// allows, and come back unchanged after they are written.
//
// The first kControlBytes of an input are the numbers of batches and columns of the table. The rest
// is the notes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "format/columns/kept_vocabularies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::columns {
namespace {

constexpr std::size_t kControlBytes = 2;

[[noreturn]] void fail(const char* law) {
  std::fprintf(stderr, "%s\n", law);
  std::abort();
}

void check_batches(const Vocabulary& vocabulary, std::int64_t batch_count) {
  if (std::ssize(vocabulary.dictionaries()) != batch_count) fail("a dictionary for each batch");
  for (std::int64_t batch = 0; batch < batch_count; ++batch) {
    for (const std::int32_t id : vocabulary.ids(batch)) {
      if (id < Vocabulary::kNull || id >= std::ssize(*vocabulary.names())) {
        fail("a class without a name");
      }
    }
  }
}

bool are_equal(const Vocabularies& a, const Vocabularies& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && *x.second->names() == *y.second->names() &&
           x.second->lists() == y.second->lists() &&
           x.second->dictionaries() == y.second->dictionaries();
  });
}

void check_input(const TableSize& table, std::string_view notes) {
  const std::optional<Vocabularies> found = classes_of_notes(notes, table);
  if (!found) return;
  std::int64_t memory = 0;
  for (const auto& [column, vocabulary] : *found) {
    if (column < 0 || column >= table.columns) fail("a column of the table");
    check_batches(*vocabulary, table.batches);
    memory += vocabulary->memory_bytes();
  }
  if (memory > 256 * std::ssize(notes) + 32 * table.batches * table.columns) {
    fail("memory in proportion to the notes");
  }
  const std::string written = notes_of_classes(*found);
  const std::optional<Vocabularies> again = classes_of_notes(written, table);
  if (!again || !are_equal(*found, *again)) fail("written notes differ");
  if (notes_of_classes(*again) != written) fail("notes that are written in one way");
}

}  // namespace
}  // namespace sheaf::columns

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sheaf::columns::kControlBytes;
  if (size < kControlBytes) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  sheaf::columns::check_input({.batches = data[0], .columns = data[1]},
                              input.substr(kControlBytes));
  return 0;
}
