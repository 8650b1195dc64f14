# Code blocks of README.md and docs/ (blocks.py says which, and how): C++ as one program for each page, lines that call the
# command, and the checks of the tools themselves. tests/python/test_docs.py runs the Python blocks.
set(blocks ${CMAKE_CURRENT_LIST_DIR}/blocks.py)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages})  # a page may get its first block
execute_process(COMMAND ${Python3_EXECUTABLE} ${blocks} list-cpp
  OUTPUT_VARIABLE cpp_pages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" cpp_pages "${cpp_pages}")

# Blocks read scenes/ and write files: each program runs in a folder of its own.
foreach(page ${cpp_pages})
  string(REGEX REPLACE "^docs/|\\.md$" "" name ${page})
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name ${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/blocks_${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${Python3_EXECUTABLE} ${blocks} cpp ${page} ${source} DEPENDS ${PROJECT_SOURCE_DIR}/${page} ${blocks})
  add_executable(blocks_${name} ${source})
  target_link_libraries(blocks_${name} PRIVATE stiction_io stiction_render)
  target_compile_options(blocks_${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  stiction_precompile(blocks_${name} command)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/blocks/${name})
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/scenes ${folder}/scenes SYMBOLIC)
  add_test(NAME docs_${name} COMMAND blocks_${name} WORKING_DIRECTORY ${folder})
endforeach()

add_test(NAME docs_blocks COMMAND ${Python3_EXECUTABLE} ${blocks} check)
add_test(NAME docs_blocks_self_test COMMAND ${Python3_EXECUTABLE} ${blocks} --self-test)
add_test(NAME docs_pages COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_pages.py)
add_test(NAME docs_pages_self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_pages.py --self-test)
add_test(NAME docs_site_self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_site.py --self-test)
if(TARGET stiction)
  add_test(NAME docs_shell COMMAND ${Python3_EXECUTABLE} ${blocks} shell $<TARGET_FILE:stiction>)
  set_tests_properties(docs_shell PROPERTIES TIMEOUT 900)
endif()
