// G as a dense matrix in the caller's memory, whatever form the problem has; for the methods that need all of it.
#pragma once

#include "stiction/contact/problem.h"

namespace stiction {

// out = G. Allocates only where `out` changes its size. Symmetric to the last bit where the form is factored.
void fill_dense(const ContactProblem& problem, MatrixX& out);

}  // namespace stiction
