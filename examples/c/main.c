/* Publishes a file of trips and asks the release, through the C functions of an installed stopover.
 *
 *   cc main.c $(pkg-config --cflags --libs stopover) -o publish_and_ask
 *   publish_and_ask TRIPS.CSV FOLDER        an empty folder to write into
 *
 * Questions and answers are JSON; a program would take its JSON library to read them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stopover/stopover.h>

static int tell(void* context, int what, const char* text, int step, int steps) {
  (void)context;
  if (what == STOPOVER_PHASE) fprintf(stderr, "%d/%d %s\n", step, steps, text);
  return 0;
}

static int fail(int code, char* error) {
  fprintf(stderr, "%s\n", error);
  stopover_free(error);
  return code;
}

/* The number behind a member's name. */
static double number(const char* json, const char* name) {
  const char* at = strstr(json, name);
  return at == NULL ? 0 : strtod(at + strlen(name), NULL);
}

int main(int count, char** arguments) {
  static const char fields[] =
      "{\"input\": \"%s\", \"shape_of\": \"trips\", \"unit\": \"trip\","
      " \"bbox\": [-122.52, 37.70, -122.36, 37.84], \"grid\": [64, 64],"
      " \"epsilon\": 1, \"ledger\": \"%s/city.ledger\", \"budget\": 1, \"output\": \"%s/city.odr\"}";
  const stopover_observer observer = {tell, NULL, NULL, 0};
  stopover_release* city = NULL;
  char json[4096], path[1024], *reply = NULL;
  int code;
  if (count != 3 || strlen(arguments[1]) > 900 || strlen(arguments[2]) > 900) return STOPOVER_USAGE;
  stopover_protect();

  sprintf(json, fields, arguments[1], arguments[2], arguments[2]);
  code = stopover_publish(json, &observer, &reply);
  if (code != STOPOVER_OK) return fail(code, reply);
  stopover_free(reply);

  sprintf(path, "%s/city.odr", arguments[2]);
  code = stopover_open(path, &city, &reply);
  if (code != STOPOVER_OK) return fail(code, reply);
  code = stopover_ask(city, "{\"where\": {\"origin\": {\"circle\": [37.79, -122.40, 2]}}}", &reply);
  if (code != STOPOVER_OK) return fail(code, reply);
  printf("%.0f trips, likely %.0f to %.0f\n", number(reply, "\"estimate\": "), number(reply, "\"lower\": "),
         number(reply, "\"upper\": "));
  stopover_free(reply);
  stopover_close(city);
  return 0;
}
