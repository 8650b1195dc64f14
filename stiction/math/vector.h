// A vector of doubles that keeps its memory: resizing allocates only beyond the largest size so far, so that a solver
// or a simulator that meets sizes it has met before allocates nothing. In expressions it is an Eigen vector.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace stiction {

class VectorX : public Eigen::Map<Eigen::VectorXd> {
 public:
  using Base = Eigen::Map<Eigen::VectorXd>;
  using Index = Eigen::Index;

  VectorX() : Base(nullptr, 0) {}
  explicit VectorX(Index size) : VectorX() { resize(size); }
  VectorX(const VectorX& other) : VectorX() { *this = other; }
  VectorX(VectorX&& other) noexcept : VectorX() { swap(other); }
  template <class Derived>
  VectorX(const Eigen::DenseBase<Derived>& expression) : VectorX() {  // NOLINT: a vector is made of any expression
    *this = expression;
  }

  VectorX& operator=(const VectorX& other) {
    if (this == &other) return *this;
    resize(other.size());
    std::copy(other.data(), other.data() + other.size(), data());
    return *this;
  }
  VectorX& operator=(VectorX&& other) noexcept {
    swap(other);
    return *this;
  }
  // The expression may contain this vector at its present size; at another size it must not.
  template <class Derived>
  VectorX& operator=(const Eigen::DenseBase<Derived>& expression) {
    resize(expression.size());
    Base::operator=(expression.derived());
    return *this;
  }

  // Afterwards the entries are whatever the memory holds.
  void resize(Index size) {
    if (size > capacity_) grow(size);
    point_at(storage_.get(), size);
  }
  void conservativeResize(Index size) {
    const Index before = this->size();
    if (size > capacity_) {
      VectorX larger(size);
      std::copy(data(), data() + before, larger.data());
      swap(larger);
    }
    point_at(storage_.get(), size);
  }
  using Base::setConstant;
  using Base::setOnes;
  using Base::setZero;
  VectorX& setZero(Index size) {
    resize(size);
    Base::setZero();
    return *this;
  }
  VectorX& setOnes(Index size) {
    resize(size);
    Base::setOnes();
    return *this;
  }
  VectorX& setConstant(Index size, double value) {
    resize(size);
    Base::setConstant(value);
    return *this;
  }

  // As Eigen's own, assignment through it resizes.
  class NoAlias {
   public:
    explicit NoAlias(VectorX& vector) : vector_(vector) {}
    template <class Derived>
    VectorX& operator=(const Eigen::MatrixBase<Derived>& expression) {
      vector_.resize(expression.rows());
      static_cast<Base&>(vector_).noalias() = expression.derived();
      return vector_;
    }
    template <class Derived>
    VectorX& operator+=(const Eigen::MatrixBase<Derived>& expression) {
      static_cast<Base&>(vector_).noalias() += expression.derived();
      return vector_;
    }
    template <class Derived>
    VectorX& operator-=(const Eigen::MatrixBase<Derived>& expression) {
      static_cast<Base&>(vector_).noalias() -= expression.derived();
      return vector_;
    }

   private:
    VectorX& vector_;
  };
  NoAlias noalias() { return NoAlias(*this); }

  void swap(VectorX& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(capacity_, other.capacity_);
    const Index own = size();
    point_at(storage_.get(), other.size());
    other.point_at(other.storage_.get(), own);
  }

 private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };

  void grow(Index size) {
    const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(double) + 63) / 64 * 64;
    auto* memory = static_cast<double*>(std::aligned_alloc(64, bytes));
    if (!memory) throw std::bad_alloc();
    storage_.reset(memory);
    capacity_ = size;
  }
  void point_at(double* memory, Index size) { new (static_cast<Base*>(this)) Base(memory, size); }

  std::unique_ptr<double[], Free> storage_;
  Index capacity_ = 0;
};

inline void swap(VectorX& a, VectorX& b) noexcept {
  a.swap(b);
}

}  // namespace stiction
