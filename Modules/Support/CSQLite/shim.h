#ifndef TICDS_CSQLITE_SHIM_H
#define TICDS_CSQLITE_SHIM_H

// Declares the session and pre-update interfaces, which distributions compile into the library.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of an integer to a function pointer, which Swift cannot import.
static inline int ticds_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 length) {
    // An empty Swift string may have no base address, which SQLite would take for NULL.
    return sqlite3_bind_text64(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int ticds_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

static inline void ticds_result_text(sqlite3_context *context, const char *bytes, sqlite3_uint64 length) {
    sqlite3_result_text64(context, bytes ? bytes : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void ticds_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 length) {
    sqlite3_result_blob64(context, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int ticds_set_defensive(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, on, (int *)0);
}

static inline int ticds_set_no_checkpoint_on_close(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

#endif
