#include "reference/sheaf_columns.h"

#include <cstddef>

#include "reference/sheaf_bytes.h"
#include "reference/sheaf_codecs.h"

namespace sheaf::conformance::container {
namespace {

// Returns a value of an i64 array.
std::int64_t number_of(const ColumnArray& array, std::int64_t i) {
  return static_cast<std::int64_t>(array.bits[static_cast<std::size_t>(i)]);
}

std::int64_t total(const ColumnArray& array) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < std::ssize(array.bits); ++i) {
    if (number_of(array, i) < 0) throw Malformed();
    sum = sum_of(sum, number_of(array, i));
  }
  return sum;
}

// Returns the number of values of sample `sample`, from its extents.
std::int64_t extents_product(const ColumnArray& extents, std::int64_t rank, std::int64_t sample) {
  std::int64_t product = 1;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = number_of(extents, sample * rank + axis);
    if (extent < 0) throw Malformed();
    product = product_of(product, extent);
  }
  return product;
}

// Returns how many values an array must have, from the arrays before.
std::int64_t expected_count(const FileColumn& column, const std::string& name,
                            const ColumnArrays& arrays, std::int64_t sequence_count) {
  if (name == "sizes" || name == "lengths") return sequence_count;
  if (name == "text") return total(arrays.at("sizes"));
  const std::int64_t samples = total(arrays.at("lengths"));
  const FileStream& stream = column.stream;
  const std::int64_t rank = std::ssize(stream.shape);
  if (name == "entries") return samples;
  if (name == "extents") return product_of(samples, rank);
  if (stream.is_sparse) return total(arrays.at("entries"));
  if (stream.is_fixed()) return product_of(samples, stream.sample_size());
  std::int64_t values = 0;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    values = sum_of(values, extents_product(arrays.at("extents"), rank, sample));
  }
  return values;
}

}  // namespace

std::vector<std::string> array_names(const FileColumn& column) {
  if (column.has_keys) return {"sizes", "text"};
  if (column.stream.is_sparse) return {"presence", "lengths", "entries", "indices", "values"};
  if (column.stream.is_fixed()) return {"presence", "lengths", "values"};
  return {"presence", "lengths", "extents", "values"};
}

ElementType array_type(const FileColumn& column, const std::string& name) {
  if (name == "presence") return ElementType::u8;
  if (name == "text") return ElementType::bytes;
  if (name == "indices") return column.stream.index_type;
  if (name == "values") return column.stream.type;
  return ElementType::i64;
}

bool may_be_delta(const FileColumn& column, const std::string& name) {
  const FileStream& stream = column.stream;
  const bool has_one_value = !stream.is_sparse && stream.is_fixed() && stream.sample_size() == 1;
  return name == "indices" || (name == "values" && has_one_value && is_whole(stream.type));
}

std::set<std::int64_t> starts_of(const FileColumn& column, const ColumnArrays& arrays) {
  std::set<std::int64_t> starts;
  std::int64_t at = 0;
  for (const std::uint64_t count :
       arrays.at(column.stream.is_sparse ? "entries" : "lengths").bits) {
    starts.insert(at);
    at += static_cast<std::int64_t>(count);
  }
  return starts;
}

ColumnArrays read_arrays(std::string_view stored, const FileColumn& column,
                         std::int64_t sequence_count) {
  ByteReader heads(stored);
  ColumnArrays arrays;
  const std::vector<std::string> names = array_names(column);
  std::int64_t at = aligned(24 * std::ssize(names));
  for (const std::string& name : names) {
    StoredArray array;
    array.count = heads.take_count();
    const std::int64_t size = heads.take_count();
    array.codec = heads.take_word();
    array.bytes = part_of(stored, at, size);
    array.type = array_type(column, name);
    const bool may_be_left_out = name == "presence" && array.count == 0;
    if (!may_be_left_out) {
      const std::int64_t expected = name == "presence"
                                        ? sequence_count
                                        : expected_count(column, name, arrays, sequence_count);
      if (array.count != expected) throw Malformed();
    }
    if (array.count > kCountMax) throw TooLarge();
    array.may_be_delta = may_be_delta(column, name);
    if (array.may_be_delta) array.starts = starts_of(column, arrays);
    arrays[name] = {.type = array.type, .bits = decode(array)};
    at = aligned(at + size);
  }
  if (at != std::ssize(stored)) throw Malformed();
  return arrays;
}

