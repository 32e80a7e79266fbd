# A toolchain file for programs that run on other machines than the one that built them: cmake
# --toolchain cmake/portable.cmake [-DSTOPOVER_MACHINE=aarch64].
#
# All libraries but glibc and DuckDB are inside, as archives out of .deps/portable-MACHINE (scripts/get-portable), and
# nothing of theirs can be seen from outside: DuckDB's library brings its own libstdc++, which must not meet ours. Names
# of glibc are those of version 2.28. The compiler's command lines are those of build/release but for the names of
# files.
set(STOPOVER_MACHINE "${CMAKE_HOST_SYSTEM_PROCESSOR}" CACHE STRING "the machine to build for: x86_64 or aarch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES STOPOVER_MACHINE)
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/..)
set(STOPOVER_PORTABLE ${root}.deps/portable-${STOPOVER_MACHINE})
set(lib ${STOPOVER_PORTABLE}/lib)

if(NOT STOPOVER_MACHINE STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${STOPOVER_MACHINE})
  set(CMAKE_CXX_COMPILER ${STOPOVER_MACHINE}-linux-gnu-g++-12)
  set(CMAKE_AR ${STOPOVER_MACHINE}-linux-gnu-ar CACHE FILEPATH "")
  set(CMAKE_RANLIB ${STOPOVER_MACHINE}-linux-gnu-ranlib CACHE FILEPATH "")
  set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${STOPOVER_PORTABLE}/include)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${STOPOVER_MACHINE}-static;-L;/usr/${STOPOVER_MACHINE}-linux-gnu)
  set(include ${STOPOVER_PORTABLE}/include)
  set(Boost_INCLUDE_DIR ${include} CACHE PATH "")
  set(HDF5C_INCLUDE_DIR ${include} CACHE PATH "")
  list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include) # of packages that are headers alone: linked in ${include}
  set(GTest_DIR ${CMAKE_CURRENT_LIST_DIR}/portable CACHE PATH "")
  set(DUCKDB_ROOT ${root}.deps/duckdb-${STOPOVER_MACHINE} CACHE PATH "")
else()
  set(include /usr/include)
endif()

# Files are named as below the project in messages, wherever it is and whether the compiler's cache made paths relative.
set(CMAKE_CXX_FLAGS_INIT "-ffile-prefix-map=${root}= -ffile-prefix-map=../../=")
set(link "-B${lib} -L${lib} -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--gc-sections")
set(link "${link} -Wl,--allow-shlib-undefined")
set(link "${link} -Wl,--build-id=sha1 -Wl,-S")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${link}")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES "-lpthread -ldl -lrt -lm")

set(OPENSSL_CRYPTO_LIBRARY ${lib}/libcrypto.a CACHE FILEPATH "")
set(OPENSSL_SSL_LIBRARY ${lib}/libcrypto.a CACHE FILEPATH "") # found, never linked
set(OPENSSL_INCLUDE_DIR ${include} CACHE PATH "")
set(ZLIB_LIBRARY ${lib}/libz.a CACHE FILEPATH "")
set(ZLIB_INCLUDE_DIR ${include} CACHE PATH "")
set(SQLite3_LIBRARY ${lib}/libsqlite3.a CACHE FILEPATH "")
set(SQLite3_INCLUDE_DIR ${include} CACHE PATH "")
set(HDF5C_LIBRARY "${lib}/libhdf5_serial.a" CACHE FILEPATH "")
set(STOPOVER_HDF5_NEEDS ${lib}/libsz.a ${lib}/libaec.a ${lib}/libz.a)
set(ZSTD_LIBRARY ${lib}/libzstd.a CACHE FILEPATH "")
foreach(name core extra pthreads)
  string(TOUPPER EVENT_${name} variable)
  set(${variable} ${lib}/libevent_${name}.a CACHE FILEPATH "")
endforeach()
# What says how to link these two: cmake/portable/*Config.cmake.
set(TBB_DIR ${CMAKE_CURRENT_LIST_DIR}/portable CACHE PATH "")
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/portable CACHE PATH "")
unset(root)
unset(lib)
unset(include)
unset(link)
