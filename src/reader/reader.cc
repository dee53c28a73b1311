#include "sheaf/reader.h"

#include <utility>
#include <vector>

#include "reader/engine.h"

namespace sheaf {
namespace {

/// The parts that read a file by `options`.
struct Parts {
  std::shared_ptr<const Deserializer> deserializer;
  std::unique_ptr<Sequencer> sequencer;
  std::unique_ptr<Packer> packer;
};

Parts open_parts(const std::string& path, const ReaderOptions& options) {
  Parts parts;
  parts.deserializer = open_data(path, options.format);
  // The counts are the index, which the deserializer keeps alive.
  std::shared_ptr<const Counts> counts(parts.deserializer, &parts.deserializer->index());
  parts.sequencer = std::make_unique<LinearSequencer>(std::move(counts), options.order);
  parts.packer = make_packer(options.packing);
  return parts;
}

}  // namespace

Reader::Reader(const std::string& path, const ReaderOptions& options) {
  Parts parts = open_parts(path, options);
  engine_ = std::make_unique<Engine>(std::move(parts.deserializer), std::move(parts.sequencer),
                                     std::move(parts.packer), options.run);
}

Reader::Reader(std::shared_ptr<const Deserializer> deserializer,
               std::unique_ptr<Sequencer> sequencer, std::unique_ptr<Packer> packer,
               const RunOptions& options)
    : engine_(std::make_unique<Engine>(std::move(deserializer), std::move(sequencer),
                                       std::move(packer), options)) {}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::span<const Stream> Reader::streams() const noexcept { return engine_->streams(); }
std::optional<Minibatch> Reader::next() { return engine_->next(); }
Position Reader::position() const { return engine_->position(); }
std::span<const Diagnostic> Reader::diagnostics() const noexcept { return engine_->diagnostics(); }
std::vector<Diagnostic> Reader::warnings() const { return engine_->warnings(); }
ReaderStats Reader::stats() const { return engine_->stats(); }

}  // namespace sheaf
