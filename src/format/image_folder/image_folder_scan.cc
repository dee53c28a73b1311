// The walk visits folders in the order of their paths, in which "cat-fish/" precedes "cat/".
// Classes are sorted by name alone, as in other programs, so they get their ids at the end.

#include "format/image_folder/image_folder_scan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/types.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/image_folder/image_folder_errors.h"
#include "format/image_folder/image_folder_frames.h"
#include "index/index_file.h"

namespace sheaf::image_folder {
namespace {

constexpr std::array<std::string_view, 4> kExtensions = {".jpg", ".jpeg", ".png", ".webp"};
constexpr std::size_t kIdentityBytes = std::size_t{64} << 10;  // bytes to hash at a time

bool is_equal_letter(char given, char small) noexcept {
  return given == small || (given >= 'A' && given <= 'Z' && given - 'A' + 'a' == small);
}

void note(CountedPaths& paths, std::string path) {
  if (paths.count++ == 0) paths.first = std::move(path);
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string joined(const std::string& root, std::string_view path) {
  std::string text = root;
  if (!text.ends_with('/')) text += '/';
  text += path;
  return text;
}

/// Hashes a text of any length.
class LongHash {
 public:
  void add(std::string_view part) {
    text_ += part;
    if (text_.size() < kIdentityBytes) return;
    text_ = to_string(key_of_text(text_));
  }
  [[nodiscard]] SequenceKey result() const { return key_of_text(text_); }

 private:
  std::string text_;
};

/// A class of a root during the walk.
struct FoundClass {
  std::string name;
  bool has_images = false;
};

class Scanner {
 public:
  Scanner(FileSystem& files, ScanRules rules)
      : files_(files),
        has_names_(!rules.class_names.empty()),
        frames_([this](std::string_view folder, const std::vector<Frame>& frames) {
          take_frames(folder, frames);
        }) {
    scan_.class_names = std::move(rules.class_names);
    scan_.joins_frames = rules.joins_frames;
    for (const std::string& name : scan_.class_names) {
      ids_.emplace(name, static_cast<std::int32_t>(ids_.size()));
    }
  }

  void scan_root(const std::string& folder) {
    const std::string root = without_slash(folder);
    if (!known_roots_.insert(root).second) {
      throw ConfigError(formatted("{}: named twice; a data set has each folder once", root));
    }
    scan_.roots.push_back(root);
    classes_.clear();
    const std::int64_t first = builder_.count();
    const std::int64_t other_count = scan_.other_files.count;
    builder_.begin_root();
    listing_ = {};
    images_bytes_ = 0;
    hash_.add("\n");
    files_.visit_tree(folder, [&](const TreeEntry& entry) { visit(root, entry); });
    frames_.finish();
    scan_.root_images.push_back(
        {.first_image = first,
         .image_count = builder_.count() - first,
         .listing = {.size_bytes = images_bytes_, .hash = listing_.result().low}});
    if (builder_.count() == first) throw_empty(root, scan_.other_files.count - other_count);
    set_classes(root);
  }

  FolderScan finish() {
    if (scan_.joins_frames) {
      frame_begins_.push_back(builder_.count());
      scan_.frame_begins = frame_begins_.finish();
    }
    scan_.paths = builder_.finish();
    for (const std::string& root : scan_.roots) {
      if (scan_.roots.size() > 1) hash_.add(formatted("{}\n", root));
    }
    for (const std::string& name : scan_.class_names) hash_.add(formatted("{}\n", name));
    scan_.identity = to_string(hash_.result());
    for (std::int64_t folder = 0; folder < scan_.paths.folder_count(); ++folder) {
      scan_.folder_classes.push_back(id_of(scan_.paths.folder_path(folder)));
    }
    return std::move(scan_);
  }

 private:
  void visit(const std::string& root, const TreeEntry& entry) {
    const std::size_t slash = entry.path.find('/');
    if (entry.is_folder) {
      if (slash == std::string_view::npos) static_cast<void>(class_named(entry.path));
      return;
    }
    if (internal::is_index_path(entry.path)) return;  // the index of a folder or file in the root
    if (!is_image_name(entry.path)) {
      note(scan_.other_files, joined(root, entry.path));
      return;
    }
    if (slash == std::string_view::npos) {
      note(scan_.without_class, joined(root, entry.path));
    } else {
      class_named(entry.path.substr(0, slash)).has_images = true;
      const bool has_clip = entry.path.find('/', slash + 1) != std::string_view::npos;
      if (scan_.joins_frames && !has_clip) note(scan_.without_clip, joined(root, entry.path));
    }
    if (scan_.joins_frames) {
      frames_.add(entry.path, entry.size_bytes);
    } else {
      builder_.push_back(entry.path, entry.size_bytes);
    }
    hash_.add(formatted("{} {}\n", entry.size_bytes, entry.path));
    listing_.add(formatted("{} {} {}\n", entry.size_bytes, entry.modified_ns, entry.path));
    images_bytes_ = internal::saturated_sum(images_bytes_, entry.size_bytes);
  }

  void take_frames(std::string_view folder, const std::vector<Frame>& frames) {
    frame_begins_.push_back(builder_.count());
    const Frame* before = nullptr;  // the first frame with the number of the last one
    std::int64_t number = 0;        // number of the image `before`
    for (const Frame& frame : frames) {
      const std::int64_t image = builder_.count();
      const bool is_repeated = before != nullptr && before->number == frame.number;
      if (!frame.number) {
        scan_.frame_faults.push_back({.image = image});
      } else if (is_repeated) {
        scan_.frame_faults.push_back({.image = image, .other = number});
      } else {
        before = &frame;
        number = image;
      }
      builder_.push_back(std::string(folder) + frame.name, frame.size_bytes);
    }
  }

  // Returns the class of the folder being walked.
  [[nodiscard]] FoundClass& class_named(std::string_view name) {
    if (classes_.empty() || classes_.back().name != name) {
      classes_.push_back({.name = std::string(name)});
    }
    return classes_.back();
  }

  [[noreturn]] static void throw_empty(const std::string& root, std::int64_t other_count) {
    throw DataError({diagnostic_of_path(
        root, kEmpty,
        other_count == 0 ? "no file" : formatted("other files alone: {}", other_count))});
  }

  void set_classes(const std::string& root) {
    for (const FoundClass& each : classes_) {
      if (!each.has_images) note(scan_.empty_classes, joined(root, each.name));
    }
    std::ranges::sort(classes_, {}, &FoundClass::name);
    if (has_names_) {
      check_known(root);
    } else if (scan_.roots.size() == 1) {
      for (const FoundClass& each : classes_) {
        ids_.emplace(each.name, static_cast<std::int32_t>(ids_.size()));
        scan_.class_names.push_back(each.name);
      }
    } else {
      check_equal(root);
    }
  }

  void check_known(const std::string& root) {
    for (const FoundClass& each : classes_) {
      if (ids_.contains(each.name)) continue;
      fail(diagnostic_of_path(joined(root, each.name), kUnknownClass, quoted(each.name)));
      return;
    }
  }

  void check_equal(const std::string& root) {
    const auto [own, other] =
        std::ranges::mismatch(classes_, scan_.class_names, {}, &FoundClass::name);
    if (own == classes_.end() && other == scan_.class_names.end()) return;
    const bool is_missing =
        own == classes_.end() || (other != scan_.class_names.end() && *other < own->name);
    Diagnostic fault = diagnostic_of_path(
        root, kOtherClasses,
        is_missing
            ? formatted("no folder {}, which {} has", quoted(*other), scan_.roots.front())
            : formatted("a folder {}, which {} lacks", quoted(own->name), scan_.roots.front()));
    fault.hint = "image_folder.class_names=FILE gives all folders the same classes";
    fail(std::move(fault));
  }

  void fail(Diagnostic fault) {
    if (!scan_.class_fault) scan_.class_fault = std::move(fault);
  }

  [[nodiscard]] std::int32_t id_of(std::string_view folder_path) const {
    const auto found = ids_.find(folder_path.substr(0, folder_path.find('/')));
    return found == ids_.end() ? FolderScan::kNoClass : found->second;
  }

  FileSystem& files_;
  const bool has_names_;
  FolderScan scan_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
  std::set<std::string> known_roots_;
  ImagePaths::Builder builder_;
  FrameGatherer frames_;
  PackedInts::Builder frame_begins_;
  LongHash hash_;

  // Members about the current root.
  LongHash listing_;
  std::int64_t images_bytes_ = 0;
  std::vector<FoundClass> classes_;
};

}  // namespace

bool is_image_name(std::string_view name) noexcept {
  return std::ranges::any_of(kExtensions, [&](std::string_view extension) {
    return name.size() > extension.size() &&
           std::ranges::equal(name.substr(name.size() - extension.size()), extension,
                              is_equal_letter);
  });
}

std::string FolderScan::file_path(std::int64_t image) const {
  const std::int64_t root = paths.root(paths.folder(image));
  return joined(roots[static_cast<std::size_t>(root)], paths.path(image));
}

std::int64_t FolderScan::size_bytes(std::int64_t sequence) const noexcept {
  std::int64_t size = 0;
  const std::int64_t last = first_image(sequence + 1);
  for (std::int64_t image = first_image(sequence); image < last; ++image) {
    size = internal::saturated_sum(size, paths.size_bytes(image));
  }
  return size;
}

std::string FolderScan::sequence_path(std::int64_t sequence) const {
  std::string path = file_path(first_image(sequence));
  if (joins_frames) path.resize(path.find_last_of('/'));
  return path;
}

std::string FolderScan::key_text(std::int64_t sequence) const {
  if (roots.size() > 1) return sequence_path(sequence);
  if (!joins_frames) return paths.path(sequence);
  std::string_view folder = paths.folder_path(paths.folder(first_image(sequence)));
  if (!folder.empty()) folder.remove_suffix(1);
  return std::string(folder);
}

std::int64_t FolderScan::key_size(std::int64_t sequence) const noexcept {
  const std::int64_t image = first_image(sequence);
  const std::int64_t size =
      joins_frames
          ? std::max<std::int64_t>(0, std::ssize(paths.folder_path(paths.folder(image))) - 1)
          : paths.path_size(image);
  if (roots.size() == 1) return size;
  const std::int64_t root = paths.root(paths.folder(image));
  return size + 1 + std::ssize(roots[static_cast<std::size_t>(root)]);
}

std::int64_t FolderScan::memory_bytes() const noexcept {
  std::int64_t bytes = paths.memory_bytes();
  for (const auto* const texts : {&roots, &class_names}) {
    for (const std::string& each : *texts) {
      bytes += static_cast<std::int64_t>(sizeof(std::string) + each.capacity());
    }
  }
  bytes += static_cast<std::int64_t>(frame_faults.capacity() * sizeof(FrameFault));
  bytes += frame_begins.size_bytes();
  return bytes + static_cast<std::int64_t>(folder_classes.capacity() * sizeof(std::int32_t));
}

FolderScan scan_folders(std::span<const std::string> folders, ScanRules rules, FileSystem& files) {
  Scanner scanner(files, std::move(rules));
  for (const std::string& folder : folders) scanner.scan_root(folder);
  return scanner.finish();
}

Diagnostic diagnostic_of_path(std::string path, const internal::ErrorKind& kind,
                              std::string found) {
  Diagnostic diagnostic;
  diagnostic.path = std::move(path);
  diagnostic.byte_offset = Diagnostic::kNoOffset;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  return diagnostic;
}

}  // namespace sheaf::image_folder
