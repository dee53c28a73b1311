// The stages of reading, one by one, on 16 MB of text in memory: bytes of text and sequences a
// second, beside a memcpy of the same bytes.

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

constexpr std::int64_t kTextSize = 16'000'000;

const std::string& text_of(const Corpus& corpus) {
  static std::map<std::string_view, std::string> texts;
  std::string& text = texts[corpus.name];
  if (text.empty()) text = make_text(corpus, kTextSize);
  return text;
}

std::unique_ptr<Deserializer> open(const Corpus& corpus) {
  FormatOptions options = corpus.options();
  if (options.format.empty()) options.format = "ctf";
  return find_format("", options).open(memory_source(text_of(corpus), "text"), options);
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

void build_index(benchmark::State& state, const Corpus& corpus) {
  std::int64_t sequences = 0;
  for (auto _ : state) sequences = count_sequences(open(corpus)->index());
  set_rates(state, corpus, sequences);
}

void read_chunks(benchmark::State& state, const Corpus& corpus) {
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

void pack(benchmark::State& state, const Corpus& corpus, Layout layout) {
  const auto data = open(corpus);
  const auto streams =
      std::make_shared<const std::vector<Stream>>(data->streams().begin(), data->streams().end());
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}}, diagnostics);
  const auto packer = make_packer(layout);
  constexpr std::int64_t kSequences = 256;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < chunk.sequence_count(); i += kSequences) {
      SequenceList sequences(streams);
      for (std::int64_t k = i; k < std::min(i + kSequences, chunk.sequence_count()); ++k) {
        sequences.add({.low = static_cast<std::uint64_t>(k)}, chunk, k);
      }
      benchmark::DoNotOptimize(packer->pack(sequences));
    }
  }
  set_rates(state, corpus, chunk.sequence_count());
}

void register_all() {
  for (const Corpus& corpus : corpora()) {
    const auto name = [&corpus](const char* stage) {
      return std::string(stage) + "/" + std::string(corpus.name);
    };
    const auto add = [](const std::string& title, auto run) {
      benchmark::RegisterBenchmark(title.c_str(), run)->Unit(benchmark::kMillisecond);
    };
    add(name("copy"), [&corpus](benchmark::State& state) { copy(state, corpus); });
    add(name("index"), [&corpus](benchmark::State& state) { build_index(state, corpus); });
    add(name("read"), [&corpus](benchmark::State& state) { read_chunks(state, corpus); });
    add(name("padded"),
        [&corpus](benchmark::State& state) { pack(state, corpus, Layout::padded); });
    add(name("ragged"),
        [&corpus](benchmark::State& state) { pack(state, corpus, Layout::ragged); });
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace sheaf::bench
