#include "limit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* SQLite, found as the server finds it. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
static int (*sqlite_open)(const char *, sqlite3 **);
static int (*sqlite_exec)(sqlite3 *, const char *, void *, void *, char **);
static int (*sqlite_prepare)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
static int (*sqlite_bind_int)(sqlite3_stmt *, int, long long);
static int (*sqlite_bind_text)(sqlite3_stmt *, int, const char *, int, void *);
static int (*sqlite_step)(sqlite3_stmt *);
static int (*sqlite_reset)(sqlite3_stmt *);
static const char *(*sqlite_message)(sqlite3 *);

static sqlite3 *database;
static sqlite3_stmt *begin, *owner, *add, *find, *update, *insert, *trim, *save, *commit;

#define ROW 100
#define DONE 101
/* As many events of a session as the server keeps. */
#define KEPT 1024

static int load(void) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW);
    if (!library) return -1;
    *(void **)&sqlite_open = dlsym(library, "sqlite3_open");
    *(void **)&sqlite_exec = dlsym(library, "sqlite3_exec");
    *(void **)&sqlite_prepare = dlsym(library, "sqlite3_prepare_v2");
    *(void **)&sqlite_bind_int = dlsym(library, "sqlite3_bind_int64");
    *(void **)&sqlite_bind_text = dlsym(library, "sqlite3_bind_text");
    *(void **)&sqlite_step = dlsym(library, "sqlite3_step");
    *(void **)&sqlite_reset = dlsym(library, "sqlite3_reset");
    *(void **)&sqlite_message = dlsym(library, "sqlite3_errmsg");
    return sqlite_open && sqlite_exec && sqlite_prepare && sqlite_bind_int && sqlite_bind_text && sqlite_step &&
                   sqlite_reset && sqlite_message
               ? 0
               : -1;
}

static int prepare(sqlite3_stmt **statement, const char *sql) {
    return sqlite_prepare(database, sql, -1, statement, NULL);
}

int store_open(const char *path, int for_power) {
    if (load() != 0) return -1;
    int failed =
        sqlite_open(path, &database) ||
        sqlite_exec(database, "PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY", NULL, NULL, NULL) ||
        sqlite_exec(database, for_power ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL) ||
        sqlite_exec(
            database,
            "CREATE TABLE store (owner INTEGER); INSERT INTO store VALUES (1);"
            "CREATE TABLE session (id INTEGER PRIMARY KEY, key TEXT UNIQUE, newest INTEGER DEFAULT 0, lost INTEGER DEFAULT 0);"
            "CREATE TABLE event (session INTEGER, number INTEGER, content BLOB, PRIMARY KEY (session, number)) WITHOUT ROWID;"
            "CREATE TABLE saved (session INTEGER, name TEXT, text BLOB, PRIMARY KEY (session, name)) WITHOUT ROWID",
            NULL, NULL, NULL) ||
        prepare(&begin, "BEGIN IMMEDIATE") || prepare(&owner, "SELECT owner FROM store") ||
        prepare(&add, "INSERT INTO session (key, id) VALUES (?, ?)") ||
        prepare(&find, "SELECT id FROM session WHERE key = ?") ||
        prepare(&update, "UPDATE session SET newest = ?, lost = ? WHERE id = ?") ||
        prepare(&insert, "INSERT INTO event VALUES (?, ?, ?)") ||
        prepare(&trim, "DELETE FROM event WHERE session = ? AND number <= ?") ||
        prepare(&save, "INSERT INTO saved VALUES (?, 'count', ?) ON CONFLICT DO UPDATE SET text = excluded.text") ||
        prepare(&commit, "COMMIT");
    if (failed) fprintf(stderr, "limit-server: %s\n", sqlite_message(database));
    return failed ? -1 : 0;
}

/* Nonzero where it failed. */
static int run(sqlite3_stmt *statement) {
    int code = sqlite_step(statement);
    sqlite_reset(statement);
    return code != ROW && code != DONE;
}

int store_begin(void) { return run(begin) || run(owner); }

int store_turn(int session, long long number) {
    char key[32], text[32];
    /* As long as a session's key. */
    int length = snprintf(key, sizeof key, "%022d", session);
    int failed = 0;
    if (number == 1) failed |= sqlite_bind_text(add, 1, key, length, NULL) || sqlite_bind_int(add, 2, session) || run(add);
    failed |= sqlite_bind_text(find, 1, key, length, NULL) || run(find);
    long long lost = number > KEPT ? number - KEPT : 0;
    failed |= sqlite_bind_int(update, 1, number) || sqlite_bind_int(update, 2, lost) || sqlite_bind_int(update, 3, session) ||
              run(update);
    static const char event[] = "{\"kind\":\"count\",\"value\":12345}";
    failed |= sqlite_bind_int(insert, 1, session) || sqlite_bind_int(insert, 2, number) ||
              sqlite_bind_text(insert, 3, event, sizeof event - 1, NULL) || run(insert);
    if (lost) failed |= sqlite_bind_int(trim, 1, session) || sqlite_bind_int(trim, 2, lost) || run(trim);
    length = snprintf(text, sizeof text, "%lld", number);
    return failed | (sqlite_bind_int(save, 1, session) || sqlite_bind_text(save, 2, text, length, NULL) || run(save));
}

int store_commit(void) { return run(commit); }
