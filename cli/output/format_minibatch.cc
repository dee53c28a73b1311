#include "output/format_minibatch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/sample_access.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kReadableValuesMax = 16;   // values of a sample
constexpr std::int64_t kReadableSamplesMax = 10;  // samples of a sequence

template <typename T>
void append_number(std::string& out, T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    append_number(out, to_float(value));
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      // JSON has no such numbers. Python's json reads these spellings.
      if (!std::isfinite(value)) {
        out += std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
        return;
      }
    }
    std::array<char, 40> digits{};
    char* const end = fmt::format_to(digits.data(), FMT_COMPILE("{}"), value);
    out.append(digits.data(), end);
  }
}

// Appends bytes as a JSON string in base64 (RFC 4648).
void append_base64(std::string& out, std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[group >> (18 - 6 * k) & 0x3f] : '=';
    }
  }
  out += '"';
}

// Appends `count` items with `separator` between them. append(i) appends item i.
template <typename F>
void append_list(std::string& out, std::int64_t count, std::string_view separator, F&& append) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) out += separator;
    append(i);
  }
}

template <typename T>
void append_array(std::string& out, std::span<const T> values) {
  out += '[';
  append_list(out, std::ssize(values), ",",
              [&](std::int64_t i) { append_number(out, values[static_cast<std::size_t>(i)]); });
  out += ']';
}

// The spelling of a value of a sparse sample: `{before}{index}{between}{value}{after}`. A dense
// sample has values without these parts. The separator stands between values.
struct Spelling {
  std::string_view before;
  std::string_view between;
  std::string_view after;
  std::string_view separator;
};

constexpr Spelling kJson{"[", ",", "]", ","};
constexpr Spelling kReadable{"", ":", "", " "};

void append_values(std::string& out, const Stream& stream, const SequenceView& view,
                   std::int64_t first, std::int64_t count, const Spelling& spelling) {
  with_type(stream.element_type, view.values, [&](const auto* values) {
    if (stream.storage == Storage::dense) {
      append_list(out, count, spelling.separator,
                  [&](std::int64_t i) { append_number(out, values[first + i]); });
      return;
    }
    with_type(stream.index_type, view.indices, [&](const auto* indices) {
      append_list(out, count, spelling.separator, [&](std::int64_t i) {
        out += spelling.before;
        append_number(out, indices[first + i]);
        out += spelling.between;
        append_number(out, values[first + i]);
        out += spelling.after;
      });
    });
  });
}

// Appends values as nested lists. With two extents, the result is a list of lists. Moves `values`
// past the last value.
template <typename T>
void append_nested(std::string& out, const T*& values, std::span<const std::int64_t> extents) {
  out += '[';
  append_list(out, extents.front(), ",", [&](std::int64_t) {
    if (extents.size() == 1) {
      append_number(out, *values++);
    } else {
      append_nested(out, values, extents.subspan(1));
    }
  });
  out += ']';
}

// Returns the text of a shape, as to_string(Shape) does. A variable extent is a `*`.
std::string shape_text(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += text.empty() ? "" : ", ";
    text += extent == Shape::kVariable ? "*" : std::to_string(extent);
  }
  return '[' + text + ']';
}

bool has_slots(const StreamBatch& batch) {
  return batch.layout == Layout::packed || batch.layout == Layout::truncated;
}

// Returns the shape that the rows of a stream have as one dense array. If samples of variable shape
// lie back to back, some extents are Shape::kVariable.
std::vector<std::int64_t> batch_shape(const StreamBatch& batch) {
  std::vector<std::int64_t> shape;
  if (batch.layout == Layout::padded) {
    shape = {batch.sequence_count, batch.sample_count_max};
  } else if (has_slots(batch)) {
    shape = {batch.sample_count_max, batch.slot_count};
  } else {
    shape = {batch.row_count()};
  }
  const auto extents = batch.row_shape.extents();
  shape.insert(shape.end(), extents.begin(), extents.end());
  return shape;
}

// Appends a shape as a list. A variable extent is null.
void append_shape(std::string& out, std::span<const std::int64_t> shape) {
  out += '[';
  append_list(out, std::ssize(shape), ",", [&](std::int64_t i) {
    const std::int64_t extent = shape[static_cast<std::size_t>(i)];
    out += extent == Shape::kVariable ? "null" : std::to_string(extent);
  });
  out += ']';
}

