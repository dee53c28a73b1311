// The fuzz target of index files. For any index file with correct checksums, the library either
// reads the same sequences as without the file, or reports an error.
//
// An input has kIndexControlBytes, whose low bits choose, and then an index file:
//
//   data           the data set (of those below) beside which the index file lies
//   mending        0: everything but chunks and notes is made to fit; 1: only the checksums are;
//                  2: nothing is, so only a file that the library wrote can be used
//   mode           +1: the index file is required; +2: almost no memory for tables
//   reading        0 to 2: the order of a run; +4: ranges of two sequences instead of one; +8:
//                  minibatches count costs, if the data have costs

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sheaf/sheaf.h"

#include "base/unit_size.h"
#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "index_parts.h"
#include "support/test_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::fuzz {
namespace {

using conformance::RangeResult;
using conformance::read_all;
using conformance::read_range;
using conformance::ReferenceResult;
using conformance::ReferenceSequence;
using conformance::to_reference;

/// A data set and its content without an index file.
struct DataSet {
  const Format* format = nullptr;
  std::string bytes;
  FormatOptions options;
  bool repeats_keys = false;  // known from an index file only
  bool drops = false;         // leaves out sequences that lack a stream
  bool finds_streams = false;
  std::int64_t unit_size_bytes = internal::kUnitSizeBytes;
  IndexParts index = {};  // as the library writes it
  ReferenceResult expected = {};
};

[[noreturn]] void fail(const char* law, const std::string& expected, const std::string& found) {
  std::fprintf(stderr, "%s\n--- expected\n%s--- found\n%s", law, expected.c_str(), found.c_str());
  std::abort();
}

std::string describe(const ReferenceSequence& sequence) {
  return to_string(ReferenceResult{.fatal = {}, .sequences = {sequence}, .diagnostics = {}});
}

/// Uses a folder in memory if possible, since rewritten files would wait for the disk.
const TestFolder& folder() {
  static const TestFolder folder = [] {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
    return TestFolder();
  }();
  return folder;
}

/// Returns the name of the index file in the folder, which is the same for all data.
std::string index_name() {
  return std::filesystem::path(index_file_path(conformance::kMemoryName, ".")).filename();
}

std::unique_ptr<Deserializer> open(const DataSet& data, IndexMode mode, bool has_memory = true) {
  internal::set_unit_size_bytes(data.unit_size_bytes);
  FormatOptions options = data.options;
  options.index.mode = mode;
  options.index.directory = folder().path(".");
  if (!has_memory) options.index.memory_limit_bytes = 1;
  return data.format->open(
      {memory_source(data.bytes, std::string(conformance::kMemoryName)), options});
}

StreamOptions dense(std::string name, std::int64_t dim) {
  return {.name = std::move(name), .sample_shape = Shape{dim}};
}

StreamOptions sparse(std::string name, std::int64_t dim) {
  return {.name = std::move(name), .storage = Storage::sparse, .sample_shape = Shape{dim}};
}

DataSet ctf_data(std::string bytes, std::vector<StreamOptions> streams) {
  DataSet data{
      .format = &conformance::format_named("ctf"), .bytes = std::move(bytes), .options = {}};
  data.options.streams = std::move(streams);
  data.options.chunk_size_bytes = 64;
  return data;
}

DataSet libsvm_data(std::string bytes, std::vector<StreamOptions> streams) {
  DataSet data = ctf_data(std::move(bytes), std::move(streams));
  data.format = &conformance::format_named("libsvm");
  return data;
}

/// Converts a data set to CBF, which ignores an index file beside it.
DataSet cbf_data(const DataSet& from) {
  DataSet data{.format = &conformance::format_named("cbf"), .bytes = {}, .options = {}};
  const std::shared_ptr<const Deserializer> source = open(from, IndexMode::off);
  Writer writer(memory_sink(data.bytes, "data.cbf"), source->streams(), {});
  for (ChunkIndex i{}; source->index().chunk(i); i = next(i)) {
    const auto table = source->index().sequences(i);
    std::vector<SequenceKey> keys;
    for (std::int64_t k = 0; k < table->size(); ++k) keys.push_back(table->key(k));
    Diagnostics diagnostics;
    writer.write(keys, source->read({.chunk = i}, diagnostics));
  }
  writer.finish();
  return data;
}

void add_ctf(std::vector<DataSet>& all) {
  const std::vector<StreamOptions> two = {dense("x", 2), sparse("y", 9)};
  const std::string rows =
      "0 |x 1 2 |y 3:1\n0 |x 3 4\n1 |x 5 6 |y 1:2 8:.5\n4 |x 7 8 |y\n4 |x 9 0 |y 0:1\n4 |x 1 1\n"
      "\n7 |x 2 2 |y 5:1 |# comment\r\n9 |x 1 2 |y 1:1\n10 |x 3 4 |y\n10 |y 7:7";
  all.push_back(ctf_data(rows, two));
  all.push_back(ctf_data("\n" + rows, {}));
  all.back().finds_streams = true;
  all.push_back(
      ctf_data("u |x 1 2 |y 3:1\nv |x 3 4\nv |x 3 5\nw |y 2:1\na-b |x 5 6 |y 0:1\n"
               "key of |x 1\nlast |x 7 8 |y 4:1\n",
               two));
  all.back().options.keys = KeyType::text;
  all.back().options.missing_streams = MissingStreams::allow;
  all.back().options.streams[0].defines_minibatch_size = true;
  all.back().drops = true;
  all.push_back(
      ctf_data("0 |x 1 2 |y 3:1\n0 |x 3\n1 |x 5 6 |y 1:2 8:5\n|x 2 2\n4 |y 1:1 |x 1\n", two));
  all.back().options.compatibility = Compatibility::cntk;
  all.back().drops = true;
  all.push_back(
      ctf_data("0 |x 1 2 |y 3:1\n1 |x 3 4 |y\n0 |x 5 6 |y 1:1\n2 |x 1 1 |y 8:1\n"
               "1 |x 7 7 |y\n1 |x 1 |y\n3 |x 0 0 |y 2:2\n",
               two));
  all.back().repeats_keys = true;
}

void add_libsvm(std::vector<DataSet>& all) {
  all.push_back(
      libsvm_data("1 qid:3 1:0.5 4:2\n0 qid:3 2:1\n-1 qid:4 1:1 # c\n2 qid:9\n"
                  "1 qid:7 9:1\n0 qid:7 1:1 2:2 3:3\n",
                  {}));
  all.back().finds_streams = true;
  all.push_back(libsvm_data("1 1:0.5 2:2\n# comment\n0 2:1\n-1 1:1\n\n2\n1 1:1e3\n0 1:7 2:7\n",
                            {dense("label", 1), dense("features", 2)}));
}

/// Adds data with units of a few text rows, and with chunks of more sequences than the index packs
/// together.
void add_small_units(std::vector<DataSet>& all) {
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    rows += number + " |x " + number + " 1 |y " + std::to_string(i % 9) + ":1\n";
  }
  for (const std::int64_t unit_size_bytes : {1, 100}) {
    all.push_back(ctf_data(rows, {dense("x", 2), sparse("y", 9)}));
    all.back().options.chunk_size_bytes = unit_size_bytes == 1 ? 64 : 1 << 20;
    all.back().unit_size_bytes = unit_size_bytes;
  }
}

