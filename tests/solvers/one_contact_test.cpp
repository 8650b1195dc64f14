#include "stiction/solvers/sweeps/one_contact.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <random>

#include "../support/sanitized.h"

namespace stiction {
namespace {

using Real = long double;  // residuals are evaluated with 11 more bits than the solution has

// One contact, judged apart from any project code, in the problem scaled to max diag W = 1, max |q| = 1.
//
// `natural` is the largest of ε_p/s, ε_d, ε_c/s with s = max(1, ‖λ̂‖). Rounding λ̂ to doubles alone moves
// σ̂ by u s and, through the de Saxcé term, ⟨λ̂, ẑ⟩ by u s² √(1 + μ²): where W is nearly singular (s up to 1e12) or μ is
// 1e6 no number format of 53 bits can do better. `backward` divides by exactly that: ε_p/s, ε_d/s, ε_c/(s² √(1 + μ²)),
// the residual of a W and q changed in their last places.
struct Score {
  Real natural, backward;
  Real size;      // s
  Real parallel;  // ‖σ̂_T + (‖σ̂_T‖/‖λ̂_T‖) λ̂_T‖ / s where sliding: maximum dissipation
  bool sliding;
};

Score score(const Matrix3& w, const Vector3& q, double mu, const Vector3& impulse) {
  const Real g = w.diagonal().maxCoeff(), v = q.cwiseAbs().maxCoeff();
  Real l[3], s[3];
  for (int i = 0; i < 3; ++i) {
    s[i] = q[i];
    for (int j = 0; j < 3; ++j) s[i] += static_cast<Real>(w(i, j)) * static_cast<Real>(impulse[j]);
    s[i] /= v;
    l[i] = static_cast<Real>(impulse[i]) * g / v;
  }
  const Real m = mu, lt = std::hypot(l[0], l[1]), st = std::hypot(s[0], s[1]), norm = std::hypot(lt, l[2]);
  const Real root = std::sqrt(1 + m * m);
  const Real zn = s[2] + m * st;
  const Real primal = lt <= m * l[2] ? 0 : m * lt <= -l[2] ? norm : (lt - m * l[2]) / root;
  const Real dual = s[2] >= 0 ? 0 : st <= -m * zn ? std::hypot(st, zn) : -s[2] / root;
  const Real work = std::abs(l[0] * s[0] + l[1] * s[1] + l[2] * zn);
  const Real size = std::max<Real>(1, norm);
  Score out;
  out.natural = std::max({primal / size, dual, work / size});
  out.backward = std::max({primal / size, dual / size, work / (size * size * root)});
  out.size = size;
  out.sliding = l[2] > 0 && mu > 0.0 && lt > m * l[2] * (1 - 1e-14L);
  out.parallel = out.sliding ? std::hypot(s[0] + st / lt * l[0], s[1] + st / lt * l[1]) / size : 0;
  if (!std::isfinite(norm + st + s[2])) out.natural = out.backward = INFINITY;
  return out;
}

struct ContactCase {
  Matrix3 w;
  Vector3 q;
  double mu;
};

// All regimes: plain, nearly singular (eigenvalues down to 1e-16), rows scaled by 1e±6, unsymmetric by 1e-3,
// entries 1e±12; μ = 0, moderate, and log-uniform in 1e±6; q plain, badly scaled, and near the edge of sticking.
class OneContactGenerator {
 public:
  explicit OneContactGenerator(unsigned seed) : generator_(seed) {}

