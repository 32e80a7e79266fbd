// 5 Publish: what will be spent, said once more; a typed name; progress; the ledger before and after.
import { useEffect, useState } from "preact/hooks";
import { run, stopJob, type Fault, type JobState } from "./api";
import { missing, nameOf, publishFields, stopsInWords, usesZones, type Desk } from "./model";
import { Cli, count, faultOf, Progress, Script, text, Trouble, Who } from "./pieces";
import { counted, lastPace, type Rehearsal } from "./rehearse_screen";

interface Published {
  release: string;
  who: string;
  epsilon: string;
  mechanism: string;
  partitions?: number;
  spent: string;
  left: string;
  periods?: { period: string; release: string; partitions: number }[];
}

// What the ledger held and holds, as one bar.
export function Balance({ budget, spent, now }: { budget: number; spent: number; now?: number }) {
  const share = (x: number) => `${Math.min(100, (100 * x) / budget)}%`;
  return (
    <div class="balance" role="img" aria-label={`${spent} of ${budget} spent${now ? `, ${now} of it just now` : ""}`}>
      <span class="spent" style={{ width: share(spent - (now ?? 0)) }} />
      {now ? <span class="now" style={{ width: share(now) }} /> : null}
    </div>
  );
}

export function PublishScreen({ desk, rehearsal }: { desk: Desk; rehearsal: Rehearsal | null }) {
  const f = desk.draft.publish;
  const [typed, setTyped] = useState("");
  const [state, setState] = useState<JobState | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [done, setDone] = useState<Published | null>(null);
  const [id, setId] = useState("");
  const [again, setAgain] = useState(false);
  const name = nameOf(text(f, "output")).replace(/\.odr$/, "");
  const lacks = missing(desk.draft);
  const fields = publishFields(desk.draft);
  const series = Boolean(f["period"]);
  useEffect(() => setTyped(""), [name]);
  const go = async () => {
    setFault(null);
    try {
      const told = await run(
        "publish",
        fields,
        (s) => {
          setState(s);
          setId(s.id);
        },
        { confirm: typed },
      );
      const result = told.result as Published;
      setDone(result);
      desk.setRelease(result.release);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setState(null);
      setTyped("");
      desk.touch();
    }
  };
  if (lacks.length > 0) {
    return (
      <section aria-labelledby="title">
        <h1 id="title">Publish</h1>
        <p class="lead">
          Not yet: {lacks.map((m) => m.what).join(", ")} {lacks.length === 1 ? "is" : "are"} missing.
        </p>
        <button type="button" onClick={() => desk.go(lacks[0]?.screen ?? "data")}>
          Go there
        </button>
      </section>
    );
  }
  if (done) {
    const spent = Number(done.spent);
    const left = Number(done.left);
    return (
      <section aria-labelledby="title">
        <h1 id="title">Published</h1>
        <div class="card done" role="status">
          <p class="big">
            <b>{nameOf(done.release)}</b> is there. Protected: <Who who={done.who} />
          </p>
          <p class="soft">A folder on this machine: {done.release}. Nothing was uploaded.</p>
          <p>
            It cost {done.epsilon} of the budget. {counted[done.mechanism] ?? ""}
            {done.partitions ? ` It has ${count(done.partitions)} counts` : ""}
            {done.periods
              ? ` ${done.periods.length} period${done.periods.length === 1 ? "" : "s"}: ${done.periods.map((p) => p.period).join(", ")}`
              : ""}
            . <Cli name={`epsilon ${done.epsilon}, mechanism ${done.mechanism}`} />
          </p>
          {Number.isFinite(left) && !series ? (
            <>
              <h3>The ledger</h3>
              <Balance budget={spent + left} spent={spent} now={Number(done.epsilon)} />
              <p>
                Before: {Math.round((left + Number(done.epsilon)) * 1e6) / 1e6} left. Now: <b id="left">{done.left}</b>{" "}
                left of {Math.round((spent + left) * 1e6) / 1e6}.
              </p>
            </>
          ) : null}
        </div>
        <Script job="publish" fields={fields} />
        <p class="next">
          <button type="button" class="primary" onClick={() => desk.go("handover")}>
            Next: look and hand over
          </button>
          <button
            type="button"
            onClick={() => {
              setDone(null);
              setAgain(true);
            }}
          >
            Publish something else
          </button>
        </p>
      </section>
    );
  }
  if (!again && !series && desk.release && nameOf(desk.release) === nameOf(text(f, "output"))) {
    return (
      <section aria-labelledby="title">
        <h1 id="title">Published</h1>
        <p class="lead">
          <b>{nameOf(desk.release)}</b> is published and paid for. To publish again costs epsilon again and needs
          another name, which step 4 asks for.
        </p>
        <p class="next">
          <button type="button" class="primary" onClick={() => desk.go("handover")}>
            Next: look and hand over
          </button>
          <button type="button" onClick={() => setAgain(true)}>
            Publish something else
          </button>
        </p>
      </section>
    );
  }
  return (
    <section aria-labelledby="title">
      <h1 id="title">Publish</h1>
      <p class="lead">
        This spends. What is spent cannot be had back, also when something fails afterwards. It writes a folder on this
        machine; nothing is uploaded.
      </p>
      {desk.facts.repeatable ? (
        <p class="warn" role="alert">
          This desk is of the laboratory: its keys can be repeated, so what it makes protects nobody.
        </p>
      ) : null}
      <div class="card">
        <table class="plain facts">
          <tbody>
            <tr>
              <th scope="row">It will spend</th>
              <td>
                <b>epsilon {text(fields, "epsilon")}</b>
                {series ? ` on each ${text(f, "period").split(":")[0]}` : ""}, from {nameOf(text(fields, "ledger"))}
              </td>
            </tr>
            <tr>
              <th scope="row">Made from</th>
              <td>{nameOf(text(fields, "input")) || "a query"}</td>
            </tr>
            <tr>
              <th scope="row">Protected</th>
              <td>
                <Who
                  who={
                    rehearsal?.who ??
                    (text(fields, "unit").startsWith("user")
                      ? `one person with up to ${text(fields, "max_trips_per_user")} trips`
                      : "one trip")
                  }
                />
              </td>
            </tr>
            <tr>
              <th scope="row">Declared by you</th>
              <td>
                {usesZones(f)
                  ? `the zones in ${nameOf(text(fields, "zones"))}`
                  : `the box ${text(fields, "bbox")}, ${text(fields, "grid")} cells`}
                ; {stopsInWords[text(fields, "stops") || "od"] ?? text(fields, "stops")}
              </td>
            </tr>
            <tr>
              <th scope="row">What will be public</th>
              <td>noisy counts, what you declared, what it cost. No row, no true count, no id</td>
            </tr>
            <tr>
              <th scope="row">What stays here</th>
              <td>the rows, and the ledger with its sum</td>
            </tr>
            {rehearsal && !series ? (
              <tr>
                <th scope="row">Ledger afterwards</th>
                <td>
                  <Balance
                    budget={Number(rehearsal.budget)}
                    spent={Number(rehearsal.budget) - Number(rehearsal.left_after)}
                    now={Number(rehearsal.epsilon)}
                  />
                  {rehearsal.left_after} of {rehearsal.budget} left
                </td>
              </tr>
            ) : null}
          </tbody>
        </table>
        {rehearsal ? null : (
          <p class="warn">
            It was not rehearsed with these values. A wrong column would be paid for.{" "}
            <button type="button" class="link" onClick={() => desk.go("rehearse")}>
              Rehearse first
            </button>
          </p>
        )}
        <div class="confirm">
          <label for="confirm">
            Type <b>{name}</b> to publish it
          </label>
          <input
            id="confirm"
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(e) => setTyped(e.currentTarget.value)}
          />
          <button
            type="button"
            class="primary spend"
            disabled={typed !== name || state !== null}
            onClick={() => void go()}
          >
            Publish and spend {text(fields, "epsilon")}
          </button>
        </div>
        <Progress state={state} pace={lastPace} stop={() => void stopJob(id)} />
        {state ? (
          <p class="soft small">
            Stopping is safe: before the budget is reserved it costs nothing, afterwards what was reserved stays spent
            and no half release is left.
          </p>
        ) : null}
        <Trouble fault={fault}>
          {fault?.code === 130 ? <p>Look at the ledger for whether anything was spent.</p> : null}
        </Trouble>
      </div>
      <Script job="publish" fields={fields} />
    </section>
  );
}