const std::vector<DataSet>& data_sets() {
  static const std::vector<DataSet> all = [] {
    std::vector<DataSet> made;
    add_ctf(made);
    add_libsvm(made);
    made.push_back(cbf_data(made.front()));
    add_small_units(made);
    for (DataSet& data : made) {
      data.expected = read_all(*open(data, IndexMode::off));
      folder().write(index_name(), {});  // some formats write none
      const auto built = open(data, IndexMode::rebuild);
      static_cast<void>(read_all(*built));
      data.index = take_apart(folder().read(index_name()));
    }
    return made;
  }();
  return all;
}

/// The choices of the control bytes.
struct Trial {
  const DataSet& data;
  unsigned mending = 0;
  IndexMode mode = IndexMode::automatic;
  bool has_memory = true;
  OrderAlgorithm order = OrderAlgorithm::file;
  std::int64_t range_size = 1;
  bool counts_costs = false;

  [[nodiscard]] std::unique_ptr<Deserializer> open() const {
    return fuzz::open(data, mode, has_memory);
  }
};

Trial trial_of(std::span<const std::uint8_t, kIndexControlBytes> control) {
  constexpr std::array kOrders = {OrderAlgorithm::file, OrderAlgorithm::cntk,
                                  OrderAlgorithm::keyed};
  const std::vector<DataSet>& all = data_sets();
  return {.data = all[(control[0] & 0x0FU) % all.size()],
          .mending = (control[1] & 0x0FU) % 3,
          .mode = (control[2] & 1U) != 0 ? IndexMode::require : IndexMode::automatic,
          .has_memory = (control[2] & 2U) == 0,
          .order = kOrders[(control[3] & 3U) % kOrders.size()],
          .range_size = (control[3] & 4U) != 0 ? 2 : 1,
          .counts_costs = (control[3] & 8U) != 0};
}