  ContactCase make(int i) {
    ContactCase out;
    Matrix3 a;
    for (int k = 0; k < 9; ++k) a.data()[k] = normal_(generator_);
    const Matrix3 gram = a * a.transpose();
    if (i % 5 == 0) {
      out.w = gram;
    } else if (i % 5 == 1) {
      const Matrix3 turn = Eigen::HouseholderQR<Matrix3>(a).householderQ();
      const Vector3 eigenvalues(1.0, power(8.0) * 1e-8, power(8.0) * 1e-8);
      out.w = turn * eigenvalues.asDiagonal() * turn.transpose();
    } else if (i % 5 == 2) {
      const Vector3 rows(power(6.0), power(6.0), power(6.0));
      out.w = rows.asDiagonal() * gram * rows.asDiagonal();
    } else if (i % 5 == 3) {
      out.w = gram + 1e-2 * gram.trace() * Matrix3::Identity();
    } else {
      out.w = (gram + Matrix3::Identity()) * power(12.0);
    }
    out.w = (0.5 * (out.w + out.w.transpose())).eval();
    if (i % 5 == 3) {
      for (int k = 0; k < 9; ++k) out.w.data()[k] *= 1.0 + 1e-3 * uniform();
    }
    out.mu = i % 11 == 0 ? 0.0 : i % 3 == 1 ? 1.0 + uniform() : power(6.0);
    out.q = Vector3(uniform(), uniform(), uniform());
    if (uniform() < 0.6) out.q[2] = -std::abs(out.q[2]);
    if (i % 7 == 0) out.q = Vector3(out.q[0] * power(6.0), out.q[1] * power(6.0), out.q[2] * power(6.0));
    if (i % 13 == 0) out.q = -(out.w * Vector3(out.mu * uniform(), out.mu * uniform(), 1.0));
    return out;
  }

  double uniform() { return uniform_(generator_); }
  double power(double decades) { return std::pow(10.0, decades * uniform()); }

