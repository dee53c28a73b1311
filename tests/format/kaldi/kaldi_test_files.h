/// \file
/// Makes archives for tests, and reads files as text.

#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/file_system.h"

#include "conformance/read_all.h"
#include "format/kaldi/kaldi_deserializer.h"
#include "format/kaldi/kaldi_encode.h"

namespace sheaf::kaldi::testing {

inline std::string matrix(const std::vector<float>& values, std::int64_t cols) {
  std::string object;
  const auto rows = std::ssize(values) / cols;
  internal::encode_matrix<float>(values, rows, rows == 0 ? 0 : cols, object);
  return object;
}

inline std::string archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes;
  for (const auto& [key, object] : entries) bytes += key + " " + object;
  return bytes;
}

inline FormatOptions options_with(std::string as = "values") {
  FormatOptions options;
  options.extra["kaldi.as"] = std::move(as);
  return options;
}

/// Returns a line for each sequence: "key: 1 2|3 4" with a bar between samples, or "key hole".
/// `codes` gets the offset and the code of each diagnostic.
inline std::string told(const Deserializer& data, std::vector<std::string>* codes = nullptr) {
  const conformance::ReferenceResult all = conformance::read_all(data);
  const Stream& stream = data.streams()[0];
  const auto number = [&](std::uint64_t bits) {
    const double value = stream.element_type == ElementType::f64 ? std::bit_cast<double>(bits)
                         : stream.element_type == ElementType::i32
                             ? static_cast<std::int32_t>(bits)
                             : double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  std::string told;
  for (const conformance::ReferenceSequence& sequence : all.sequences) {
    told += sequence.key_text.empty() && sequence.key.high == 0 ? std::to_string(sequence.key.low)
                                                                : sequence.key_text;
    told += sequence.is_hole ? " hole" : ":";
    for (std::size_t i = 0; i < sequence.streams[0].samples.size(); ++i) {
      const conformance::ReferenceSample& sample = sequence.streams[0].samples[i];
      if (i > 0) told += '|';
      for (std::size_t k = 0; k < sample.values.size(); ++k) {
        if (i == 0 || k > 0) told += ' ';
        if (!sample.indices.empty()) told += std::to_string(sample.indices[k]) + ":";
        told += number(sample.values[k]);
      }
    }
    told += '\n';
  }
  if (codes == nullptr) return told;
  codes->clear();
  for (const conformance::ReferenceDiagnostic& each : all.diagnostics) {
    const bool has_line = each.line > 0;
    codes->push_back((has_line ? std::to_string(each.line) + ":" + std::to_string(each.column)
                               : "byte " + std::to_string(each.byte_offset)) +
                     (each.severity == Severity::fatal ? " fatal " : " ") + each.code);
  }
  return told;
}

/// Opens a file, and returns the same text.
inline std::string told(FileSystem& files, const std::string& path, const FormatOptions& options,
                        std::vector<std::string>* codes = nullptr) {
  const auto data =
      open_kaldi({.source = files.open(path), .options = options, .context = {&files}});
  return told(*data, codes);
}

}  // namespace sheaf::kaldi::testing
