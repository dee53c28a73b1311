#include "format/jsonl/jsonl_quick_row.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sheaf::jsonl {
namespace {

// After this many refused rows, and while most rows are refused, trying costs more than it saves.
constexpr std::int64_t kRefusedMax = 64;

std::string_view quoted_name(const Field& field) noexcept {
  return {field.quote, static_cast<std::size_t>(field.name_end + 1 - field.quote)};
}

bool is_number_start(char c) noexcept { return c == '-' || (c >= '0' && c <= '9'); }

}  // namespace

QuickRow::QuickRow(const Schema& schema, bool warns)
    : schema_(schema),
      kernels_(internal::field_kernels()),
      warns_(warns),
      is_present_(schema.streams.size()) {
  for (const Stream& stream : schema.streams) readers_.push_back(quick_reader(stream));
}

bool QuickRow::read(const Row& row, std::span<internal::ColumnWriter> columns) {
  if (read_fields(row, columns)) {
    ++read_count_;
    return true;
  }
  ++refused_count_;
  is_on_ = false;  // until learn()
  return false;
}

bool QuickRow::read_fields(const Row& row, std::span<internal::ColumnWriter> columns) {
  const char* p = skip_usual_space(row.begin + 1);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (i > 0) {
      if (*p != ',') return false;
      p = skip_usual_space(p + 1);
    }
    const auto size = static_cast<std::ptrdiff_t>(part.name.size());
    if (row.end - p < size || std::memcmp(p, part.name.data(), part.name.size()) != 0) return false;
    p = skip_usual_space(p + size);
    if (*p != ':') return false;
    p = skip_usual_space(p + 1);
    if (part.stream < 0) {
      if (part.is_key) {
        key_.value = p;
        key_.form = *p == '"' ? Form::text : Form::number;
        if (key_.form == Form::number && !is_number_start(*p)) return false;
      }
      p = skip_quickly(p, row.end);
    } else {
      const auto stream = static_cast<std::size_t>(part.stream);
      p = readers_[stream]({p, row.end, schema_.streams[stream], kernels_}, columns[stream]);
    }
    if (p == nullptr) return false;
    p = skip_usual_space(p);
  }
  return *p == '}' && skip_usual_space(p + 1) == row.end;
}

// Returns whether rows with the parts have all that they need.
bool QuickRow::is_complete() const noexcept {
  if (schema_.key_mode != KeyMode::lines && std::ranges::none_of(parts_, &Part::is_key)) {
    return false;
  }
  return schema_.allows_missing || std::ranges::find(is_present_, char{0}) == is_present_.end();
}

void QuickRow::learn(std::span<const Field> fields) {
  is_on_ = false;
  if (fields.empty()) return;
  if (refused_count_ > kRefusedMax && refused_count_ > read_count_) return;
  const auto is_same = [](const Part& part, const Field& field) {
    return part.name == quoted_name(field);
  };
  if (std::ranges::equal(parts_, fields, is_same)) {
    is_on_ = is_complete();
    return;
  }
  parts_.clear();
  std::ranges::fill(is_present_, char{0});
  for (const Field& field : fields) {
    const std::int64_t stream = schema_.stream_of(field.name);
    const bool is_key = schema_.key_mode != KeyMode::lines && field.name == schema_.key_field;
    if (field.is_repeated || (stream < 0 && warns_ && !is_key)) {
      parts_.clear();
      return;
    }
    if (stream >= 0) is_present_[static_cast<std::size_t>(stream)] = 1;
    parts_.push_back({.name = std::string(quoted_name(field)), .stream = stream, .is_key = is_key});
  }
  is_on_ = is_complete();
}

}  // namespace sheaf::jsonl
