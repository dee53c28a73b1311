#include "format/ctf/ctf_index_record.h"

#include <bit>
#include <span>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

/// Takes numbers from the front of a list.
class Taker {
 public:
  explicit Taker(std::span<const std::int64_t> numbers) : numbers_(numbers) {}

  std::int64_t take() {
    if (numbers_.empty()) throw InternalError("ctf index record: too few numbers");
    const std::int64_t number = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return number;
  }

  /// A number of things that follow.
  std::int64_t take_count() {
    const std::int64_t count = take();
    if (count < 0 || count > std::ssize(numbers_)) {
      throw InternalError("ctf index record: a count that cannot be");
    }
    return count;
  }

 private:
  std::span<const std::int64_t> numbers_;
};

}  // namespace

std::vector<std::int64_t> to_numbers(const ChunkNotes& notes) {
  std::vector<std::int64_t> numbers;
  numbers.push_back(std::ssize(notes.streams));
  for (const StreamCounts& stream : notes.streams) {
    numbers.push_back(stream.sample_count);
    numbers.push_back(stream.pair_count);
  }
  numbers.push_back(std::ssize(notes.unit_hashes));
  for (const std::uint64_t hash : notes.unit_hashes) {
    numbers.push_back(std::bit_cast<std::int64_t>(hash));
  }
  numbers.push_back(std::ssize(notes.repeated));
  numbers.insert(numbers.end(), notes.repeated.begin(), notes.repeated.end());
  return numbers;
}

ChunkNotes notes_from_numbers(const std::vector<std::int64_t>& numbers) {
  Taker taker(numbers);
  ChunkNotes notes;
  for (std::int64_t n = taker.take_count(); n > 0; --n) {
    StreamCounts& stream = notes.streams.emplace_back();
    stream.sample_count = taker.take();
    stream.pair_count = taker.take();
  }
  for (std::int64_t n = taker.take_count(); n > 0; --n) {
    notes.unit_hashes.push_back(std::bit_cast<std::uint64_t>(taker.take()));
  }
  for (std::int64_t n = taker.take_count(); n > 0; --n) notes.repeated.push_back(taker.take());
  return notes;
}

std::string to_json(const std::vector<Diagnostic>& warnings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& warning : warnings) {
    list.push_back({{"line", warning.line},
                    {"column", warning.column},
                    {"byte_offset", warning.byte_offset},
                    {"stream", warning.stream},
                    {"code", warning.code},
                    {"expected", warning.expected},
                    {"found", warning.found},
                    {"hint", warning.hint},
                    {"excerpt", warning.excerpt},
                    {"excerpt_begin", warning.excerpt_begin},
                    {"excerpt_size", warning.excerpt_size}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<Diagnostic> warnings_from_json(std::string_view json, std::string_view path) {
  std::vector<Diagnostic> warnings;
  for (const nlohmann::json& item : nlohmann::json::parse(json)) {
    Diagnostic& warning = warnings.emplace_back();
    warning.severity = Severity::warning;
    warning.path = path;
    item.at("line").get_to(warning.line);
    item.at("column").get_to(warning.column);
    item.at("byte_offset").get_to(warning.byte_offset);
    item.at("stream").get_to(warning.stream);
    item.at("code").get_to(warning.code);
    item.at("expected").get_to(warning.expected);
    item.at("found").get_to(warning.found);
    item.at("hint").get_to(warning.hint);
    item.at("excerpt").get_to(warning.excerpt);
    item.at("excerpt_begin").get_to(warning.excerpt_begin);
    item.at("excerpt_size").get_to(warning.excerpt_size);
  }
  return warnings;
}

}  // namespace sheaf::ctf