// Appends a description of opaque bytes: their size and, if the first bytes tell, the file type.
void append_opaque(std::string& out, std::span<const std::byte> bytes) {
  using Mark = std::pair<std::string_view, std::string_view>;
  using namespace std::string_view_literals;
  static constexpr std::array<Mark, 8> kMarks = {{{"\xff\xd8\xff"sv, "JPEG"sv},
                                                  {"\x89PNG\r\n"sv, "PNG"sv},
                                                  {"GIF8"sv, "GIF"sv},
                                                  {"fLaC"sv, "FLAC"sv},
                                                  {"OggS"sv, "Ogg"sv},
                                                  {"%PDF"sv, "PDF"sv},
                                                  {"\x1f\x8b"sv, "gzip"sv},
                                                  {"\x28\xb5\x2f\xfd"sv, "Zstandard"sv}}};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string_view kind;
  for (const auto& [mark, name] : kMarks) {
    if (text.starts_with(mark)) kind = name;
  }
  if (text.starts_with("RIFF")) kind = text.substr(0, 12).ends_with("WEBP") ? "WebP" : "RIFF";
  if (text.substr(0, 12).ends_with("WAVE")) kind = "WAV";
  if (text.size() >= 8 && text.substr(4, 4) == "ftyp") kind = "MP4";
  fmt::format_to(std::back_inserter(out), "<{} byte{}{}{}>", bytes.size(),
                 bytes.size() == 1 ? "" : "s", kind.empty() ? "" : ", ", kind);
}

void append_key(std::string& out, const Minibatch& minibatch, std::int64_t sequence) {
  const SequenceKey& key = minibatch.keys()[static_cast<std::size_t>(sequence)];
  if (!minibatch.key_texts().empty()) {
    append_quoted(out, key_text(minibatch, sequence));
  } else if (key.high == 0) {
    append_number(out, key.low);
  } else {
    append_quoted(out, to_string(key));
  }
}

void append_key_list(std::string& out, const Minibatch& minibatch) {
  out += "\"keys\":[";
  append_list(out, minibatch.sequence_count(), ",",
              [&](std::int64_t i) { append_key(out, minibatch, i); });
  out += ']';
}

bool is_frames(const Minibatch& minibatch) {
  const auto& run = minibatch.position.run;
  return run != nullptr && run->options.contains("split_frames");
}

// Appends the keys of cut sequences. Each key stands with the samples of its sequence that the
// minibatch has.
void append_part_list(std::string& out, const Minibatch& minibatch) {
  out += "\"keys\":[";
  append_list(out, minibatch.sequence_count(), ",", [&](std::int64_t i) {
    const SequenceSlice& slice = minibatch.slices()[static_cast<std::size_t>(i)];
    out += '[';
    append_key(out, minibatch, i);
    fmt::format_to(std::back_inserter(out), ",{}", slice.first);
    if (!is_frames(minibatch)) fmt::format_to(std::back_inserter(out), ",{}", slice.count);
    out += ']';
  });
  out += ']';
}

void append_slices(std::string& out, const Minibatch& minibatch) {
  if (minibatch.slices().empty()) return;
  out += ",\"slices\":[";
  append_list(out, minibatch.sequence_count(), ",", [&](std::int64_t i) {
    const SequenceSlice& slice = minibatch.slices()[static_cast<std::size_t>(i)];
    fmt::format_to(std::back_inserter(out), "[{},{},{}]", slice.first, slice.count,
                   slice.sequence_sample_count);
  });
  out += ']';
}

void append_flags(std::string& out, const Minibatch& minibatch) {
  fmt::format_to(std::back_inserter(out), "\"samples\":{},\"ends_sweep\":{},\"ends_epoch\":{}",
                 minibatch.sample_count(), minibatch.ends_sweep, minibatch.ends_epoch);
}

template <typename T>
void append_buffer(std::string& out, std::string_view name, const Buffer& buffer) {
  if (buffer.empty()) return;
  fmt::format_to(std::back_inserter(out), ",\"{}\":", name);
  append_array(out, buffer.as<T>());
}

// Appends the bytes of each row of the array.
void append_opaque_rows(std::string& out, const StreamBatch& batch) {
  const auto offsets = batch.row_offsets.as<std::int64_t>();
  out += '[';
  append_list(out, batch.row_count(), ",", [&](std::int64_t row) {
    const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]);
    append_base64(out, batch.values.as<std::byte>().subspan(first, end - first));
  });
  out += ']';
}

