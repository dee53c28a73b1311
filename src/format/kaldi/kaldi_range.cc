// All objects are read together. Objects that store their values in the form of the stream are read
// into one buffer and stay there. The column says where the values of each object begin. Other
// objects are decoded as soon as their bytes are read. Samples of a fixed size are stored at an
// offset that the counts in the index tell. Other samples wait until all objects are decoded.

#include "format/kaldi/kaldi_range.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/saturated.h"
#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/listed/file_pieces.h"
#include "format/listed/source_bytes.h"

namespace sheaf::kaldi {
namespace {

// The largest gap between two objects of a file that is read with the objects, so that both objects
// land directly where they belong. In an archive the gap holds a key.
constexpr std::int64_t kGapMax = 512;

Buffer buffer_of_size(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

class ObjectReader {
 public:
  ObjectReader(std::span<WantedObject> objects, const RangeParts& from)
      : objects_(objects),
        list_name_(from.list_name),
        lengths_name_(from.lengths_name),
        stream_(from.stream),
        options_(from.options),
        is_fixed_(has_fixed_samples(stream_)),
        sample_bytes_(is_fixed_ ? stream_.sample_shape.size() * element_size(stream_.element_type)
                                : 0),
        samples_(objects.size() + 1),
        loose_(is_fixed_ ? 0 : objects.size()) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const bool is_there = objects[i].source != nullptr;
      samples_[i + 1] = samples_[i] + (is_there ? objects[i].sample_count : 0);
    }
  }

  Column read() {
    plan();
    is_in_place_ = is_fixed_ && lay_pieces();
    if (is_fixed_ && !is_in_place_) values_ = buffer_of_size(samples_.back() * sample_bytes_);
    internal::read_pieces(pieces_, options_.read_size_bytes,
                          [&](std::size_t piece, const std::byte* bytes) {
                            const auto size = static_cast<std::size_t>(pieces_[piece].size_bytes);
                            std::byte* const location = pieces_[piece].location;
                            if (location != nullptr && location != bytes) {
                              std::memcpy(location, bytes, size);
                              bytes = location;
                            }
                            take(objects_[numbers_[piece]], numbers_[piece], {bytes, size});
                          });
    if (is_in_place_) return column_in_place();
    return is_fixed_ ? fixed_column() : loose_column();
  }

 private:
  void plan();
  [[nodiscard]] bool is_stored_as_values(const WantedObject& wanted) const;
  [[nodiscard]] bool lay_pieces();
  void take(WantedObject& wanted, std::size_t number, std::span<const std::byte> bytes);
  void decode(std::size_t number, std::span<const std::byte> bytes);
  [[nodiscard]] std::optional<KaldiFault> decode_values(const ProbedObject& object,
                                                        std::span<const std::byte> bytes,
                                                        const ObjectPart& part, std::size_t number);
  void add(WantedObject& wanted, const ErrorKind& kind, std::int64_t offset, std::string found);
  void add_other_count(WantedObject& wanted, std::int64_t count);
  void add_in_line(WantedObject& wanted, const ErrorKind& kind, std::string found,
                   std::size_t begin, std::size_t size);
  void add_in_path(WantedObject& wanted, const ErrorKind& kind, std::string found);
  void add_fault_of_line(WantedObject& wanted);
  void set_offsets(Column& column, const std::vector<std::int64_t>& ends) const;
  [[nodiscard]] Column column_in_place();
  [[nodiscard]] Column fixed_column();
  [[nodiscard]] Column loose_column();

  std::span<WantedObject> objects_;
  std::string_view list_name_;
  std::string_view lengths_name_;
  const Stream& stream_;
  const ReadOptions& options_;
  const bool is_fixed_;
  const std::int64_t sample_bytes_;
  std::vector<std::int64_t> samples_;  // the first sample of each object; then the end
  std::vector<internal::FilePiece> pieces_;
  std::vector<std::size_t> numbers_;     // object of each piece
  bool is_in_place_ = false;             // the bytes of the objects stay in `values_`
  std::vector<std::int64_t> locations_;  // start of each object's values in `values_`
  Buffer values_;
  std::vector<LooseSamples> loose_;
};

void ObjectReader::plan() {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    WantedObject& wanted = objects_[i];
    if (wanted.source == nullptr) {
      add_fault_of_line(wanted);
      continue;
    }
    const std::int64_t left = wanted.source->size() - wanted.begin;
    // An object without a size in the index had a fault. Its head shows the fault again.
    const std::int64_t size = std::max(wanted.stored_bytes, internal::kKaldiHeadSize);
    if (left <= 0 && wanted.entry_begin < 0) {
      add_in_path(wanted, kOffset,
                  formatted("{}, where {} has {} bytes", wanted.begin, wanted.source->name(),
                            wanted.source->size()));
      continue;
    }
    const bool is_entry = wanted.entry_begin >= 0;
    const std::int64_t begin = is_entry ? wanted.entry_begin : wanted.begin;
    // The index has no object after a wrong key.
    const bool has_no_key = is_entry && begin == wanted.begin;
    const std::int64_t end = wanted.begin + std::min(left, has_no_key ? kEntryKeyMax + 1 : size);
    pieces_.push_back(
        {.source = wanted.source.get(), .offset_bytes = begin, .size_bytes = end - begin});
    numbers_.push_back(i);
  }
}

