#ifndef TICDS_CCURL_SHIM_H
#define TICDS_CCURL_SHIM_H

#include <curl/curl.h>

// libcurl sets and reads options through functions with variable arguments, which Swift cannot call: one function for each
// type of argument.

static inline CURLcode ticds_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ticds_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the text. Null takes an earlier one back.
static inline CURLcode ticds_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ticds_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ticds_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ticds_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ticds_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode ticds_curl_set_callbacks(CURL *handle, ticds_curl_data header, ticds_curl_data write,
                                                ticds_curl_data read, ticds_curl_seek seek, void *context) {
    CURLcode code;
    if ((code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_READDATA, context))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek))) return code;
    return curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
}

typedef int (*ticds_curl_before)(void *context, char *remote, char *local, int remotePort, int localPort);

// Called before each time that a request is sent.
static inline CURLcode ticds_curl_set_before(CURL *handle, ticds_curl_before before, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

typedef int (*ticds_curl_opened)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*ticds_curl_closing)(void *context, curl_socket_t socket);

// Called after a socket was opened, and to close one.
static inline CURLcode ticds_curl_set_sockets(CURL *handle, ticds_curl_opened opened, ticds_curl_closing closing,
                                              void *context) {
    CURLcode code;
    if ((code = curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, opened))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, context))) return code;
    if ((code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, closing))) return code;
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLMcode ticds_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The handle of a transfer that has ended, and how; null if there is none.
static inline CURL *ticds_curl_multi_ended(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

static inline CURLcode ticds_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

#endif
