// Measures each stage of reading on 64 MB of text in memory. Reports bytes of text and sequences
// per second, beside a memcpy of the same bytes and a search for line ends.

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "sheaf/sheaf.h"

#include "corpus.h"

namespace sheaf::bench {
namespace {

constexpr std::int64_t kTextSize = 64'000'000;

const std::string& text_of(const Corpus& corpus) {
  static std::map<std::string_view, std::string> texts;
  std::string& text = texts[corpus.name];
  if (text.empty()) text = make_text(corpus, kTextSize);
  return text;
}

std::unique_ptr<Deserializer> open(const Corpus& corpus) {
  static std::map<std::string_view, std::shared_ptr<const ByteSource>> sources;
  auto& source = sources[corpus.name];
  if (!source) source = memory_source(text_of(corpus), "text");
  FormatOptions options = corpus.options();
  if (options.format.empty()) options.format = "ctf";
  options.chunk_size_bytes = kTextSize / 8;
  return find_format("", options).open({source, options});
}

std::int64_t count_sequences(const Index& index) {
  std::int64_t count = 0;
  for (ChunkIndex i{}; const auto chunk = index.chunk(i); i = next(i)) {
    count += chunk->sequence_count;
  }
  return count;
}

void set_rates(benchmark::State& state, const Corpus& corpus, std::int64_t sequences) {
  state.SetBytesProcessed(state.iterations() * std::ssize(text_of(corpus)));
  state.SetItemsProcessed(state.iterations() * sequences);
}

void copy(benchmark::State& state, const Corpus& corpus) {
  const std::string& text = text_of(corpus);
  std::vector<char> into(text.size());
  for (auto _ : state) {
    std::memcpy(into.data(), text.data(), text.size());
    benchmark::ClobberMemory();
  }
  set_rates(state, corpus, 0);
}

void scan_lines(benchmark::State& state, const Corpus& corpus) {
  const std::string& text = text_of(corpus);
  std::int64_t lines = 0;
  for (auto _ : state) {
    lines = 0;
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; ++at) ++lines;
    benchmark::DoNotOptimize(lines);
  }
  set_rates(state, corpus, lines);
}

void build_index(benchmark::State& state, const Corpus& corpus) {
  std::int64_t sequences = 0;
  for (auto _ : state) sequences = count_sequences(open(corpus)->index());
  set_rates(state, corpus, sequences);
}

void parse(benchmark::State& state, const Corpus& corpus) {
  const auto data = open(corpus);
  const std::int64_t sequences = count_sequences(data->index());
  for (auto _ : state) {
    for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
      Diagnostics diagnostics;
      benchmark::DoNotOptimize(data->read({.chunk = i}, diagnostics));
    }
  }
  set_rates(state, corpus, sequences);
}

OrderOptions order_of(OrderAlgorithm algorithm) {
  OrderOptions options{.algorithm = algorithm};
  if (algorithm != OrderAlgorithm::file) options.window_chunks = 4;
  return options;
}

void plan(benchmark::State& state, const Corpus& corpus, OrderAlgorithm algorithm) {
  const std::shared_ptr<const Deserializer> data = open(corpus);
  const std::shared_ptr<const Counts> counts(data, &data->index());
  std::int64_t sequences = 0;
  for (auto _ : state) {
    sequences = 0;
    const auto sequencer = make_sequencer(counts, order_of(algorithm));
    OrderWalk walk(*sequencer);
    while (const auto next = walk.next()) sequences += std::ssize(next->step.sequences);
  }
  set_rates(state, corpus, sequences);
}

/// Returns all chunks of the text, decoded.
std::vector<Chunk> decode(const Deserializer& data) {
  std::vector<Chunk> chunks;
  Diagnostics diagnostics;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    chunks.push_back(data.read({.chunk = i}, diagnostics));
  }
  return chunks;
}

void pack(benchmark::State& state, const Corpus& corpus, Layout layout) {
  const auto data = open(corpus);
  const auto streams =
      std::make_shared<const std::vector<Stream>>(data->streams().begin(), data->streams().end());
  const std::vector<Chunk> chunks = decode(*data);
  const auto packer = make_packer(layout);
  constexpr std::int64_t kSequences = 256;
  for (auto _ : state) {
    for (const Chunk& chunk : chunks) {
      for (std::int64_t i = 0; i < chunk.sequence_count(); i += kSequences) {
        SequenceList sequences(streams);
        for (std::int64_t k = i; k < std::min(i + kSequences, chunk.sequence_count()); ++k) {
          sequences.add({.low = static_cast<std::uint64_t>(k)}, chunk, k);
        }
        benchmark::DoNotOptimize(packer->pack(sequences));
      }
    }
  }
  set_rates(state, corpus, count_sequences(data->index()));
}

/// Delivers minibatches of 256 samples, indexing included.
void deliver(benchmark::State& state, const Corpus& corpus, OrderAlgorithm algorithm, int threads) {
  std::int64_t sequences = 0;
  for (auto _ : state) {
    const std::shared_ptr<const Deserializer> data = open(corpus);
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, order_of(algorithm)), padded_packer(),
                  {.threads = threads});
    while (const auto minibatch = reader.next()) benchmark::DoNotOptimize(minibatch->row_count());
    sequences = reader.stats().sequences;
  }
  set_rates(state, corpus, sequences);
}

void register_all() {
  for (const Corpus& corpus : corpora()) {
    const auto add = [&corpus](const std::string& stage, auto run) {
      const std::string title = stage + "/" + std::string(corpus.name);
      return benchmark::RegisterBenchmark(
                 title.c_str(), [&corpus, run](benchmark::State& state) { run(state, corpus); })
          ->Unit(benchmark::kMillisecond);
    };
    const auto with = [](auto run, auto... how) {
      return [=](benchmark::State& state, const Corpus& of) { run(state, of, how...); };
    };
    add("copy", copy);
    add("scan_lines", scan_lines);
    add("index", build_index);
    add("parse", parse);
    add("order_cntk", with(plan, OrderAlgorithm::cntk));
    add("order_keyed", with(plan, OrderAlgorithm::keyed));
    add("pack_padded", with(pack, Layout::padded));
    add("pack_ragged", with(pack, Layout::ragged));
    add("pack_packed", with(pack, Layout::packed));
    for (const int threads : {1, 2}) {
      const std::string end = "_" + std::to_string(threads);
      add("end_to_end_file" + end, with(deliver, OrderAlgorithm::file, threads))->UseRealTime();
      add("end_to_end_cntk" + end, with(deliver, OrderAlgorithm::cntk, threads))->UseRealTime();
      add("end_to_end_keyed" + end, with(deliver, OrderAlgorithm::keyed, threads))->UseRealTime();
    }
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace sheaf::bench
