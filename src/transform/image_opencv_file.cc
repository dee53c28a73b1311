#include "transform/image_opencv_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kRoot = "opencv_storage";

std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// Takes a word off the front. Returns an empty word at the end.
std::string_view taken_word(std::string_view& left) {
  left.remove_prefix(std::min(left.find_first_not_of(kSpace), left.size()));
  const std::string_view word = left.substr(0, left.find_first_of(kSpace));
  left.remove_prefix(word.size());
  return word;
}

template <typename T>
std::optional<T> all_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string option_file_text(const TransformRequest& request, const OptionValues& values) {
  if (values.text("file").empty()) throw ConfigError("file is needed");
  if (!request.read_file) throw ConfigError("file: there are no files here");
  return request.read_file(std::string(values.text("file")));
}

OpencvFile::OpencvFile(std::string_view text, std::string name)
    : name_(std::move(name)), text_(text) {
  parse(text_);
  const auto root = std::ranges::find(nodes_, std::size_t{0}, &Node::parent);
  if (root == nodes_.end() || root->tag != kRoot) {
    refuse(1, "an XML file of OpenCV, whose first element is <opencv_storage>",
           root == nodes_.end() ? "no element" : formatted("<{}>", root->tag));
  }
}

void OpencvFile::refuse(std::int64_t line, std::string_view expected,
                        std::string_view found) const {
  throw ConfigError(formatted("{}: line {}: expected {}, found {}", name_, line, expected, found));
}

// Node number n is nodes_[n - 1]. The first node has the parent 0.
void OpencvFile::parse(std::string_view text) {
  std::vector<std::size_t> open;
  std::int64_t line = 1;
  std::size_t at = 0;
  const auto go_to = [&](std::size_t end) {
    line += std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                       text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    at = end;
  };
  // Moves behind the next `mark`, which must exist.
  const auto pass = [&](std::string_view mark) {
    const std::size_t end = text.find(mark, at);
    if (end == std::string_view::npos) refuse(line, mark, "the end of the file");
    go_to(end + mark.size());
    return end;
  };
  while (at < text.size()) {
    const std::size_t tag = std::min(text.find('<', at), text.size());
    if (!open.empty()) nodes_[open.back() - 1].text += text.substr(at, tag - at);
    go_to(tag);
    if (at == text.size()) break;
    if (text.substr(at, 4) == "<!--") {
      pass("-->");
      continue;
    }
    if (text.substr(at, 2) == "<?" || text.substr(at, 2) == "<!") {
      pass(">");
      continue;
    }
    const std::size_t begin = at + 1;
    const std::int64_t line_of_tag = line;
    const std::string_view inside = text.substr(begin, pass(">") - begin);
    const std::string_view name = without_space(inside.substr(inside.starts_with('/') ? 1 : 0));
    if (inside.starts_with('/')) {
      if (open.empty() || nodes_[open.back() - 1].tag != name) {
        refuse(line_of_tag,
               open.empty() ? "no more tags" : formatted("</{}>", nodes_[open.back() - 1].tag),
               quoted(formatted("</{}>", name)));
      }
      open.pop_back();
      continue;
    }
    Node node{.tag = name.substr(0, name.find_first_of(" \t\r\n/")),
              .text = {},
              .parent = open.empty() ? 0 : open.back(),
              .line = line_of_tag};
    nodes_.push_back(std::move(node));
    if (!inside.ends_with('/')) open.push_back(nodes_.size());
  }
  if (!open.empty()) {
    refuse(line, formatted("</{}>", nodes_[open.back() - 1].tag), "the end of the file");
  }
}

const OpencvFile::Node& OpencvFile::child(std::size_t parent, std::string_view tag) const {
  for (const Node& node : nodes_) {
    if (node.parent == parent && node.tag == tag) return node;
  }
  const Node& in = nodes_[parent - 1];
  refuse(in.line, formatted("<{}> in <{}>", tag, in.tag), "none");
}

std::int64_t OpencvFile::whole_of(const Node& node, std::int64_t min) const {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const std::string_view text = without_space(node.text);
  const std::optional<double> value = all_of<double>(text);
  if (value && *value >= static_cast<double>(min) && *value <= static_cast<double>(kMax) &&
      *value == std::floor(*value)) {
    return static_cast<std::int64_t>(*value);
  }
  refuse(node.line, formatted("a whole number from {} in <{}>", min, node.tag), quoted(text));
}

std::int64_t OpencvFile::whole(std::string_view node) const { return whole_of(child(1, node), 1); }

// Reads the type of the values, such as "f", or "3f" for three channels.
std::int64_t OpencvFile::channels_of(const Node& type) const {
  constexpr std::int64_t kChannelsMax = 512;
  std::string_view text = without_space(type.text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {  // "3f" is in quotes
    text = text.substr(1, text.size() - 2);
  }
  std::string_view count = text.substr(0, text.find_first_not_of("0123456789"));
  const std::string_view letter = text.substr(count.size());
  if (count.empty()) count = "1";
  const std::optional<std::int64_t> channels = all_of<std::int64_t>(count);
  if (letter.size() != 1 || std::string_view("ucwsifdh").find(letter) == std::string_view::npos ||
      !channels || *channels < 1 || *channels > kChannelsMax) {
    refuse(type.line, "a type such as f, d, u or 3f in <dt>", quoted(text));
  }
  return *channels;
}

OpencvMatrix OpencvFile::matrix(std::string_view node) const {
  const Node& found = child(1, node);
  const auto number = static_cast<std::size_t>(&found - nodes_.data()) + 1;
  OpencvMatrix matrix{.rows = whole_of(child(number, "rows"), 0),
                      .columns = whole_of(child(number, "cols"), 0),
                      .channels = channels_of(child(number, "dt"))};
  const Node& data = child(number, "data");
  std::string_view left = data.text;
  for (std::string_view word = taken_word(left); !word.empty(); word = taken_word(left)) {
    const std::optional<double> value = all_of<double>(word);
    if (!value || !std::isfinite(*value)) {
      refuse(data.line, formatted("numbers in <data> of <{}>", node), quoted(word));
    }
    matrix.values.push_back(*value);
  }
  const std::int64_t count =
      saturated_product(saturated_product(matrix.rows, matrix.columns), matrix.channels);
  if (count != std::ssize(matrix.values)) {
    refuse(data.line,
           formatted("{} numbers in <data> of <{}>, as rows, cols and dt say", count, node),
           std::to_string(matrix.values.size()));
  }
  return matrix;
}

}  // namespace sheaf::internal
