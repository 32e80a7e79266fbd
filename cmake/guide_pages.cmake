# cmake -DFOLDER=docs/guide -DOUT=FILE -P guide_pages.cmake: the pages of the guide as texts of C++, in the order of
# their names, for cli/guide_page.h. Run by the build whenever a page changes.
file(GLOB pages ${FOLDER}/*.md)
list(SORT pages)
set(text "// Made by cmake/guide_pages.cmake from docs/guide.\n#include \"cli/guide_page.h\"\n\nnamespace stopover {\n\n")
string(APPEND text "std::span<const GuidePage> guide_pages() {\n  static constexpr GuidePage kPages[] = {\n")
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WE)
  file(READ ${page} markdown)
  string(APPEND text "{\"${name}\", R\"=====(${markdown})=====\"},\n")
endforeach()
string(APPEND text "  };\n  return kPages;\n}\n\n}  // namespace stopover\n")
file(WRITE ${OUT} "${text}")