void append_arrays(std::string& out, const Stream& stream, const StreamBatch& batch) {
  out += ",\"values\":";
  if (is_opaque(stream)) {
    append_opaque_rows(out, batch);
  } else {
    with_type(stream.element_type, batch.values.data(), [&](const auto* values) {
      using Value = std::remove_cvref_t<decltype(*values)>;
      append_array(out, batch.values.as<Value>());
    });
  }
  if (stream.storage == Storage::sparse) {
    with_type(stream.index_type, batch.indices.data(), [&](const auto* indices) {
      using Index = std::remove_cvref_t<decltype(*indices)>;
      out += ",\"indices\":";
      append_array(out, batch.indices.as<Index>());
    });
  }
  append_buffer<std::int64_t>(out, "row_offsets", batch.row_offsets);
  append_buffer<std::int64_t>(out, "extents", batch.extents);
  append_buffer<std::int64_t>(out, "lengths", batch.lengths);
  append_buffer<std::int64_t>(out, "sequence_offsets", batch.sequence_offsets);
  if (has_slots(batch)) {
    fmt::format_to(std::back_inserter(out), ",\"slot_count\":{}", batch.slot_count);
  }
  append_buffer<std::int64_t>(out, "slots", batch.slots);
  append_buffer<std::int64_t>(out, "begins", batch.begins);
  append_buffer<std::uint8_t>(out, "mask", batch.mask);
  append_buffer<std::uint8_t>(out, "presence", batch.presence);
}

// Writes the values in one row of a sparse stream to their indices in `line`. With `as_zeros`,
// writes zeros to these indices.
template <typename Value>
void scatter(const Stream& stream, const StreamBatch& batch, std::int64_t row, const Value* values,
             bool as_zeros, std::vector<Value>& line) {
  const std::int64_t* const offsets = batch.row_offsets.as<std::int64_t>().data() + row;
  with_type(stream.index_type, batch.indices.data(), [&](const auto* indices) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(*indices)>>) {
      for (std::int64_t i = offsets[0]; i < offsets[1]; ++i) {
        line[static_cast<std::size_t>(indices[i])] = as_zeros ? Value{} : values[i];
      }
    }
  });
}

template <typename Value>
void append_matrix_rows(std::string& out, const Stream& stream, const StreamBatch& batch,
                        const Value* values) {
  const bool is_sparse = stream.storage == Storage::sparse;
  const bool is_flat = !is_sparse && !batch.row_offsets.empty();  // samples of different sizes
  std::int64_t dim = is_flat ? 0 : batch.row_shape.size();
  const auto mask = batch.mask.as<std::uint8_t>();
  std::vector<Value> line(static_cast<std::size_t>(is_sparse ? dim : 0));
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    if (!mask.empty() && mask[static_cast<std::size_t>(row)] == 0) continue;
    if (!out.empty() && out.back() != '\n') out += '\n';
    const Value* of_row = values + row * dim;
    if (is_flat) {
      const std::int64_t* const offsets = batch.row_offsets.as<std::int64_t>().data() + row;
      of_row = values + offsets[0];
      dim = offsets[1] - offsets[0];
    }
    if (is_sparse) {
      scatter(stream, batch, row, values, false, line);
      of_row = line.data();
    }
    append_list(out, dim, " ", [&](std::int64_t i) { append_number(out, of_row[i]); });
    if (is_sparse) scatter(stream, batch, row, values, true, line);
  }
}

}  // namespace

std::string key_text(const Minibatch& minibatch, std::int64_t sequence) {
  const auto at = static_cast<std::size_t>(sequence);
  return minibatch.key_texts().empty() ? to_string(minibatch.keys()[at])
                                       : std::string(minibatch.key_texts()[at]);
}

void append_quoted(std::string& out, std::string_view text) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_samples(std::string& out, const Stream& stream, const SequenceView& view) {
  if (!view.is_present) {
    out += "null";
    return;
  }
  out += '[';
  append_list(out, view.sample_count, ",", [&](std::int64_t sample) {
    const auto [first, end] = sample_bounds(stream, view, sample);
    const auto extents = sample_extents(stream, view, sample);
    if (is_opaque(stream)) {
      append_base64(out, {view.values + first, static_cast<std::size_t>(end - first)});
      return;
    }
    if (extents.size() > 1) {
      with_type(stream.element_type, view.values, [&, at = first](const auto* values) {
        values += at;
        append_nested(out, values, extents);
      });
      return;
    }
    out += '[';
    append_values(out, stream, view, first, end - first, kJson);
    out += ']';
  });
  out += ']';
}

