/* stopover in C: publish with differential privacy, and ask what was published. For C and for whatever can call C: R,
 * Julia, Java, Rust, Go. Texts are UTF-8; jobs, questions and answers are JSON.
 *
 *   #include <stdio.h>
 *   #include <stopover/stopover.h>
 *
 *   int main(void) {
 *     char* reply = NULL;
 *     stopover_release* release = NULL;
 *     int code = stopover_publish("{\"input\": \"trips.csv\", \"shape_of\": \"trips\", \"unit\": \"trip\","
 *                                 " \"bbox\": [-122.52, 37.70, -122.36, 37.84], \"grid\": [64, 64], \"epsilon\": 1,"
 *                                 " \"ledger\": \"city.ledger\", \"budget\": 1, \"output\": \"city.odr\"}",
 *                                 NULL, &reply);
 *     puts(reply);
 *     stopover_free(reply);
 *     if (code == STOPOVER_OK) code = stopover_open("city.odr", &release, NULL);
 *     if (code == STOPOVER_OK) {
 *       code = stopover_ask(release, "{\"where\": {\"origin\": {\"circle\": [37.79, -122.40, 2]}}}", &reply);
 *       puts(reply);
 *       stopover_free(reply);
 *     }
 *     stopover_close(release);
 *     return code;
 *   }
 *
 *   cc main.c $(pkg-config --cflags --libs stopover)
 *
 * Codes. Every function that can fail returns STOPOVER_OK or the exit code that the command line would have.
 *
 * Replies. `reply` may be NULL. Otherwise *reply is set, to a text that belongs to the caller until stopover_free: JSON
 * of what was asked for, or {"error": {"code": 2, "message": ..., "field": "epsilon"}}. It is NULL only when there was
 * no memory for it.
 *
 * Threads. Functions may be called from several threads at once. A release is read only: any number of threads may ask
 * it, until one closes it.
 *
 * Privacy. A broken invariant ends the process, as it does everywhere in stopover: no answer is better than one that
 * was not paid for. There is no key here that could be repeated. True data are in memory while a job runs: see
 * stopover_protect.
 */
#ifndef STOPOVER_STOPOVER_H
#define STOPOVER_STOPOVER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Plain int in signatures, so that other languages need no enum. */
enum {
  STOPOVER_OK = 0,
  STOPOVER_INTERNAL = 1,      /* a bug or an impossible system answer */
  STOPOVER_USAGE = 2,         /* a field has a bad value */
  STOPOVER_BAD_INPUT = 3,     /* a file cannot be read or is not what it should be; what was given is not valid JSON */
  STOPOVER_PRIVACY = 4,       /* refused because the guarantee would not hold */
  STOPOVER_CHECK_FAILED = 5,  /* a release breaks its own rules */
  STOPOVER_OUTPUT_EXISTS = 6, /* the output is already there */
  STOPOVER_LOCKED = 7,        /* another process holds the ledger: the same again later may work */
  STOPOVER_DISK_FULL = 8,     /* there was no room to write */
  STOPOVER_INTERRUPTED = 130
};

/* "0.1.0"; never freed. */
const char* stopover_version(void);

/* Gives back a reply; NULL is fine. */
void stopover_free(char* reply);

/* From now on this process leaves no core dump, and other processes of the same user cannot read its memory. Call it
 * first in a program that publishes or inspects; it cannot be taken back. */
void stopover_protect(void);

/* ---- releases and questions ---- */

typedef struct stopover_release stopover_release;

/* Reads a release and makes it ready for questions. *release is NULL unless the code is STOPOVER_OK; `error` is a
 * reply, and only set when it is not. */
int stopover_open(const char* path, stopover_release** release, char** error);
/* NULL is fine. */
void stopover_close(stopover_release* release);

/* What the release promises and holds, as `stopover info --json` prints it. */
int stopover_info(const stopover_release* release, char** reply);
/* A question and its answer: docs/guide/answers.md has every member. */
int stopover_ask(const stopover_release* release, const char* question, char** reply);
/* The same question to two releases, and the difference: second less first. */
int stopover_compare(const stopover_release* first, const stopover_release* second, const char* question, char** reply);

/* ---- jobs ---- */

/* What a job tells, always on the thread that called it. */
enum {
  STOPOVER_PHASE = 1, /* a phase begins: number `step` of `steps` (0: not known); `text` is its name */
  STOPOVER_NOTE = 2,  /* `text` is for the curator, and may be kept */
  STOPOVER_WARNING = 3,
  STOPOVER_PRIVATE = 4 /* true figures: for the curator's eyes, not for a log. "" where there is nothing to tell: that
                          it is called says nothing about the data */
};

typedef struct stopover_observer {
  /* May be NULL. `text` is only valid during the call. Not 0: the job shall stop at its next safe place. */
  int (*tell)(void* context, int what, const char* text, int step, int steps);
  void* context;
  /* May be NULL. Set *stop to anything but 0, from another thread or a signal handler, and the job stops at its next
   * safe place. */
  const int* stop;
  /* How many threads to work on; 0: all. It never changes a result. */
  unsigned threads;
} stopover_observer;

/* A job takes an object with one member per field and gives its result. Names and meanings are those of the command
 * line's flags, with underscores: {"input": "trips.csv", "max_trips_per_user": 4}. `observer` may be NULL. */

/* Spends budget, writes a release. */
int stopover_publish(const char* fields, const stopover_observer* observer, char** reply);
/* The same up to where budget would be spent: true figures, for the curator alone. */
int stopover_dry_run(const char* fields, const stopover_observer* observer, char** reply);
/* What is in these rows: true figures, for the curator alone. */
int stopover_inspect(const char* fields, const stopover_observer* observer, char** reply);
/* What a release would be good for. Reads no data. */
int stopover_plan(const char* fields, const stopover_observer* observer, char** reply);
/* Turns a release into a table, map, matrix or trips. */
int stopover_export(const char* fields, const stopover_observer* observer, char** reply);

#ifdef __cplusplus
}
#endif

#endif
