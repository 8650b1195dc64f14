// The built page in the read-only data of the program, put there by the assembler: no compiler parses it.
#include "stiction/viewer/page.h"

asm(R"(
  .pushsection .rodata
  .globl stiction_page_begin
  .globl stiction_page_end
  .hidden stiction_page_begin
  .hidden stiction_page_end
stiction_page_begin:
  .incbin ")" STICTION_PAGE R"("
stiction_page_end:
  .popsection
)");

extern "C" const char stiction_page_begin[];
extern "C" const char stiction_page_end[];

namespace stiction {

std::string_view page_template() {
  return {stiction_page_begin, stiction_page_end};
}

}  // namespace stiction
