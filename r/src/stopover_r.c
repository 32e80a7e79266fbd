/* The functions of stopover.h for R. Each gives list(code, reply); R/conditions.R turns codes into conditions. What a job
 * tells is kept and told by R afterwards: R may jump out of its own functions, and must not do so across the library. */
#include <stdlib.h>
#include <string.h>

#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

#include <stopover/stopover.h>

static SEXP text_of(const char* text) { return ScalarString(mkCharCE(text == NULL ? "" : text, CE_UTF8)); }

static const char* utf8(SEXP text) { return translateCharUTF8(STRING_ELT(text, 0)); }

/* Takes the reply. */
static SEXP answer(int code, char* reply) {
  const char* names[] = {"code", "reply", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, ScalarInteger(code));
  SET_VECTOR_ELT(list, 1, text_of(reply));
  stopover_free(reply);
  UNPROTECT(1);
  return list;
}

SEXP r_version(void) { return text_of(stopover_version()); }

SEXP r_protect(void) {
  stopover_protect();
  return R_NilValue;
}

/* ---- releases ---- */

static void close_release(SEXP pointer) {
  stopover_close((stopover_release*)R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static stopover_release* release_of(SEXP pointer) {
  stopover_release* release = (stopover_release*)R_ExternalPtrAddr(pointer);
  if (release == NULL) error("this release is closed; open it again with open_release()");
  return release;
}

SEXP r_open(SEXP path) {
  stopover_release* release = NULL;
  char* reply = NULL;
  int code = stopover_open(utf8(path), &release, &reply);
  SEXP list = PROTECT(answer(code, reply));
  if (code == STOPOVER_OK) {
    SEXP pointer = PROTECT(R_MakeExternalPtr(release, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, close_release, TRUE);
    SET_VECTOR_ELT(list, 1, pointer);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return list;
}

SEXP r_close(SEXP pointer) {
  close_release(pointer);
  return R_NilValue;
}

SEXP r_info(SEXP pointer) {
  char* reply = NULL;
  int code = stopover_info(release_of(pointer), &reply);
  return answer(code, reply);
}

SEXP r_ask(SEXP pointer, SEXP question) {
  char* reply = NULL;
  int code = stopover_ask(release_of(pointer), utf8(question), &reply);
  return answer(code, reply);
}

SEXP r_compare(SEXP first, SEXP second, SEXP question) {
  char* reply = NULL;
  int code = stopover_compare(release_of(first), release_of(second), utf8(question), &reply);
  return answer(code, reply);
}

/* ---- jobs ---- */

struct told {
  int what;
  char* text;
  struct told* next;
};

struct listener {
  int progress; /* phases are shown while they happen */
  struct told *first, **last;
};

static void check_interrupt(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static int tell(void* context, int what, const char* text, int step, int steps) {
  struct listener* listener = (struct listener*)context;
  if (what == STOPOVER_PHASE) {
    if (listener->progress) REprintf("%d/%d %s\n", step, steps, text);
  } else {
    struct told* one = (struct told*)malloc(sizeof *one);
    if (one != NULL) {
      one->what = what;
      one->text = strdup(text);
      one->next = NULL;
      *listener->last = one;
      listener->last = &one->next;
    }
  }
  return R_ToplevelExec(check_interrupt, NULL) ? 0 : 1;
}

typedef int (*job)(const char*, const stopover_observer*, char**);

static job job_of(const char* name) {
  if (strcmp(name, "publish") == 0) return stopover_publish;
  if (strcmp(name, "dry_run") == 0) return stopover_dry_run;
  if (strcmp(name, "inspect") == 0) return stopover_inspect;
  if (strcmp(name, "plan") == 0) return stopover_plan;
  if (strcmp(name, "export") == 0) return stopover_export;
  error("there is no job %s", name);
}

/* list(code, reply, kinds, texts) */
SEXP r_job(SEXP name, SEXP fields, SEXP threads, SEXP progress) {
  const job run = job_of(CHAR(STRING_ELT(name, 0)));
  struct listener listener = {asLogical(progress) == TRUE, NULL, NULL};
  listener.last = &listener.first;
  const stopover_observer observer = {tell, &listener, NULL, (unsigned)asInteger(threads)};
  char* reply = NULL;
  const int code = run(utf8(fields), &observer, &reply);
  int count = 0;
  for (struct told* one = listener.first; one != NULL; one = one->next) ++count;
  const char* names[] = {"code", "reply", "kinds", "texts", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP kinds = PROTECT(allocVector(INTSXP, count));
  SEXP texts = PROTECT(allocVector(STRSXP, count));
  int k = 0;
  for (struct told* one = listener.first; one != NULL; ++k) {
    struct told* next = one->next;
    INTEGER(kinds)[k] = one->what;
    SET_STRING_ELT(texts, k, mkCharCE(one->text == NULL ? "" : one->text, CE_UTF8));
    free(one->text);
    free(one);
    one = next;
  }
  SET_VECTOR_ELT(list, 0, ScalarInteger(code));
  SET_VECTOR_ELT(list, 1, text_of(reply));
  SET_VECTOR_ELT(list, 2, kinds);
  SET_VECTOR_ELT(list, 3, texts);
  stopover_free(reply);
  UNPROTECT(3);
  return list;
}

static const R_CallMethodDef functions[] = {{"r_version", (DL_FUNC)&r_version, 0},
                                            {"r_protect", (DL_FUNC)&r_protect, 0},
                                            {"r_open", (DL_FUNC)&r_open, 1},
                                            {"r_close", (DL_FUNC)&r_close, 1},
                                            {"r_info", (DL_FUNC)&r_info, 1},
                                            {"r_ask", (DL_FUNC)&r_ask, 2},
                                            {"r_compare", (DL_FUNC)&r_compare, 3},
                                            {"r_job", (DL_FUNC)&r_job, 4},
                                            {NULL, NULL, 0}};

void R_init_stopover(DllInfo* info) {
  R_registerRoutines(info, NULL, functions, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
  R_forceSymbols(info, TRUE);
}
