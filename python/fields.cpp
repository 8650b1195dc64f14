#include "fields.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <deque>

#include "stiction/math/refuse.h"

namespace stiction::python {
namespace {

[[noreturn]] void refuse_type(const Argument& argument, const char* wanted) {
  const std::string found = nb::cast<std::string>(argument.value.type().attr("__name__"));
  throw nb::type_error((std::string(argument.name) + " is of type " + found + "; " + wanted + " is wanted").c_str());
}

template <class Integer>
void read_integer(const Argument& argument, Integer& to) {
  // NumPy's integers count too; numbers with a fraction do not.
  std::int64_t number = 0;
  if (!PyIndex_Check(argument.value.ptr())) refuse_type(argument, "a whole number");
  const nb::object whole = nb::steal(PyNumber_Index(argument.value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  if (!nb::try_cast(whole, number) || number < std::numeric_limits<Integer>::min() ||
      number > std::numeric_limits<Integer>::max()) {
    refuse(argument.name, " is ", nb::cast<std::string>(nb::str(whole)), ", out of range");
  }
  to = static_cast<Integer>(number);
}

}  // namespace

void read(const Argument& argument, double& to) {
  const double number = PyFloat_AsDouble(argument.value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    refuse_type(argument, "a number");
  }
  to = number;
}

void read(const Argument& argument, int& to) {
  read_integer(argument, to);
}

void read(const Argument& argument, std::uint32_t& to) {
  read_integer(argument, to);
}

void read(const Argument& argument, bool& to) {
  const int truth = PyBool_Check(argument.value.ptr()) || PyIndex_Check(argument.value.ptr()) ||
                            nb::hasattr(argument.value, "__bool__")
                        ? PyObject_IsTrue(argument.value.ptr())
                        : -1;
  if (truth < 0) {
    PyErr_Clear();
    refuse_type(argument, "True or False");
  }
  to = truth != 0;
}

void read(const Argument& argument, std::string& to) {
  if (!nb::try_cast(argument.value, to)) refuse_type(argument, "a string");
}

void read(const Argument& argument, Vector3& to) {
  to = to_vector3(argument.value, argument.name);
}

void read(const Argument& argument, VectorX& to) {
  to = to_vector(argument.value, argument.name);
}

void read_numbers(const Argument& argument, double* to, int size) {
  const VectorX numbers = to_vector(argument.value, argument.name);
  if (numbers.size() != size) refuse(argument.name, " has ", numbers.size(), " entries; ", size, " are wanted");
  for (int k = 0; k < size; ++k) to[k] = numbers[k];
}

void read_orientation(const Argument& argument, Matrix3& to) {
  double xyzw[4];
  read_numbers(argument, xyzw, 4);
  const Quaternion q(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  const double length = q.norm();
  if (!(std::abs(length - 1.0) <= 1e-3)) {
    refuse(argument.name, " is (", xyzw[0], ", ", xyzw[1], ", ", xyzw[2], ", ", xyzw[3],
           "); a quaternion (x, y, z, w) of length one is wanted");
  }
  to = q.normalized().toRotationMatrix();
}

int read_choice(const Argument& argument, const std::vector<std::string>& names) {
  std::string name, known;
  read(argument, name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return static_cast<int>(k);
    known += " " + names[k];
  }
  refuse(argument.name, " is '", name, "'; there are:", known);
}

void refuse_keyword(const char* function, const char* name, const std::string& known) {
  throw nb::type_error((std::string(function) + " does not know '" + name + "'; there are:" + known).c_str());
}

const char* keep_text(std::string text) {
  static std::deque<std::string> kept;
  kept.push_back(std::move(text));
  return kept.back().c_str();
}

}  // namespace stiction::python
