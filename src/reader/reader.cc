#include "sheaf/reader.h"

#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/owned.h"
#include "packer/padding.h"
#include "reader/engine.h"
#include "reader/run.h"

namespace sheaf {
namespace {

Spec spec_of(const std::string& path, const ReaderOptions& options) {
  return {.data = {FilesSpec{.files = {path}, .format = options.format}},
          .read = {.order = options.order,
                   .packing = options.packing,
                   .row_samples = options.row_samples,
                   .padding = options.padding,
                   .cache = options.cache}};
}

}  // namespace

std::unique_ptr<Packer> make_packer(Layout layout, const OrderOptions& order,
                                    std::optional<std::int64_t> row_samples,
                                    const Padding& padding) {
  if (row_samples) {
    if (order.truncation_length) {
      throw ConfigError(
          "row_samples: the slots hold whole sequences, and truncation_length cuts them: leave one "
          "out");
    }
    if (layout != Layout::packed && layout != Layout::padded) {
      throw ConfigError(
          formatted("row_samples: slots of a fixed length are those of `packed`: leave packing "
                    "out; got `{}`",
                    to_string(layout)));
    }
    return packed_packer(row_samples, padding);
  }
  if (!order.truncation_length) {
    if (layout == Layout::padded) return padded_packer(padding);
    if (layout == Layout::packed) return packed_packer({}, padding);
    if (layout == Layout::frames) return frames_packer(padding);
    internal::check_padding(layout, padding);
    return make_packer(layout);
  }
  if (layout != Layout::truncated && layout != Layout::padded) {
    throw ConfigError(
        formatted("truncation_length: pieces of sequences are packed as `truncated`: "
                  "leave packing out; got `{}`",
                  to_string(layout)));
  }
  return truncated_packer(truncated_slot_count(order), *order.truncation_length, padding);
}

Reader::Reader(const std::string& path, const ReaderOptions& options, const OpenContext& context)
    : Reader(spec_of(path, options), options.run, context) {}

Reader::Reader(const Spec& spec, const RunOptions& run, const OpenContext& context) {
  internal::check(run);
  RunOptions whole = run;
  whole.max_errors = max_errors_of(spec, run.max_errors);
  threads_ = internal::own_threads(run);
  if (threads_ != nullptr) whole.executor = threads_.get();
  OpenContext own = context;
  own.executor = whole.executor;
  own.memory_limit_bytes = run.memory_limit_bytes;
  const OpenedData opened = open(spec, own);
  const OrderOptions order = order_of(spec);
  const std::shared_ptr<const Counts> counts(opened.data, &opened.data->index());
  engine_ = std::make_unique<Engine>(
      opened.data, make_sequencer(counts, order),
      make_packer(spec.read.packing, order, spec.read.row_samples, spec.read.padding), whole);
}

Reader::Reader(std::shared_ptr<const Deserializer> deserializer,
               std::unique_ptr<Sequencer> sequencer, std::unique_ptr<Packer> packer,
               const RunOptions& options)
    : engine_(std::make_unique<Engine>(std::move(deserializer), std::move(sequencer),
                                       std::move(packer), options)) {}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&& other) noexcept {
  engine_ = std::move(other.engine_);  // ends the old engine before its threads
  threads_ = std::move(other.threads_);
  return *this;
}
Reader::~Reader() = default;

Reader::Engine& Reader::engine() const { return internal::owned(engine_, "the Reader"); }

std::span<const Stream> Reader::streams() const noexcept {
  if (engine_ == nullptr) return {};
  return engine_->streams();
}
std::span<const Diagnostic> Reader::diagnostics() const noexcept {
  if (engine_ == nullptr) return {};
  return engine_->diagnostics();
}
bool Reader::notes_costs() const { return engine().notes_costs(); }
const Index& Reader::index() const { return engine().index(); }
const Deserializer& Reader::data() const { return engine().data(); }
std::optional<Minibatch> Reader::next() { return engine().next(); }
bool Reader::is_ready() const { return engine().is_ready(); }
Position Reader::position() const { return engine().position(); }
std::vector<Diagnostic> Reader::warnings() const { return engine().warnings(); }
ReaderStats Reader::stats() const { return engine().stats(); }
std::optional<Minibatch> Reader::sequence(const SequenceKey& key, std::int64_t sweep) {
  return engine().sequence(key, sweep);
}
std::optional<Minibatch> Reader::sequence(std::string_view text, std::int64_t sweep) {
  return engine().sequence(text, sweep);
}
std::optional<Minibatch> Reader::sequence_at(std::int64_t sweep, std::int64_t number) {
  return engine().sequence_at(sweep, number);
}

}  // namespace sheaf
