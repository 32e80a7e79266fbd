#!/usr/bin/env python3
"""What /api/openapi.json says of paths, questions and replies holds for real ones.

    openapi_test.py STOPOVER STOPOVER-LAB      exit code 77 where jsonschema is missing: skipped
"""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema (scripts/python-env installs it)")
    sys.exit(77)

BOX = "-122.6,37.6,-122.3,37.9"
NEAR, OTHER = "circle:37.75,-122.45,3", "circle:37.70,-122.45,3"
SQUARE = [[-122.6, 37.6], [-122.45, 37.6], [-122.45, 37.9], [-122.6, 37.9], [-122.6, 37.6]]
ZONES = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "West"}, "geometry": {
    "type": "Polygon", "coordinates": [SQUARE]}}]}
# Every kind of question; the name of the schema of its reply.
QUESTIONS = [
    ({}, "CountReply"),
    ({"where": {"origin": NEAR, "destination": None}, "level": 0.9, "above": 100, "at_least": True, "at_most": True},
     "CountReply"),
    ({"where": {"origin": {"circle": [37.75, -122.45, 3]}}, "estimates": "plain", "above": 100}, "CountReply"),
    ({"any_stop": NEAR, "no_stop": [OTHER], "range": "a0=-122.5:-122.4"}, "CountReply"),
    ({"in_order": [NEAR, OTHER], "box": "a0=0:50"}, "CountReply"),
    ({"where": {"origin": NEAR}, "minus": {"origin": OTHER}, "above": 0}, "MinusReply"),
    ({"where": {"origin": NEAR}, "minus": {"origin": "circle:40,-100,1"}}, "MinusReply"),
    ({"ask": "share", "where": {"destination": NEAR}, "of": {"origin": OTHER}}, "ShareReply"),
    ({"ask": "share", "where": {"origin": "circle:40,-100,1"}, "of": {"origin": "circle:40,-100,1"}}, "ShareReply"),
    ({"ask": "top", "top": 3, "tiles": 4, "stops": ["origin"], "together": True}, "TablesReply"),
    ({"ask": "given", "given": "origin", "where": {"destination": NEAR}, "top": 3}, "TablesReply"),
    ({"ask": "totals", "zones": ZONES, "zone_name": "name", "overlaps": False}, "TablesReply"),
    ({"ask": "matrix", "from": "origin", "to": "destination", "tiles": 2}, "MatrixReply"),
    ({"ask": "matrix", "zones": ZONES}, "MatrixReply"),
]
COMPARED = [({"where": {"origin": NEAR}, "above": 0, "at_least": True}, "CompareReply"),
            ({"ask": "top", "top": 3, "tiles": 4}, "TablesReply"), ({"ask": "totals", "tiles": 2}, "TablesReply"),
            ({"ask": "matrix", "tiles": 2}, "MatrixReply")]
SERIES = [{"where": {"origin": NEAR}}, {"series": "change", "where": {"origin": NEAR}}, {"series": "trend", "above": 0},
          {"series": "changes", "top": 3, "tiles": 2}, {"series": "sum", "period": "2019-01..2019-02"},
          {"period": "2019-02", "against": "2019-01"}]
REFUSED = [("POST", "/api/series", '{"series": "sums"}', 400), ("GET", "/api/series", None, 405), ("POST", "/api/query", json.dumps({"where": {"nowhere": NEAR}}), 400),
           ("POST", "/api/query", "{", 400), ("POST", "/api/query?release=x", "{}", 404),
           ("POST", "/api/query", "x" * (5 << 20), 413), ("GET", "/api/query", None, 405),
           ("PUT", "/api/query", "{}", 405), ("DELETE", "/api/releases", None, 405), ("GET", "/nothing", None, 404)]


