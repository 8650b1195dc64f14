// EXPECT_REFUSED(statement, part): it throws std::invalid_argument, and the message has `part` in it.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#define EXPECT_REFUSED(statement, part)                                                    \
  do {                                                                                     \
    std::string refusal_;                                                                  \
    try {                                                                                  \
      (void)(statement);                                                                   \
      ADD_FAILURE() << "not refused: " #statement;                                         \
    } catch (const std::invalid_argument& e) {                                             \
      refusal_ = e.what();                                                                 \
      EXPECT_NE(refusal_.find(part), std::string::npos) << "the message is: " << refusal_; \
    }                                                                                      \
  } while (false)
