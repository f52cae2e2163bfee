import { cell, rounded, table } from '../report/table.ts'
import type { Report } from '../subjects/report.ts'
import type { Findings } from './audit.ts'
import type { Posted } from './auditMails.ts'
import type { Waited } from './timers.ts'

/** One fault and its consequences. */
export interface FaultRecord {
  kind: string
  detail: string
  /** from the moment its cause was gone until every connector acknowledged an uplink that was sent after it */
  recoveryMs: number
  /** what did not recover in time */
  stuck: string[]
  /** commands of orphaned processes */
  orphans: string[]
  /** for everything sent since the previous fault */
  findings: Findings
}

interface Outcome {
  options: { seed: number }
  faults: readonly FaultRecord[]
  /** of the whole run */
  total: Findings
  /** rules that wait for the clock */
  timers: Waited
  mails: Posted
  /** mails of rules, as written */
  posts: Waited
  sent: number
  acknowledged: number
  /** messages that were sent more than once */
  sentAgain: number
  refusals: readonly string[]
  /** messages never acknowledged, and effects not completed in time */
  unfinished: number
  serverStarts: number
  /** how often the server ended by itself */
  serverEnds: number
  /** processes left after the platform was stopped */
  orphans: number
  seconds: number
}

/** The figures of a run. Any error after any fault counts, even if it was later corrected. */
export function chaosReport(outcome: Outcome): Report {
  const { options, faults, total } = outcome
  const worst = (name: keyof Findings) =>
    Math.max(total[name], ...faults.map(({ findings }) => findings[name]))
  const stuck = faults.filter((fault) => fault.stuck.length > 0).length + Number(outcome.unfinished > 0)
  const bad = {
    lost: worst('lost'),
    duplicated: worst('duplicated'),
    outOfOrder: worst('outOfOrder'),
    undecoded: worst('undecoded'),
    rulesMissed: worst('rulesMissed'),
    rulesDoubled: worst('rulesDoubled'),
    currentWrong: worst('currentWrong'),
    rollupsWrong: worst('rollupsWrong'),
    timersMissed: outcome.timers.missed,
    timersDoubled: outcome.timers.doubled,
    mailsLost: outcome.mails.lost + outcome.posts.missed,
    mailsDoubled: outcome.mails.doubled + outcome.posts.doubled,
    aside: worst('aside'),
    refused: outcome.refusals.length,
    stuck,
    orphans: outcome.orphans + faults.reduce((sum, fault) => sum + fault.orphans.length, 0),
  }
  const byKind = kindsOf(faults)
  const json = {
    subject: 'chaos',
    kills: faults.length,
    faults: Object.fromEntries(byKind.map(({ kind, times }) => [kind, times])),
    sent: outcome.sent,
    acknowledged: outcome.acknowledged,
    stored: total.stored,
    ...bad,
    mails: outcome.mails.mails,
    mailsInDoubt: outcome.mails.inDoubt,
    sentAgain: outcome.sentAgain,
    serverStarts: outcome.serverStarts,
    serverEndedByItself: outcome.serverEnds,
    recoveryMs: Object.fromEntries(
      byKind.map(({ kind, median, max }) => [kind, { median: rounded(median), max: rounded(max) }]),
    ),
    seed: options.seed,
    seconds: rounded(outcome.seconds),
    ...(outcome.refusals.length === 0 ? {} : { refusals: outcome.refusals.slice(0, 5) }),
  }
  const lines = [
    ...table([
      ['fault', 'times', 'back after ms, median', 'max'],
      ...byKind.map(({ kind, times, median, max }) => [kind, cell(times), cell(median), cell(max)]),
    ]),
    '',
    ...table([
      ['whole run', ''],
      ...Object.entries({
        sent: outcome.sent,
        acknowledged: outcome.acknowledged,
        stored: total.stored,
        ...bad,
        'mails delivered': outcome.mails.mails,
        'marked as perhaps delivered twice': outcome.mails.inDoubt,
        'sent more than once': outcome.sentAgain,
        'starts of the server': outcome.serverStarts,
        'the server ended by itself': outcome.serverEnds,
      }).map(([name, value]) => [name, cell(value)]),
    ]),
    '',
    `seed ${options.seed}`,
  ]
  return { json, lines, isClean: Object.values(bad).every((count) => count === 0) }
}

function kindsOf(faults: readonly FaultRecord[]) {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort()
  return kinds.flatMap((kind) => {
    const times = faults.flatMap((fault) => (fault.kind === kind ? [fault.recoveryMs] : []))
    if (times.length === 0) return []
    const sorted = times.toSorted((a, b) => a - b)
    const [median, max] = [sorted[sorted.length >> 1] as number, sorted.at(-1) as number]
    return [{ kind, times: times.length, median, max }]
  })
}
