// A loop over contacts whose iterations are independent: the compiler may run several at once without proving it.
#pragma once

#if defined(__clang__)
#define STICTION_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define STICTION_VECTORISE _Pragma("GCC ivdep")
#endif