def main(stopover, lab):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([stopover, "generate", "city", "--stops", "2", "--n", "5000", "--grid", "100", "-o",
                        folder / "city.parquet"], check=True, stdout=subprocess.DEVNULL)
        for name, mechanism in (("first", "auto"), ("second", "auto"), ("plain", "daf-entropy")):
            subprocess.run([lab, "publish", "--matrix", folder / "city.parquet", "--shape", "100x100x100x100", "--stops",
                            "origin,destination", "--bbox", BOX, "--epsilon", "1", "--mechanism", mechanism,
                            "--ledger", folder / f"{name}.ledger", "--budget", "1", "--state", "none", "--test-key", name,
                            "--quiet", "-o", folder / f"{name}.odr"], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        rows = ["began,o_lat,o_lng,d_lat,d_lng"] + [
            f"2019-0{1 + i % 2}-{1 + i % 28:02},{37.61 + i % 29 / 100},{-122.59 + i % 13 / 100},{37.61 + i % 23 / 100},"
            f"{-122.59 + i % 27 / 100}" for i in range(2000)]
        (folder / "rides.csv").write_text("\n".join(rows) + "\n")
        subprocess.run([stopover, "publish", folder / "rides.csv", "--shape-of", "trips", "--time", "began", "--period",
                        "month:2019-01..2019-02", "--bbox", BOX, "--grid", "60x60", "--unit", "trip", "--epsilon", "1",
                        "--budget-per-period", "1", "--ledger", folder / "m.ledger", "--state", "none", "-o",
                        folder / "months", "--quiet"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = subprocess.Popen([stopover, "serve", *(folder / f"{n}.odr" for n in ("first", "second", "plain")),
                                   *(folder / "months" / f"2019-0{month}.odr" for month in (1, 2)),
                                   "--port", "0", "--log", "none", "--json"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            check(http.client.HTTPConnection(json.loads(server.stdout.readline())["url"].split("/")[2], timeout=600))
        finally:
            server.terminate()
            server.wait()


def check(connection):
    def ask(method, path, body=None):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        assert reply.headers["Content-Type"] == "application/json", (path, reply.status)
        return reply.status, json.loads(reply.read())

    api = ask("GET", "/api/openapi.json")[1]
    assert api["openapi"] == "3.1.0"

    def validator(where):
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": api["components"], **where}
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def named(name):
        return validator({"$ref": f"#/components/schemas/{name}"})

    for name in api["components"]["schemas"]:
        named(name)
    index = {(route["method"].lower(), route["path"].split("?")[0]) for route in ask("GET", "/api")[1]["routes"]}
    assert index == {(method, path) for path, methods in api["paths"].items() for method in methods}
    for path, methods in api["paths"].items():
        if "get" in methods:
            content = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            validator(content).validate(ask("GET", path)[1])
    query = api["paths"]["/api/query"]["post"]["responses"]
    whole = validator(query["200"]["content"]["application/json"]["schema"])
    asked = [(q, name, f"?release={release}") for q, name in QUESTIONS for release in ("first.odr", "plain.odr")]
    asked += [(q, name, f"?release=first.odr&compare={other}") for q, name in COMPARED
              for other in ("second.odr", "first.odr")]
    for question, name, parameters in asked:
        named("Question").validate(question)
        status, reply = ask("POST", "/api/query" + parameters, json.dumps(question))
        assert status == 200, (question, reply)
        whole.validate(reply)
        named(name).validate(reply["answer"])
    series = api["paths"]["/api/series"]["post"]["responses"]
    over_time = validator(series["200"]["content"]["application/json"]["schema"])
    for question in SERIES:
        named("SeriesQuestion").validate(question)
        status, reply = ask("POST", "/api/series", json.dumps(question))
        assert status == 200, (question, reply)
        over_time.validate(reply)
        assert [one["release"] for one in reply["releases"]] == ["2019-01.odr", "2019-02.odr"]
    assert not named("SeriesQuestion").is_valid({"series": "sums"})
    # A question with a member that nobody knows is none, for the server and for the description.
    assert not named("Question").is_valid({"were": {}})
    assert ask("POST", "/api/query", json.dumps({"were": {}}))[0] == 400
    # A reply that lacks something, or has more, would be noticed.
    answer = ask("POST", "/api/query", "{}")[1]["answer"]
    assert not named("CountReply").is_valid({key: value for key, value in answer.items() if key != "claimed"})
    assert not named("CountReply").is_valid({**answer, "more": 1})
    for method, path, body, status in REFUSED:
        got, reply = ask(method, path, body)
        assert got == status, (method, path, got)
        named("Error").validate(reply)
    print(f"{len(asked)} replies and {len(REFUSED)} refusals are as described")


if __name__ == "__main__":
    main(*sys.argv[1:])
