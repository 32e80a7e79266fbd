// 7 Ledgers and series: what was spent and may be spent, which releases there are, and whether they hold.
import { useEffect, useState } from "preact/hooks";
import { found, run, type Entry, type Fault } from "./api";
import { nameOf, type Desk } from "./model";
import { faultOf, Script, Trouble } from "./pieces";
import { Balance } from "./publish_screen";

interface LedgerRecord {
  [name: string]: unknown;
}
interface LedgerTold {
  budget: string;
  spent: string;
  left: string;
  reserved: string;
  period?: string;
  budget_per_period?: string;
  budget_per_year?: string;
  periods?: { period: string; spent: string; may_spend: string; closed: boolean }[];
  records?: LedgerRecord[];
}

const kinds: Record<string, string> = {
  GENESIS: "budget declared",
  RESERVE: "reserved",
  COMMIT: "published",
  CLOSE: "published, period closed",
  ABORT: "failed, but spent",
};

export function LedgersScreen({ desk }: { desk: Desk }) {
  const [ledgers, setLedgers] = useState<Entry[]>([]);
  const [releases, setReleases] = useState<Entry[]>([]);
  useEffect(() => {
    found().then(
      (r) => {
        setLedgers(r.ledgers);
        setReleases([...r.series, ...r.releases]);
      },
      () => {},
    );
  }, [desk.changed]);
  return (
    <section aria-labelledby="title">
      <h1 id="title">Ledgers and series</h1>
      <p class="lead">
        A ledger keeps what was told about the same people, over all releases. It only grows, and refuses what would go
        over its budget.
      </p>
      {ledgers.length === 0 ? <p class="soft">No ledger yet: the first publication makes one.</p> : null}
      {ledgers.map((l) => (
        <LedgerCard key={`${l.path}${desk.changed}`} entry={l} />
      ))}
      <div class="card">
        <h2>Releases</h2>
        {releases.length === 0 ? <p class="soft">None yet.</p> : null}
        <ul class="releases">
          {releases.map((r) => (
            <ReleaseLine key={r.path} entry={r} desk={desk} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function LedgerCard({ entry }: { entry: Entry }) {
  const [told, setTold] = useState<LedgerTold | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  useEffect(() => {
    run("ledger", { ledger: entry.path }).then(
      (s) => setTold(s.result as LedgerTold),
      (e) => setFault(faultOf(e)),
    );
  }, []);
  const budget = Number(told?.budget);
  return (
    <article class="card ledger">
      <h2>{entry.name}</h2>
      <Trouble fault={fault} />
      {told ? (
        <>
          {Number.isFinite(budget) ? <Balance budget={budget} spent={Number(told.spent)} /> : null}
          <p>
            <b>{told.spent}</b> spent
            {Number.isFinite(budget) ? (
              <>
                , <b>{told.left}</b> left of {told.budget}
              </>
            ) : (
              " in all"
            )}
            {Number(told.reserved) > 0 ? `; ${told.reserved} of it without a release` : ""}
            {told.period ? `; at most ${told.budget_per_period} for each ${told.period}` : ""}
            {told.budget_per_year ? `, ${told.budget_per_year} in any year` : ""}
          </p>
          {told.periods && told.periods.length > 0 ? (
            <ol class="calendar" aria-label="Calendar of periods">
              {told.periods.map((p) => (
                <li class={p.closed ? "closed" : Number(p.spent) > 0 ? "open" : "free"}>
                  <b>{p.period}</b>
                  <span>
                    {p.closed
                      ? `${p.spent} spent, closed`
                      : Number(p.spent) > 0
                        ? `${p.spent} spent`
                        : `${p.may_spend} may be spent`}
                  </span>
                </li>
              ))}
            </ol>
          ) : null}
          {told.records && told.records.length > 0 ? (
            <details>
              <summary>{told.records.length} records</summary>
              <div class="scroll">
                <table class="plain">
                  <thead>
                    <tr>
                      {["", "what", "epsilon", "when", "release", "note"].map((h) => (
                        <th scope="col">{h}</th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {told.records.map((r) => (
                      <tr>
                        {[
                          r["number"],
                          kinds[String(r["kind"])] ?? r["kind"],
                          r["epsilon"],
                          r["time"],
                          r["release"],
                          r["note"],
                        ].map((v) => (
                          <td>{v === undefined ? "" : String(v)}</td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </details>
          ) : null}
          <Script job="ledger" fields={{ ledger: entry.path }} />
        </>
      ) : null}
    </article>
  );
}

interface Verified {
  releases: {
    release: string;
    pass: boolean;
    reason?: string;
    private?: boolean;
    signed_by?: string[];
    superseded?: string;
  }[];
}

function ReleaseLine({ entry, desk }: { entry: Entry; desk: Desk }) {
  const [told, setTold] = useState<Verified | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setFault(null);
    try {
      setTold((await run("verify", { release: entry.path })).result as Verified);
    } catch (e) {
      setFault(faultOf(e));
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <span class="what">
        <b>{entry.name}</b>
        {entry.kind === "series" ? <span class="tag">series</span> : null}
      </span>
      <button type="button" onClick={() => void verify()} disabled={busy} aria-label={`Verify ${entry.name}`}>
        {busy ? "Verifying …" : "Verify"}
      </button>
      <button
        type="button"
        aria-label={`Look at ${entry.name}`}
        onClick={() => {
          desk.setRelease(entry.path);
          desk.go("handover");
        }}
      >
        Look
      </button>
      <Trouble fault={fault} />
      {told
        ? told.releases.map((r) => (
            <p class={r.pass ? "good" : "warn"} role="status">
              {told.releases.length > 1 ? `${nameOf(r.release)}: ` : ""}
              {r.pass ? "verified: hashes, structure and sums are right, charges stay within epsilon" : r.reason}
              {r.pass && r.private === false ? " (not private: made with a key that can be repeated)" : ""}
              {r.superseded ? `; it was ${r.superseded}` : ""}
            </p>
          ))
        : null}
    </li>
  );
}
