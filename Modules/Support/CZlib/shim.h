#ifndef TICDS_CZLIB_SHIM_H
#define TICDS_CZLIB_SHIM_H

#include <zlib.h>

// These are macros over functions that take the library version and the size of the structure, which Swift
// cannot import.
static inline int ticds_deflate_init(z_stream *stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}

static inline int ticds_inflate_init(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

#endif