// Returns whether an object has the size of a matrix or a vector that stores its values in the form
// of the stream. Its bytes tell later whether it is one.
bool ObjectReader::is_stored_as_values(const WantedObject& wanted) const {
  const bool is_float =
      stream_.element_type == ElementType::f32 || stream_.element_type == ElementType::f64;
  const std::int64_t head =
      wanted.stored_bytes - internal::saturated_product(wanted.sample_count, sample_bytes_);
  return is_float && !wanted.rows && !wanted.cols &&
         (head == internal::kKaldiMatrixHead || head == internal::kKaldiVectorHead);
}

// Assigns a part of one buffer to each piece. Returns false if objects must be decoded, or if too
// much of the buffer would hold no values.
bool ObjectReader::lay_pieces() {
  std::vector<internal::FilePiece> pieces = pieces_;
  std::int64_t size = 0;
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (!is_stored_as_values(objects_[numbers_[n]])) return false;
    std::int64_t gap = 0;
    if (n > 0 && pieces[n].source == pieces[n - 1].source) {
      gap = pieces[n].offset_bytes - pieces[n - 1].offset_bytes - pieces[n - 1].size_bytes;
    }
    if (gap > 0 && gap <= kGapMax) pieces[n - 1].size_bytes += gap;
  }
  for (const internal::FilePiece& piece : pieces) size += piece.size_bytes;
  if (size > values_in_place_max(samples_.back() * sample_bytes_)) return false;
  values_ = buffer_of_size(size);
  std::byte* location = values_.mutable_data();
  locations_.assign(objects_.size(), 0);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const WantedObject& wanted = objects_[numbers_[n]];
    pieces[n].location = location;
    locations_[numbers_[n]] = location - values_.data() + wanted.begin - pieces[n].offset_bytes;
    location += pieces[n].size_bytes;
  }
  pieces_ = std::move(pieces);
  return true;
}

// Takes the bytes of an object. In an archive, the key precedes the object.
void ObjectReader::take(WantedObject& wanted, std::size_t number,
                        std::span<const std::byte> bytes) {
  if (wanted.entry_begin < 0) return decode(number, bytes);
  const auto key_size = static_cast<std::size_t>(wanted.begin - wanted.entry_begin);
  if (key_size == 0) {
    EntryKey found = find_key(bytes, true);
    if (found.fault == nullptr) found.found = "other bytes than when the data were indexed";
    add(wanted, kEntryKey, 0, std::move(found.found));
    wanted.faults.back().severity = Severity::fatal;
    return;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), key_size);
  wanted.key = text.substr(0, text.find_last_not_of(" \t") + 1);
  decode(number, bytes.subspan(key_size));
}

void ObjectReader::decode(std::size_t number, std::span<const std::byte> bytes) {
  WantedObject& wanted = objects_[number];
  const std::int64_t left = wanted.source->size() - wanted.begin;
  const auto bytes_at = [&](std::int64_t position) {
    return bytes.subspan(static_cast<std::size_t>(std::min(position, std::ssize(bytes))));
  };
  Probed probed = probe_object(bytes_at, left, options_);
  // An object with a fault has no size in the index. The error may lie after the bytes that were
  // read.
  if (std::holds_alternative<KaldiFault>(probed) && std::ssize(bytes) < left) {
    probed = probe_object(*wanted.source, wanted.begin, options_);
  }
  if (const auto* const fault = std::get_if<KaldiFault>(&probed)) {
    add(wanted, *fault->kind, fault->byte_offset, fault->found);
    // The next entry of an archive cannot be found after this fault.
    const bool ends_archive = wanted.entry_begin >= 0 && fault->kind != &internal::kKaldiCut;
    if (ends_archive) wanted.faults.back().severity = Severity::fatal;
    return;
  }
  ProbedObject object = std::get<ProbedObject>(probed);
  const auto part = part_of(object, wanted.rows, wanted.cols);
  if (const auto* const fault = std::get_if<KaldiFault>(&part)) {
    const ListedObject& listed = wanted.line.listed;
    return add_in_line(wanted, *fault->kind, fault->found, listed.range_begin, listed.range_size);
  }
  if (wanted.rows || wanted.cols) take_part(object, std::get<ObjectPart>(part), options_.as);
  if (const std::optional<Misfit> misfit = misfit_of(object, stream_, options_.as)) {
    add(wanted, *misfit->kind, 0, misfit->found);
    if (object.head.kind == KaldiKind::vector && options_.as == As::values) {
      wanted.faults.back().hint = "kaldi.as=frames makes a sample of each element of a vector";
    }
    return;
  }
  if (object.sample_count != wanted.sample_count) {
    return add_other_count(wanted, object.sample_count);
  }
  // If a file of lengths tells the samples, the size in the index is a guess.
  std::vector<std::byte> longer;
  if (object.size_bytes > std::ssize(bytes)) {
    longer.resize(static_cast<std::size_t>(object.size_bytes));
    internal::read_bytes(*wanted.source, wanted.begin, longer, options_.read_size_bytes);
    bytes = longer;
  }
  const auto whole = bytes.first(static_cast<std::size_t>(object.size_bytes));
  const std::optional<KaldiFault> fault =
      decode_values(object, whole, std::get<ObjectPart>(part), number);
  if (fault) add(wanted, *fault->kind, fault->byte_offset, fault->found);
}