void check_arrays(const ColumnArrays& arrays, const FileColumn& column) {
  if (column.has_keys) return;
  const FileStream& stream = column.stream;
  const std::vector<std::uint64_t>& presence = arrays.at("presence").bits;
  for (std::size_t i = 0; i < presence.size(); ++i) {
    if (presence[i] > 1) throw Malformed();
    if (presence[i] == 0 && arrays.at("lengths").bits[i] != 0) throw Malformed();
  }
  if (stream.is_sparse) {
    const std::uint64_t sign = stream.index_type == ElementType::i32 ? std::uint64_t{1} << 31 : 0;
    for (const std::uint64_t index : arrays.at("indices").bits) {
      if (index >= static_cast<std::uint64_t>(stream.shape[0])) throw Malformed();
      if ((index & sign) != 0) throw Malformed();  // a negative index
    }
  } else if (!stream.is_fixed()) {
    const std::vector<std::uint64_t>& extents = arrays.at("extents").bits;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::int64_t expected = stream.shape[i % stream.shape.size()];
      const auto extent = static_cast<std::int64_t>(extents[i]);
      if (expected != Shape::kVariable && extent != expected) throw Malformed();
    }
  }
}

std::uint64_t content_hash(const ColumnArrays& arrays, const FileColumn& column) {
  std::string words;
  const auto append = [](std::string& to, std::uint64_t bits, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) to.push_back(static_cast<char>(bits >> (8 * i)));
  };
  for (const std::string& name : array_names(column)) {
    const ColumnArray& array = arrays.at(name);
    std::string values;
    for (const std::uint64_t bits : array.bits) append(values, bits, element_size(array.type));
    append(words, array.bits.size(), 8);
    append(words, hash_of(values), 8);
  }
  return hash_of(words);
}

std::vector<std::string> texts_of(const ColumnArrays& arrays) {
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::uint64_t size : arrays.at("sizes").bits) {
    std::string& text = texts.emplace_back();
    for (std::uint64_t i = 0; i < size; ++i, ++at) {
      text.push_back(static_cast<char>(arrays.at("text").bits[at]));
    }
  }
  return texts;
}

std::vector<ReferenceStream> streams_of(const ColumnArrays& arrays, const FileStream& stream) {
  const ColumnArray& lengths = arrays.at("lengths");
  const std::vector<std::uint64_t>& presence = arrays.at("presence").bits;
  const std::int64_t rank = std::ssize(stream.shape);
  std::vector<ReferenceStream> sequences;
  std::int64_t sample = 0;
  std::size_t value = 0;
  for (std::size_t i = 0; i < lengths.bits.size(); ++i) {
    ReferenceStream& sequence = sequences.emplace_back();
    sequence.is_present = presence.empty() || presence[i] == 1;
    for (std::uint64_t k = 0; k < lengths.bits[i]; ++k, ++sample) {
      ReferenceSample& content = sequence.samples.emplace_back();
      std::int64_t count = 0;
      if (stream.is_sparse) {
        count = number_of(arrays.at("entries"), sample);
      } else if (stream.is_fixed()) {
        count = stream.sample_size();
      } else {
        count = extents_product(arrays.at("extents"), rank, sample);
        for (std::int64_t axis = 0; axis < rank; ++axis) {
          content.extents.push_back(number_of(arrays.at("extents"), sample * rank + axis));
        }
      }
      for (; count > 0; --count, ++value) {
        content.values.push_back(arrays.at("values").bits[value]);
        if (!stream.is_sparse) continue;
        content.indices.push_back(static_cast<std::int64_t>(arrays.at("indices").bits[value]));
      }
    }
  }
  return sequences;
}

std::int64_t content_size(const ReferenceStream& sequence, const FileStream& stream) {
  std::int64_t size = 8;
  for (const ReferenceSample& sample : sequence.samples) {
    size += std::ssize(sample.values) * element_size(stream.type);
    size += std::ssize(sample.extents) * 8;
    if (stream.is_sparse) size += 8 + std::ssize(sample.indices) * element_size(stream.index_type);
  }
  return size;
}

std::int64_t content_size(const std::string& key_text) { return 8 + std::ssize(key_text); }

}  // namespace sheaf::conformance::container
