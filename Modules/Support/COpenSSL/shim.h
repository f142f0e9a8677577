#ifndef TICDS_COPENSSL_SHIM_H
#define TICDS_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// An OSSL_PARAM keeps the address of its key and value, so lists of them are built here, where both are
// certain to live long enough.

static inline int ticds_hkdf_sha256(EVP_KDF *kdf, const void *key, size_t keyLength, const void *salt,
                                    size_t saltLength, const void *info, size_t infoLength, void *out,
                                    size_t outLength) {
    static char empty[1];
    OSSL_PARAM parameters[5], *next = parameters;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA2-256", 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, keyLength ? (void *)key : empty, keyLength);
    // An absent salt means 32 zero bytes (RFC 5869, 2.2), which HMAC makes the same as an empty one.
    if (saltLength > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, saltLength);
    if (infoLength > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, infoLength);
    *next = OSSL_PARAM_construct_end();

    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    if (!context) return 0;
    int status = EVP_KDF_derive(context, (unsigned char *)out, outLength, parameters);
    EVP_KDF_CTX_free(context);
    return status;
}

static inline int ticds_hmac_sha256_init(EVP_MAC_CTX *context, const void *key, size_t keyLength) {
    // A null key would mean "the key of the last time".
    static const unsigned char empty[1];
    OSSL_PARAM parameters[2];
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA2-256", 0);
    parameters[1] = OSSL_PARAM_construct_end();
    return EVP_MAC_init(context, keyLength ? (const unsigned char *)key : empty, keyLength, parameters);
}

#endif