std::optional<KaldiFault> ObjectReader::decode_values(const ProbedObject& object,
                                                      std::span<const std::byte> bytes,
                                                      const ObjectPart& part, std::size_t number) {
  const As as = options_.as;
  if (!is_fixed_) return decode_loose(object, bytes, stream_, as, loose_[number]);
  if (!is_in_place_) {
    std::byte* const to = values_.mutable_data() + samples_[number] * sample_bytes_;
    return decode_fixed(object, bytes, stream_, as, part, to);
  }
  const std::int64_t location = locations_[number];
  if (has_values_of(object, stream_)) {
    locations_[number] = location + object.head.data_begin;
    return std::nullopt;
  }
  // The object is not of the kind that its size suggests. Its values take less room than there is.
  const auto size = static_cast<std::size_t>(object.sample_count * sample_bytes_);
  std::vector<std::byte> decoded(size);
  std::optional<KaldiFault> fault = decode_fixed(object, bytes, stream_, as, part, decoded.data());
  std::memcpy(values_.mutable_data() + location, decoded.data(), size);
  return fault;
}

void ObjectReader::add(WantedObject& wanted, const ErrorKind& kind, std::int64_t offset,
                       std::string found) {
  Diagnostic diagnostic;
  diagnostic.path = wanted.source->name();
  diagnostic.byte_offset = wanted.begin + offset;
  diagnostic.stream = stream_.name;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  wanted.faults.push_back(std::move(diagnostic));
}

void ObjectReader::add_other_count(WantedObject& wanted, std::int64_t count) {
  if (lengths_name_.empty()) {
    add(wanted, kChanged, 0, formatted("{}, where the index has {}", count, wanted.sample_count));
    wanted.faults.back().hint = "--index rebuild (IndexMode::rebuild) reads it anew";
    return;
  }
  add(wanted, kLengths, 0,
      formatted("{}, where {} has {}", count, lengths_name_, wanted.sample_count));
  wanted.faults.back().hint = "feat-to-len writes the file anew; kaldi.lengths=none reads none";
}

void ObjectReader::add_in_line(WantedObject& wanted, const ErrorKind& kind, std::string found,
                               std::size_t begin, std::size_t size) {
  const ListedLine& line = wanted.line;
  const auto first = static_cast<std::int64_t>(begin);
  Diagnostic diagnostic;
  diagnostic.path = list_name_;
  diagnostic.line = line.number;
  diagnostic.column = first + 1;
  diagnostic.byte_offset = line.offset_bytes + first;
  diagnostic.stream = stream_.name;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  set_excerpt(diagnostic, line.text, first, static_cast<std::int64_t>(size));
  wanted.faults.push_back(std::move(diagnostic));
}

void ObjectReader::add_in_path(WantedObject& wanted, const ErrorKind& kind, std::string found) {
  const ListedObject& listed = wanted.line.listed;
  add_in_line(wanted, kind, std::move(found), listed.path_begin, listed.path_size);
}

// Reports why a line leads to no object.
void ObjectReader::add_fault_of_line(WantedObject& wanted) {
  const ListedObject& listed = wanted.line.listed;
  if (listed.fault == nullptr) return add_in_path(wanted, kMissingFile, quoted(listed.path));
  const std::string_view found = wanted.line.text.substr(listed.fault_begin, listed.fault_size);
  add_in_line(wanted, *listed.fault, quoted(found), listed.fault_begin, listed.fault_size);
}

