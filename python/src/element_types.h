/// \file
/// The types of values, under the names that NumPy and torch have for them.

#pragma once

#include <string_view>

#include "sheaf/types.h"

#include "choice.h"

namespace sheaf::python {

/// Returns the type of numbers that has this name.
///
/// Throws: ConfigError that lists the names.
inline ElementType element_type_named(std::string_view dtype) {
  return choice<ElementType>("dtype", dtype,
                             {{"float32", ElementType::f32},
                              {"float64", ElementType::f64},
                              {"float16", ElementType::f16},
                              {"bfloat16", ElementType::bf16},
                              {"int32", ElementType::i32},
                              {"int64", ElementType::i64},
                              {"uint8", ElementType::u8},
                              {"uint16", ElementType::u16}});
}

/// Returns the name of a type; "bytes" for opaque bytes.
inline std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "uint8";
    case ElementType::u16:
      return "uint16";
    case ElementType::i32:
      return "int32";
    case ElementType::i64:
      return "int64";
    case ElementType::f16:
      return "float16";
    case ElementType::bf16:
      return "bfloat16";
    case ElementType::f32:
      return "float32";
    case ElementType::f64:
      return "float64";
    case ElementType::bytes:
      break;
  }
  return "bytes";
}

}  // namespace sheaf::python