/// Returns the bytes of the index file for a trial.
std::string mended(const Trial& trial, std::string bytes) {
  if (trial.mending == 1) mend_checksums(bytes);
  if (trial.mending != 0) return bytes;
  IndexParts parts = take_apart(bytes);
  parts.options = trial.data.index.options;
  parts.data_size = trial.data.index.data_size;
  parts.data_hash = trial.data.index.data_hash;
  return put_together(parts, Checksums::right);
}

/// Checks that a sequence equals the expected sequence of the data. An index file may claim that a
/// key repeats an earlier key; then the sequence may be left out with an error. Line numbers and
/// found streams come from the index file and are not compared.
void check_sequence(const DataSet& data, const ReferenceSequence& expected,
                    const ReferenceSequence& found, bool has_errors) {
  ReferenceSequence same = found;
  same.first_line = expected.first_line;
  const bool is_excused = found.is_hole ? has_errors : expected.is_hole && data.repeats_keys;
  if (data.finds_streams || is_excused) {
    same.is_hole = expected.is_hole;
    same.sample_count = expected.sample_count;
    same.streams = expected.streams;
  }
  if (same != expected) fail("not a sequence of the data", describe(expected), describe(found));
}

/// Checks that the sequences equal the data. If sequences can be dropped in between, the result may
/// be a part of the data.
void check_sequences(const DataSet& data, const std::vector<ReferenceSequence>& found,
                     bool has_errors) {
  const std::vector<ReferenceSequence>& expected = data.expected.sequences;
  auto next = expected.begin();
  for (const ReferenceSequence& sequence : found) {
    if (data.drops) {
      next = std::find_if(next, expected.end(),
                          [&](const ReferenceSequence& each) { return each.key == sequence.key; });
    }
    if (next == expected.end()) fail("more than the data have", "", describe(sequence));
    check_sequence(data, *next++, sequence, has_errors);
  }
  if (!data.drops && next != expected.end()) fail("less than the data have", describe(*next), "");
}

/// Checks that ranges equal the whole.
void check_ranges(const Trial& trial, const Deserializer& data, const ReferenceResult& whole) {
  std::int64_t number = 0;
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    for (std::int64_t first = 0; first < info->sequence_count; first += trial.range_size) {
      const RangeResult part =
          read_range(data, {.chunk = chunk, .first = first, .count = trial.range_size});
      for (const ReferenceSequence& found : part.sequences) {
        const ReferenceSequence& expected = whole.sequences[static_cast<std::size_t>(number++)];
        if (found != expected) fail("a range", describe(expected), describe(found));
      }
    }
  }
}

