/// \file
/// A data set with a display name, as taken by join() and concatenate().

#pragma once

#include <memory>
#include <string>

#include "sheaf/extend/deserializer.h"

namespace sheaf {

/// A data set and its name.
struct NamedData {
  std::shared_ptr<const Deserializer> data;
  std::string name;  // the name in messages: the path of the file, as the user gave it
};

}  // namespace sheaf
