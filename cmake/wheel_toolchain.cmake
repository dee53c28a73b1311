# For tools/wheel.sh: its compiler, and the archives that it copied from Debian's packages or made.
set(SHEAF_WHEEL_FOLDER "$ENV{SHEAF_WHEEL_FOLDER}" CACHE PATH "Where tools/wheel.sh puts things")
set(libraries ${SHEAF_WHEEL_FOLDER}/usr/lib/x86_64-linux-gnu)
set(headers ${SHEAF_WHEEL_FOLDER}/usr/include)

set(CMAKE_CXX_COMPILER ${SHEAF_WHEEL_FOLDER}/c++)
list(APPEND CMAKE_PREFIX_PATH ${SHEAF_WHEEL_FOLDER}/usr)
set(fmt_DIR ${libraries}/cmake/fmt)
foreach(name ZLIB ZSTD LZ4)
  set(${name}_INCLUDE_DIR ${headers})
endforeach()
set(ZLIB_LIBRARY ${libraries}/libz.a)
set(ZSTD_LIBRARY ${libraries}/libzstd.a)
set(LZ4_LIBRARY ${libraries}/liblz4.a)
# tools/wheel_simdjson.sh makes the archive.
set(SHEAF_WHEEL_SIMDJSON "$ENV{SHEAF_WHEEL_SIMDJSON}" CACHE PATH "Where simdjson is")
set(SIMDJSON_INCLUDE_DIR ${SHEAF_WHEEL_SIMDJSON}/usr/include)
set(SIMDJSON_LIBRARY ${SHEAF_WHEEL_SIMDJSON}/usr/lib/libsimdjson.a)
# Of these, tools/wheel_images.sh makes the archives.
set(SHEAF_WHEEL_IMAGES "$ENV{SHEAF_WHEEL_IMAGES}" CACHE PATH "Where the codecs of images are")
set(JPEG_INCLUDE_DIR ${SHEAF_WHEEL_IMAGES}/usr/include)
set(PNG_PNG_INCLUDE_DIR ${SHEAF_WHEEL_IMAGES}/usr/include)
set(WEBP_INCLUDE_DIR ${SHEAF_WHEEL_IMAGES}/usr/include)
set(JPEG_LIBRARY ${SHEAF_WHEEL_IMAGES}/usr/lib/libjpeg.a)
set(PNG_LIBRARY ${SHEAF_WHEEL_IMAGES}/usr/lib/libpng.a)
set(WEBP_LIBRARY ${SHEAF_WHEEL_IMAGES}/usr/lib/libwebp.a)
set(SHEAF_FAST_FLOAT_INCLUDE_DIR ${headers})
set(SHEAF_XXHASH_INCLUDE_DIR ${headers})

# The archives are compiled for programs: their symbols must not be replaced from outside.
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/wheel.map")