/// Checks that every sequence of a minibatch equals a sequence of the whole.
void check_delivered(const ReferenceResult& whole, const Minibatch& minibatch) {
  for (const ReferenceSequence& found : to_reference(minibatch)) {
    const bool is_there = std::ranges::any_of(whole.sequences, [&](const ReferenceSequence& each) {
      return !each.is_hole && each.key == found.key && each.key_text == found.key_text &&
             each.streams == found.streams;
    });
    if (!is_there) fail("a minibatch", to_string(whole), describe(found));
  }
}

void check_run(const Trial& trial, const std::shared_ptr<const Deserializer>& data,
               const ReferenceResult& whole) {
  static const std::unique_ptr<Executor> thread = thread_pool(1);
  const std::shared_ptr<const Counts> counts(data, &data->index());
  OrderOptions order{.minibatch_size = 3, .algorithm = trial.order, .seed = 1};
  if (trial.order != OrderAlgorithm::file) order.window_chunks = 2;
  if (trial.counts_costs && !counts->cost_measure().name.empty()) {
    order.unit = MinibatchUnit::cost;
    order.minibatch_size = 40;
  }
  Reader reader(data, make_sequencer(counts, order), ragged_packer(),
                {.max_errors = 1000, .executor = thread.get()});
  std::size_t count = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    check_delivered(whole, *minibatch);
    count += static_cast<std::size_t>(minibatch->sequence_count() + minibatch->hole_count);
  }
  if (count != whole.sequences.size()) {
    fail("sequences of a sweep", std::to_string(whole.sequences.size()), std::to_string(count));
  }
  for (const ReferenceSequence* each : {&whole.sequences.front(), &whole.sequences.back()}) {
    if (each->is_hole) continue;
    const std::optional<Minibatch> alone =
        each->key_text.empty() ? reader.sequence(each->key) : reader.sequence(each->key_text);
    if (!alone) fail("a sequence by its key", describe(*each), "nothing\n");
    check_delivered(whole, *alone);
  }
}

/// Checks that every text about the data can be made.
void check_texts(const Deserializer& data) {
  std::size_t size = data.fingerprint().size();
  for (const Diagnostic& warning : data.warnings()) size += to_string(warning).size();
  if (size > 1 << 16) fail("long texts", "", std::to_string(size));
}

/// Reads all data in every way.
void read_with(const Trial& trial) {
  const std::shared_ptr<const Deserializer> data = trial.open();
  check_texts(*data);
  const ReferenceResult whole = read_all(*data);
  check_sequences(trial.data, whole.sequences, whole.error_count() > 0);
  check_ranges(trial, *data, whole);
  if (!whole.sequences.empty()) check_run(trial, data, whole);
  check_texts(*data);
}

/// Checks that an unmended file is either used as it was written or ignored.
void read_without(const Trial& trial) {
  const ReferenceResult found = read_all(*trial.open());
  if (found != trial.data.expected) {
    fail("an index file that is wrong", to_string(trial.data.expected), to_string(found));
  }
}

void check_input(std::span<const std::uint8_t, kIndexControlBytes> control, std::string bytes) {
  const Trial trial = trial_of(control);
  folder().write(index_name(), mended(trial, std::move(bytes)));
  try {
    trial.mending == 2 ? read_without(trial) : read_with(trial);
  } catch (const IoError&) {  // the file is damaged or does not fit the data
  } catch (const ConfigError&) {
    if (trial.mode != IndexMode::require && !trial.data.finds_streams) throw;
  } catch (const DataError&) {
    if (trial.mending == 2) throw;
  }
}

}  // namespace
}  // namespace sheaf::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sheaf::fuzz::kIndexControlBytes;
  if (size < kIndexControlBytes) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const auto file = input.subspan(kIndexControlBytes);
  sheaf::fuzz::check_input(input.first<kIndexControlBytes>(),
                           std::string(reinterpret_cast<const char*>(file.data()), file.size()));
  return 0;
}
