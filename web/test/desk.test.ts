// What the desk works out by itself: the words for patterns of values, what columns may mean, and what it would take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { guessed, inWords, type Column } from "../src/desk/columns";
import { missing, together } from "../src/desk/model";
import { errorAt, leastEpsilon, noiseOf, zoneFactor, zonesNeed } from "../src/desk/takes";

const column = (name: string): Column => ({ name, type: "VARCHAR", shapes: [], like_a_user: false });

test("patterns are told in words", () => {
  assert.equal(inWords(["9", "99", "999"]), "whole numbers of 1 to 3 digits");
  assert.equal(inWords(["99.99999", "(none)"]), "some are empty; numbers with 5 decimals");
  assert.equal(inWords(["9999-99-99 99:99:99"]), "date and time, without a zone");
  assert.equal(inWords(["9999-99-99T99:99:99Z"]), "date and time, with their zone");
  assert.equal(inWords(["9999999999"]), "10 digits: an id, or seconds since 1970");
  assert.equal(inWords(["a999", "a99"]), "letters and digits, 3 to 4 signs");
  assert.equal(inWords(["a@a.a"]), "other text");
});

test("columns of stations lead to zones, coordinates to the map", () => {
  assert.equal(guessed(["start_station", "end_station"].map(column))["where_lies"], "zones");
  assert.equal(guessed(["start_lat", "start_lon", "end_lat", "end_lon"].map(column))["where_lies"], undefined);
});

test("moments are in no trip that could be protected", () => {
  const asked = (publish: Record<string, string>) => missing({ publish, plan: {} }).map((one) => one.what).join("; ");
  for (const made of [{ shape_of: "pings" }, { shape_of: "stops", stops: "frames" }]) {
    assert.match(asked({ ...made, unit: "trip" }), /a person as who is protected/);
    assert.doesNotMatch(asked({ ...made, unit: "user" }), /a person as/);
  }
  assert.doesNotMatch(asked({ shape_of: "stops", unit: "trip" }), /a person as/);
});

test("a public table goes with a series on a map", () => {
  const draft = { prior: "od.csv", period: "month:2019-01", where_lies: "box" };
  assert.equal(together(draft)["prior"], "od.csv");
  assert.equal(together({ ...draft, where_lies: "zones" })["prior"], undefined);
  assert.equal(together({ ...draft, period: "" })["prior"], undefined);
});

test("what it takes between zones is the noise of one count and what was measured beyond it", () => {
  const epsilon = zonesNeed(100, 0.1, 0.95, 4);
  assert.ok(Math.abs(zoneFactor * noiseOf(0.95, epsilon, 4) - 10) < 1e-9);
});

test("what it takes on a map is read off forecasts", () => {
  // An error of 10 / (epsilon * trips): 10 % of 100 trips needs epsilon 1.
  const curve = (epsilon: number) => ({
    epsilon,
    errors: [40, 700, 3000].map((trips) => ({ trips, error: 10 / (epsilon * trips) })),
  });
  assert.ok(Math.abs((errorAt(curve(1).errors, 100) ?? 0) - 0.1) < 1e-9);
  assert.ok(Math.abs((leastEpsilon([4, 0.1, 0.5, 2].map(curve), 100, 0.1) ?? 0) - 1) < 1e-9);
  assert.equal(leastEpsilon([0.1, 0.5].map(curve), 100, 0.1), null);
  assert.equal(leastEpsilon([2, 4].map(curve), 100, 0.1), 2);
});
