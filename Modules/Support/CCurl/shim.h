#ifndef TICDS_CCURL_SHIM_H
#define TICDS_CCURL_SHIM_H

#include <curl/curl.h>

#endif