void ObjectReader::set_offsets(Column& column, const std::vector<std::int64_t>& ends) const {
  column.sequence_offsets = buffer_of_size(std::ssize(ends) * std::int64_t{sizeof(std::int64_t)});
  std::ranges::copy(ends, column.sequence_offsets.as_mutable<std::int64_t>().begin());
}

Column ObjectReader::column_in_place() {
  std::vector<std::int64_t> ends{0};
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const bool is_hole = !objects_[i].faults.empty() || objects_[i].source == nullptr;
    ends.push_back(ends.back() + (is_hole ? 0 : samples_[i + 1] - samples_[i]));
  }
  Column column;
  set_offsets(column, ends);
  column.value_byte_offsets =
      buffer_of_size(std::ssize(locations_) * std::int64_t{sizeof(std::int64_t)});
  std::ranges::copy(locations_, column.value_byte_offsets.as_mutable<std::int64_t>().begin());
  column.values = std::move(values_);
  return column;
}

// Closes the gaps that holes leave in the values.
Column ObjectReader::fixed_column() {
  std::vector<std::int64_t> ends{0};
  std::byte* const values = values_.mutable_data();
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const bool is_hole = !objects_[i].faults.empty() || objects_[i].source == nullptr;
    const std::int64_t count = is_hole ? 0 : samples_[i + 1] - samples_[i];
    if (count > 0 && ends.back() != samples_[i]) {
      std::memmove(values + ends.back() * sample_bytes_, values + samples_[i] * sample_bytes_,
                   static_cast<std::size_t>(count * sample_bytes_));
    }
    ends.push_back(ends.back() + count);
  }
  values_.resize(ends.back() * sample_bytes_);
  Column column;
  set_offsets(column, ends);
  column.values = std::move(values_);
  return column;
}

// Joins the samples of all objects.
Column ObjectReader::loose_column() {
  std::vector<std::int64_t> ends{0};
  std::int64_t value_bytes = 0;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (!objects_[i].faults.empty()) loose_[i] = {};
    ends.push_back(ends.back() + std::ssize(loose_[i].counts));
    value_bytes += std::ssize(loose_[i].values);
  }
  const std::int64_t value_count = value_bytes / element_size(stream_.element_type);
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  const bool is_sparse = stream_.storage == Storage::sparse;
  const bool is_wide = stream_.index_type == ElementType::i64;
  Column column;
  set_offsets(column, ends);
  column.values = buffer_of_size(value_bytes);
  column.sample_offsets = buffer_of_size((ends.back() + 1) * kOffsetSize);
  if (is_sparse) column.indices = buffer_of_size(value_count * element_size(stream_.index_type));
  if (!is_sparse) column.extents = buffer_of_size(ends.back() * kOffsetSize);
  std::byte* values = column.values.mutable_data();
  std::int64_t* offsets = column.sample_offsets.as_mutable<std::int64_t>().data();
  std::byte* indices = is_sparse ? column.indices.mutable_data() : nullptr;
  std::int64_t* extents = is_sparse ? nullptr : column.extents.as_mutable<std::int64_t>().data();
  *offsets = 0;
  for (const LooseSamples& samples : loose_) {
    if (!samples.values.empty()) {
      std::memcpy(values, samples.values.data(), samples.values.size());
      values += samples.values.size();
    }
    for (const std::int64_t count : samples.counts) {
      offsets[1] = offsets[0] + count;
      ++offsets;
      if (extents != nullptr) *extents++ = count;
    }
    for (const std::int32_t index : samples.indices) {
      if (is_wide) {
        const std::int64_t wide = index;
        std::memcpy(indices, &wide, sizeof wide);
        indices += sizeof wide;
      } else {
        std::memcpy(indices, &index, sizeof index);
        indices += sizeof index;
      }
    }
  }
  return column;
}

}  // namespace

Chunk read_objects(std::span<WantedObject> objects, const RangeParts& from,
                   Diagnostics& diagnostics) {
  const bool has_texts = from.options.has_text_keys;
  std::vector<Column> columns;
  columns.push_back(ObjectReader(objects, from).read());
  std::vector<std::int64_t> holes;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    WantedObject& object = objects[i];
    const auto number = static_cast<std::int64_t>(i);
    if (!object.faults.empty()) holes.push_back(number);
    for (Diagnostic& fault : object.faults) {
      fault.sequence_key = has_texts ? object.key : to_string(from.table.key(from.first + number));
      diagnostics.add(from.first + number, std::move(fault));
    }
    keys.push_back(std::move(object.key));
  }
  Chunk chunk({&from.stream, 1}, std::ssize(objects), std::move(columns), std::move(holes));
  if (has_texts) chunk.set_key_texts(std::move(keys));
  return chunk;
}

}  // namespace sheaf::kaldi