 private:
  std::mt19937_64 generator_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
  std::normal_distribution<double> normal_;
};

TEST(OneContact, MillionRandomProblems) {
  constexpr int count = testing::sanitized ? 50000 : 1000000;
  OneContactGenerator generator(2024);
  Real worst = 0, worst_natural = 0, worst_parallel = 0;
  int judged_naturally = 0, sliding = 0, open = 0;
  for (int i = 0; i < count; ++i) {
    const ContactCase p = generator.make(i);
    const Vector3 impulse = solve_one_contact(p.w, p.q, p.mu);
    const Score e = score(p.w, p.q, p.mu, impulse);
    worst = std::max(worst, e.backward);
    worst_parallel = std::max(worst_parallel, e.parallel);
    sliding += e.sliding;
    open += impulse.isZero();
    if (e.size * std::max(1.0, p.mu) <= 1e3) {
      ++judged_naturally;
      worst_natural = std::max(worst_natural, e.natural);
    }
    ASSERT_LE(e.backward, 1e-12L) << "problem " << i << "\nW\n" << p.w << "\nq " << p.q.transpose() << " mu " << p.mu;
  }
  EXPECT_LE(worst, 1e-14L);
  EXPECT_LE(worst_natural, 1e-12L);
  EXPECT_LE(worst_parallel, 1e-11L);
  // Every regime is met, and plain ε_nat judges the majority.
  EXPECT_GT(judged_naturally, 0.6 * count);
  EXPECT_GT(sliding, 0.3 * count);
  EXPECT_GT(open, 0.05 * count);
  EXPECT_GT(count - sliding - open, 0.2 * count);
}

TEST(OneContact, ScoreSeesAPerturbedSolution) {
  const Matrix3 w = Matrix3::Identity();
  const Vector3 q(-1.0, 0.0, -1.0);
  Vector3 impulse = solve_one_contact(w, q, 0.5);
  EXPECT_LE(score(w, q, 0.5, impulse).backward, 1e-16L);
  impulse[1] += 1e-6;
  EXPECT_GT(score(w, q, 0.5, impulse).natural, 1e-14L);
  EXPECT_GT(score(w, q, 0.5, impulse).parallel, 1e-7L);
  impulse[1] = 0.0;
  impulse[2] += 1e-6;
  EXPECT_GT(score(w, q, 0.5, impulse).natural, 1e-7L);
}

TEST(OneContact, ClosedForms) {
  const Matrix3 w = Vector3(2.0, 2.0, 4.0).asDiagonal();
  EXPECT_TRUE(solve_one_contact(w, Vector3(1.0, 1.0, 0.0), 0.5).isZero());                              // take-off
  EXPECT_TRUE(solve_one_contact(w, Vector3(0.2, 0.0, -4.0), 0.5).isApprox(Vector3(-0.1, 0.0, 1.0)));    // stick
  EXPECT_TRUE(solve_one_contact(w, Vector3(3.0, -4.0, -4.0), 0.5).isApprox(Vector3(-0.3, 0.4, 1.0)));   // slide
  EXPECT_TRUE(solve_one_contact(w, Vector3(3.0, -4.0, -4.0), 0.0).isApprox(Vector3(0.0, 0.0, 1.0)));    // μ = 0
  EXPECT_TRUE(solve_one_contact(w, Vector3(0.0, 0.0, -4.0), 1e-300).isApprox(Vector3(0.0, 0.0, 1.0)));  // head on
  EXPECT_TRUE(solve_one_contact(w, Vector3(3.0, -4.0, -4.0), 1e-300).isApprox(Vector3(0.0, 0.0, 1.0)));
}

// A planar mechanism cannot move along t2 at all; a contact that cannot move along n has no remedy.
TEST(OneContact, DirectionsWithoutInertia) {
  Matrix3 w = Matrix3::Zero();
  w(0, 0) = 2.0;
  w(2, 2) = 4.0;
  w(0, 2) = w(2, 0) = 1.0;
  for (double mu : {0.05, 0.5, 5.0}) {
    const Vector3 q(1.0, 0.0, -1.0);
    const Vector3 impulse = solve_one_contact(w, q, mu);
    EXPECT_LE(score(w, q, mu, impulse).natural, 1e-15L) << mu;
    EXPECT_EQ(impulse[1], 0.0);
  }
  EXPECT_TRUE(solve_one_contact(Matrix3::Zero(), Vector3(1.0, 0.0, -1.0), 0.5).isZero());
  Matrix3 normal_only = Matrix3::Zero();
  normal_only(2, 2) = 1.0;
  const Vector3 impulse = solve_one_contact(normal_only, Vector3(1.0, 1.0, -1.0), 0.5);
  EXPECT_LE(score(normal_only, Vector3(1.0, 1.0, -1.0), 0.5, impulse).natural, 1e-15L);
}

// Strong coupling and friction can give up to three sliding solutions; no root may lie below the one taken.
TEST(OneContact, TakesTheSmallestRoot) {
  OneContactGenerator generator(7);
  int sliding = 0;
  for (int i = 0; i < 20000; ++i) {
    ContactCase p = generator.make(5 * i);
    p.mu = generator.power(1.0);
    p.q[2] = -std::abs(p.q[2]) * 0.1;
    const OneContactBlock block(p.w);
    Vector3 impulse;
    double alpha = 0.0;
    solve_one_contact(block, p.q.data(), p.mu, impulse.data(), alpha);
    if (alpha == 0.0) continue;
    ++sliding;
    const Vector2 reduced(p.q[0] - block.w_1n * p.q[2], p.q[1] - block.w_2n * p.q[2]);
    Matrix2 s;
    s << block.s_11, block.s_12, block.s_21, block.s_22;
    for (int k = 1; k < 60; ++k) {
      const double a = alpha * (1.0 - std::pow(0.8, k));
      const Vector2 t = -(s + a * Matrix2::Identity()).inverse() * reduced;
      const double n = -(p.q[2] + block.w_n1 * t[0] + block.w_n2 * t[1]) / block.w_nn;
      ASSERT_GT(t.norm() - p.mu * n, -1e-9 * t.norm()) << "problem " << i << " has a root below " << alpha;
    }
  }
  EXPECT_GT(sliding, 5000);
}

TEST(OneContact, GuessOfTheRootChangesNothing) {
  OneContactGenerator generator(3);
  for (int i = 0; i < 10000; ++i) {
    const ContactCase p = generator.make(5 * i);
    const OneContactBlock block(p.w);
    Vector3 cold, warm;
    double alpha = 0.0;
    solve_one_contact(block, p.q.data(), p.mu, cold.data(), alpha);
    double guess = alpha * (1.0 + 0.3 * generator.uniform());
    solve_one_contact(block, p.q.data(), p.mu, warm.data(), guess);
    EXPECT_NEAR(guess, alpha, 1e-9 * alpha + 1e-14 * block.trace);
    ASSERT_LE(score(p.w, p.q, p.mu, warm).backward, 1e-14L);
  }
}

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

TEST(OneContact, FastPathFindsTheSameFromAnyPresentImpulse) {
  OneContactGenerator generator(5);
  int sliding = 0, sticking = 0, inexact = 0;
  for (int i = 0; i < 20000; ++i) {
    ContactCase p = generator.make(15 * i);  // plain W, moderate q
    p.mu = 1.0 + generator.uniform();
    OneContact contact;
    Eigen::Map<RowMajor3>(contact.w) = p.w;
    const Vector3 now(generator.uniform(), generator.uniform(), 1.0 + generator.uniform());
    const Vector3 sigma = p.q + p.w * now;
    Vector3 first, again;
    contact.prepare(now.data(), sigma.data());
    contact.solve(p.mu, now.data(), sigma.data(), first.data());
    const Vector3 sigma_first = p.q + p.w * first;
    contact.solve(p.mu, first.data(), sigma_first.data(), again.data());  // with the root of the first visit
    const Score e = score(p.w, p.q, p.mu, again);
    // The last step of Newton is taken by its derivative, and W⁻¹ of a nearly singular block loses digits by its
    // condition: the second visit finds them.
    const Vector3 eigenvalues = p.w.selfadjointView<Eigen::Lower>().eigenvalues();
    const Real condition = eigenvalues[2] / eigenvalues[0], start = score(p.w, p.q, p.mu, first).backward;
    ASSERT_LE(start, std::max(2e-10L, 1e-15L * condition)) << i;
    ASSERT_LE(e.backward, 1e-12L) << i;
    inexact += start > 1e-11L;
    sliding += e.sliding;
    sticking += !e.sliding && again[2] > 0.0;
  }
  EXPECT_LE(inexact, 15);
  EXPECT_GT(sliding, 4000);
  EXPECT_GT(sticking, 1000);
}

TEST(InvertBlock, RegularBlocksHaveTheirInverse) {
  OneContactGenerator generator(6);
  for (int i = 0; i < 1000; ++i) {
    const RowMajor3 w = generator.make(5 * i + 4).w;
    RowMajor3 inverse;
    ASSERT_TRUE(invert_block(w.data(), inverse.data()));
    EXPECT_LE((w * inverse - RowMajor3::Identity()).norm(), 1e-9) << w;
  }
}

// λ ← λ − inverse σ makes σ = 0 wherever an impulse can do that, in one visit, and does not answer to the rest.
TEST(InvertBlock, SingularBlocksAreSolvedWhereTheyCanBe) {
  OneContactGenerator generator(7);
  for (int rank = 0; rank <= 2; ++rank) {
    for (int i = 0; i < 1000; ++i) {
      Eigen::Matrix<double, 3, Eigen::Dynamic> a(3, rank);
      for (int k = 0; k < 3 * rank; ++k) a.data()[k] = generator.uniform();
      const double scale = generator.power(6.0);
      const RowMajor3 w = scale * (a * a.transpose());
      RowMajor3 inverse;
      EXPECT_FALSE(invert_block(w.data(), inverse.data()));
      const Vector3 sigma = w * Vector3(generator.uniform(), generator.uniform(), generator.uniform());
      EXPECT_LE((sigma - w * (inverse * sigma)).norm(), 1e-6 * sigma.norm()) << w;
      EXPECT_TRUE(rank > 0 || inverse.isZero(0.0));
      const Vector3 contradiction(generator.uniform(), generator.uniform(), generator.uniform());
      EXPECT_LE(scale * (inverse * contradiction).norm(), 1e12) << w;
    }
  }
}

TEST(InvertBlock, ADirectionWithoutInertiaIsLeftAlone) {
  RowMajor3 w, inverse;
  w << 2.0, 1e-17, 0.5, 1e-17, 3e-17, 1e-17, 0.5, 1e-17, 1.0;
  EXPECT_FALSE(invert_block(w.data(), inverse.data()));
  EXPECT_TRUE(inverse.row(1).isZero(0.0) && inverse.col(1).isZero(0.0));
  const Vector3 left = Vector3(1.0, 1.0, 1.0) - w * (inverse * Vector3(1.0, 1.0, 1.0));
  EXPECT_LE(std::abs(left[0]) + std::abs(left[2]), 1e-15);
}

}  // namespace
}  // namespace stiction
