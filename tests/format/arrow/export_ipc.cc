// A library loaded by compare_with_pyarrow.py: hands arrays of IpcBatches over to pyarrow.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_test_files.h"
#include "format/arrow/ipc_writer.h"

namespace {

struct Opened {
  std::shared_ptr<const sheaf::ArrowBatches> batches;
  std::vector<ArrowSchema*> columns = {};
};

std::string& last_error() {
  static std::string text;
  return text;
}

// Returns the text of the exception that `body` throws, or null.
template <typename Body>
const char* error_text(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    last_error() = error.what();
    return last_error().c_str();
  }
  return nullptr;
}

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

void release_array(ArrowArray* array) {
  delete static_cast<std::shared_ptr<const ArrowArray>*>(array->private_data);
  array->release = nullptr;
}

}  // namespace

extern "C" {

const char* ipc_open(const char* path, Opened** opened) {
  return error_text([&] { *opened = new Opened{sheaf::arrow::open_ipc(sheaf::open_file(path))}; });
}

void ipc_close(Opened* opened) { delete opened; }

std::int64_t ipc_batch_count(const Opened* opened) { return opened->batches->batch_count(); }

std::int64_t ipc_row_count(const Opened* opened, std::int64_t batch) {
  return opened->batches->row_count(batch);
}

bool ipc_reads_parts(const Opened* opened) { return opened->batches->reads_parts(); }

// The schema lives as long as `opened`, until the next call.
void ipc_schema(Opened* opened, const std::int64_t* columns, std::int64_t count, ArrowSchema* to) {
  *to = opened->batches->schema();
  opened->columns.clear();
  for (const std::int64_t column : std::span(columns, static_cast<std::size_t>(count))) {
    opened->columns.push_back(to->children[column]);
  }
  to->children = opened->columns.data();
  to->n_children = count;
  to->release = release_schema;
}

const char* ipc_read(const Opened* opened, std::int64_t batch, std::int64_t first,
                     std::int64_t count, const std::int64_t* columns, std::int64_t column_count,
                     bool lengths_only, ArrowArray* to) {
  return error_text([&] {
    const auto array = opened->batches->read(
        {.batch = batch,
         .first = first,
         .count = count,
         .columns = std::span(columns, static_cast<std::size_t>(column_count)),
         .lengths_only = lengths_only});
    *to = *array;
    to->release = release_array;
    to->private_data = new std::shared_ptr<const ArrowArray>(array);
  });
}

// Writes a copy of some columns, batch by batch, without the first `skipped` rows.
const char* ipc_copy(const Opened* opened, const std::int64_t* columns, std::int64_t count,
                     std::int64_t skipped, const char* path) {
  return error_text([&] {
    ArrowSchema schema = opened->batches->schema();
    std::vector<ArrowSchema*> chosen;
    const std::span wanted(columns, static_cast<std::size_t>(count));
    for (const std::int64_t column : wanted) chosen.push_back(schema.children[column]);
    schema.children = chosen.data();
    schema.n_children = count;
    const std::unique_ptr<sheaf::ByteSink> sink = sheaf::create_file(path);
    std::unique_ptr<sheaf::arrow::IpcWriter> writer;
    for (std::int64_t batch = 0; batch < opened->batches->batch_count(); ++batch) {
      const std::int64_t rows = opened->batches->row_count(batch);
      const auto array = opened->batches->read({.batch = batch, .count = rows, .columns = wanted});
      sheaf::ArrowNode node = sheaf::arrow::testing::node_of(schema, *array);
      if (!writer) writer = std::make_unique<sheaf::arrow::IpcWriter>(*sink, node);
      node.offset = std::min(skipped, rows);
      node.length = rows - node.offset;
      writer->add(node);
    }
    if (!writer) throw std::runtime_error("no batches");
    writer->finish();
    sink->finish();
  });
}

}  // extern "C"