void append_samples_readable(std::string& out, const Stream& stream, const SequenceView& view,
                             std::size_t indent) {
  if (view.sample_count == 0) {
    out += view.is_present ? "(no samples)" : "(absent)";
    return;
  }
  std::string separator(indent + 1, ' ');
  separator[0] = '\n';
  const std::int64_t shown_count = std::min(view.sample_count, kReadableSamplesMax);
  append_list(out, shown_count, separator, [&](std::int64_t sample) {
    const auto [first, end] = sample_bounds(stream, view, sample);
    const std::int64_t count = end - first;
    if (is_opaque(stream)) {
      append_opaque(out, {view.values + first, static_cast<std::size_t>(count)});
      return;
    }
    const auto extents = sample_extents(stream, view, sample);
    if (extents.size() > 1) out += shape_text(extents) + ' ';
    append_values(out, stream, view, first, std::min(count, kReadableValuesMax), kReadable);
    if (count == 0) out += "(no values)";
    if (count > kReadableValuesMax) {
      fmt::format_to(std::back_inserter(out), " ... ({} values)", count);
    }
  });
  if (view.sample_count > shown_count) {
    fmt::format_to(std::back_inserter(out), "{}... ({} samples)", separator, view.sample_count);
  }
}

void append_keys(std::string& out, const Minibatch& minibatch) {
  out += '{';
  if (minibatch.slices().empty()) {
    append_key_list(out, minibatch);
  } else {
    append_part_list(out, minibatch);
  }
  out += ',';
  append_flags(out, minibatch);
  out += '}';
}

void append_summary(std::string& out, const Minibatch& minibatch, std::int64_t number,
                    std::span<const std::int64_t> streams) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "minibatch {}: sequences {}, samples {}", number, minibatch.sequence_count(),
                 minibatch.sample_count());
  for (const std::int64_t i : streams) {
    const Stream& stream = minibatch.streams()[static_cast<std::size_t>(i)];
    const StreamBatch& batch = minibatch.batch(i);
    const std::vector<std::int64_t> shape = batch_shape(batch);
    fmt::format_to(to, "; {} {} {}", stream.name, to_string(stream.storage), shape_text(shape));
    const bool is_flat = std::ranges::find(shape, Shape::kVariable) != shape.end();
    if (stream.storage == Storage::sparse || is_flat) {
      fmt::format_to(to, " of {} {}", batch.values.size_bytes() / element_size(stream.element_type),
                     is_opaque(stream) ? "bytes" : "values");
    }
  }
  if (minibatch.hole_count > 0) fmt::format_to(to, "; left out {}", minibatch.hole_count);
  if (minibatch.ends_sweep) out += "; ends the sweep";
  if (minibatch.ends_epoch) out += "; ends the epoch";
}

void append_minibatch(std::string& out, const Minibatch& minibatch,
                      std::span<const std::int64_t> streams, bool has_arrays) {
  auto to = std::back_inserter(out);
  out += '{';
  append_key_list(out, minibatch);
  append_slices(out, minibatch);
  out += ',';
  append_flags(out, minibatch);
  fmt::format_to(to, ",\"holes\":{},\"streams\":{{", minibatch.hole_count);
  append_list(out, std::ssize(streams), ",", [&](std::int64_t i) {
    const std::int64_t number = streams[static_cast<std::size_t>(i)];
    const Stream& stream = minibatch.streams()[static_cast<std::size_t>(number)];
    const StreamBatch& batch = minibatch.batch(number);
    append_quoted(out, stream.name);
    fmt::format_to(to,
                   ":{{\"packing\":\"{}\",\"storage\":\"{}\",\"shape\":", to_string(batch.layout),
                   to_string(stream.storage));
    append_shape(out, batch_shape(batch));
    if (has_arrays) append_arrays(out, stream, batch);
    out += '}';
  });
  out += "}}";
}

void append_matrix(std::string& out, const Minibatch& minibatch,
                   std::span<const std::int64_t> streams) {
  for (const std::int64_t i : streams) {
    const Stream& stream = minibatch.streams()[static_cast<std::size_t>(i)];
    const StreamBatch& batch = minibatch.batch(i);
    with_type(stream.element_type, batch.values.data(),
              [&](const auto* values) { append_matrix_rows(out, stream, batch, values); });
  }
}

}  // namespace sheaf::cli
