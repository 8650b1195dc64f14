#include "stiction/solvers/linear_algebra/dense_delassus.h"

namespace stiction {
namespace {

void fill_from_sparse(const ContactProblem& problem, MatrixX& out) {
  const DelassusSparse& sparse = problem.sparse();
  out.setZero();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& a = problem.constraint(i);
    for (int k = sparse.row_begin[i]; k < sparse.row_begin[i + 1]; ++k) {
      const Constraint& b = problem.constraint(sparse.column[k]);
      for (int c = 0; c < b.rows; ++c) {
        for (int r = 0; r < a.rows; ++r) out(a.first_row + r, b.first_row + c) = sparse.block[k](r, c);
      }
    }
  }
}

void fill_from_factored(const ContactProblem& problem, MatrixX& out) {
  const DelassusFactored& f = problem.factored();
  out.setZero();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int j = 0; j <= i; ++j) {
      const Constraint &a = problem.constraint(i), &b = problem.constraint(j);
      int s = f.segment_begin[i], t = f.segment_begin[j];
      while (s < f.segment_begin[i + 1] && t < f.segment_begin[j + 1]) {  // nodes ascend within a constraint
        if (f.segment_node[s] < f.segment_node[t]) {
          ++s;
        } else if (f.segment_node[s] > f.segment_node[t]) {
          ++t;
        } else {
          for (int c = 0; c < b.rows; ++c) {
            for (int r = 0; r < a.rows; ++r) {
              out(a.first_row + r, b.first_row + c) += sum(f.segment[s].row[r] * f.segment[t].row[c]);
            }
          }
          ++s;
          ++t;
        }
      }
      for (int c = 0; c < b.rows; ++c) {
        for (int r = 0; r < a.rows; ++r) out(b.first_row + c, a.first_row + r) = out(a.first_row + r, b.first_row + c);
      }
    }
  }
}

}  // namespace

void fill_dense(const ContactProblem& problem, MatrixX& out) {
  out.resize(problem.num_rows(), problem.num_rows());
  switch (problem.form()) {
    case DelassusForm::dense:
      out = problem.dense().matrix();
      break;
    case DelassusForm::sparse:
      fill_from_sparse(problem, out);
      break;
    case DelassusForm::factored:
      fill_from_factored(problem, out);
      break;
  }
}

}  // namespace stiction
