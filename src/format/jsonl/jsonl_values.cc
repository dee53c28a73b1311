// Values go directly to the end of their column. The caller cuts the column back if a value is
// wrong.

#include "format/jsonl/jsonl_values.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "format/jsonl/jsonl_scalars.h"
#include "format/jsonl/jsonl_sparse.h"

namespace sheaf::jsonl {
namespace {

using internal::ColumnWriter;

constexpr std::string_view kList = "a list";

// Reads dense samples of numbers.
template <typename T>
class DenseReader {
 public:
  DenseReader(const ValueRequest& request, ColumnWriter& column, Fault& fault)
      : request_(request),
        column_(column),
        fault_(fault),
        size_(request.stream.sample_shape.size()),
        scalars_(request.stream, fault) {}

  bool read() {
    const Field& field = request_.field;
    if (field.form != Form::list) return read_one(field.value);
    if (field.count == 0) return true;
    if (field.first == '[') return read_lists(field.value);
    return size_ == 1 ? read_row(field.value) : read_sample(field.value) != nullptr;
  }

 private:
  // Reads a value that is one sample.
  bool read_one(const char* p) {
    if (size_ != 1) return fail_type(p, formatted("a list of {} values, or of such lists", size_));
    column_.make_room(1);
    if (scalars_.read(p, *column_.values<T>()) == nullptr) return false;
    column_.end_sample(1);
    return true;
  }

  // Reads a list of samples of one value each.
  bool read_row(const char* p) {
    const std::int64_t count = request_.field.count;
    column_.make_room(count);
    T* out = column_.values<T>();
    for (p = next_element(p + 1); p != nullptr; p = next_element(p)) {
      p = scalars_.read(p, *out++);
      if (p == nullptr) return false;
    }
    column_.end_samples_of_one(count);
    return true;
  }

  bool read_lists(const char* p) {
    for (p = next_element(p + 1); p != nullptr; p = next_element(p)) {
      if (*p != '[') return fail_type(p, std::string(kList));
      p = read_sample(p);
      if (p == nullptr) return false;
    }
    return true;
  }

  // Reads a list that is a sample. Returns its end, or null if it is wrong.
  const char* read_sample(const char* list) {
    // A sample cannot hold more values than half the bytes of its text.
    column_.make_room(std::min(size_, (request_.end - list) / 2 + 1));
    T* const out = column_.values<T>();
    std::int64_t count = 0;
    const char* p = list + 1;
    for (const char* next = next_element(p); next != nullptr; next = next_element(p)) {
      if (count == size_) return fail_count(list);
      p = scalars_.read(next, out[count++]);
      if (p == nullptr) return nullptr;
    }
    if (count != size_) return fail_count(list);
    column_.end_sample(size_);
    return skip_space(p) + 1;
  }

  const char* fail_count(const char* list) {
    const std::string expected =
        size_ == 1 ? std::string("1 value") : formatted("{} {}", size_, kCount.expected);
    fault_ = {&kCount, list, list + 1, expected, formatted("{}", element_count(list)), ""};
    return nullptr;
  }

  bool fail_type(const char* p, std::string expected) {
    set_type_fault(p, std::move(expected), fault_);
    return false;
  }

  const ValueRequest& request_;
  ColumnWriter& column_;
  Fault& fault_;
  const std::int64_t size_;
  ScalarReader<T> scalars_;
};

template <typename T>
bool read_dense(const ValueRequest& request, ColumnWriter& column, Fault& fault) {
  return DenseReader<T>(request, column, fault).read();
}

// Reads a text that is a sample. Returns its end, or null if it is not a text.
const char* read_text(const char* p, ColumnWriter& column, Fault& fault) {
  if (*p != '"') {
    set_type_fault(p, "a text", fault);
    return nullptr;
  }
  const char* const end = string_end(p + 1);
  const std::string_view text(p + 1, static_cast<std::size_t>(end - p - 1));
  column.make_room(std::ssize(text));
  char* const out = column.values<char>();
  column.end_sample(text.empty() ? 0 : unescape(text, out) - out);
  return end + 1;
}

bool read_texts(const ValueRequest& request, ColumnWriter& column, Fault& fault) {
  const char* p = request.field.value;
  if (request.field.form != Form::list) return read_text(p, column, fault) != nullptr;
  for (p = next_element(p + 1); p != nullptr; p = next_element(p)) {
    p = read_text(p, column, fault);
    if (p == nullptr) return false;
  }
  return true;
}

}  // namespace

std::string found_at(const char* p) {
  if (*p == '[') return "a list";
  if (*p == '{') return "an object";
  return quoted({p, static_cast<std::size_t>(marked_end(p) - p)});
}

const char* marked_end(const char* p) {
  if (*p == '[' || *p == '{') return p + 1;
  return *p == '"' ? string_end(p + 1) + 1 : scalar_end(p);
}

void set_type_fault(const char* p, std::string expected, Fault& fault) {
  fault = {&kType, p, marked_end(p), std::move(expected), found_at(p), ""};
}

ReadValue value_reader(const Stream& stream) {
  if (stream.element_type == ElementType::bytes) return read_texts;
  if (stream.storage == Storage::sparse) return sparse_reader(stream);
  return internal::with_zero_of(stream.element_type,
                                []<typename T>(T) -> ReadValue { return read_dense<T>; });
}

}  // namespace sheaf::jsonl
