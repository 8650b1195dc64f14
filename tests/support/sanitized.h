// Whether a sanitizer is built in: tests that draw many samples then draw fewer, as each costs ten times as much.
#pragma once

#include <cstdlib>

namespace stiction::testing {

#ifdef STICTION_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// How many samples a test draws: `thorough` where the environment has STICTION_THOROUGH, a tenth of the usual under a
// sanitizer.
inline int num_samples(int usual, int thorough) {
  if (std::getenv("STICTION_THOROUGH") != nullptr) return thorough;
  return sanitized ? usual / 10 : usual;
}

// The same where a tenth would say too little: so many under a sanitizer, the usual number without.
constexpr int fewer_sanitized(int usual, int with_sanitizer) {
  return sanitized ? with_sanitizer : usual;
}

}  // namespace stiction::testing
