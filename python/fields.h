// Keyword arguments by table. One line per field says its name, its type and default as the stubs print them, and how
// it is read; the signature that Python shows, the refusal of unknown keywords and the assignment all come from the
// table.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "arrays.h"
#include "stiction/math/pose.h"

namespace stiction::python {

// One argument on its way into C++.
struct Argument {
  nb::object value;
  const char* name;
};

// TypeError naming the argument where the value is of another type, ValueError where it has another size.
void read(const Argument& argument, double& to);
void read(const Argument& argument, int& to);
void read(const Argument& argument, std::uint32_t& to);
void read(const Argument& argument, bool& to);
void read(const Argument& argument, std::string& to);
void read(const Argument& argument, Vector3& to);
void read(const Argument& argument, VectorX& to);
void read_numbers(const Argument& argument, double* to, int size);
template <std::size_t size>
void read(const Argument& argument, std::array<double, size>& to) {
  read_numbers(argument, to.data(), size);
}
// (x, y, z, w) of length one.
void read_orientation(const Argument& argument, Matrix3& to);
// One of `names`, by index.
int read_choice(const Argument& argument, const std::vector<std::string>& names);

template <class Options>
struct Field {
  const char* name;
  const char* stub;  // "float = 0.0"
  void (*set)(Options& options, const Argument& argument);
};

template <class Options>
using Fields = std::vector<Field<Options>>;

template <class Options, class Value>
Options owner_of(Value Options::*);

// A field that is a member.
template <auto member>
auto field(const char* name, const char* stub) {
  using Options = decltype(owner_of(member));
  return Field<Options>{name, stub,
                        [](Options& options, const Argument& argument) { read(argument, options.*member); }};
}

// False where the table has no such field.
template <class Options>
bool set_field(const Fields<Options>& fields, Options& options, const Argument& argument) {
  for (const Field<Options>& field : fields) {
    if (std::string_view(field.name) == argument.name) {
      field.set(options, argument);
      return true;
    }
  }
  return false;
}

template <class Options>
std::string list_of(const Fields<Options>& fields) {
  std::string names;
  for (const Field<Options>& field : fields) names += std::string(" ") + field.name;
  return names;
}

[[noreturn]] void refuse_keyword(const char* function, const char* name, const std::string& known);

// Sets what a dictionary names.
template <class Options>
void set_fields(const char* function, const Fields<Options>& fields, Options& options, const nb::dict& values) {
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    if (!set_field(fields, options, {nb::borrow<nb::object>(value), name.c_str()})) {
      refuse_keyword(function, name.c_str(), list_of(fields));
    }
  }
}

// "name: str = '', mass: float = 0.0, …" for a signature.
template <class Options>
std::string stub_of(const Fields<Options>& fields) {
  std::string text;
  for (const Field<Options>& field : fields)
    text += (text.empty() ? "" : ", ") + (field.name + (": " + std::string(field.stub)));
  return text;
}

// Keeps the text for as long as the module lives, which is what nb::sig wants.
const char* keep_text(std::string text);

// An index, or a name that is looked up.
template <class Find>
int index_or_name(const nb::object& value, const char* what, Find&& find) {
  if (nb::isinstance<nb::str>(value)) return find(nb::cast<std::string>(value));
  int index = 0;
  read({value, what}, index);
  return index;
}

}  // namespace stiction::python
