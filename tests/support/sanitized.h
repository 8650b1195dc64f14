// Whether a sanitizer is built in: tests that draw many samples then draw fewer, as each costs ten times as much.
#pragma once

namespace stiction::testing {

#ifdef STICTION_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace stiction::testing
