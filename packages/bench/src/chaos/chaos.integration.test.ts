import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { chaos } from './index.ts'
import { type FaultKind, faultKinds } from './plan.ts'
import { Random } from './random.ts'

/** One of each; the second kill within a start is left to the long form. */
const kinds = faultKinds.filter((kind) => kind !== 'server-killed-twice')
/** Slow machines take several seconds for every start. */
const timeoutMs = 300_000

test(
  'whatever is killed, stopped, cut or full: nothing acknowledged is lost, nothing is doubled',
  async () => {
    const seed = randomInt(1_000_000)
    const said: string[] = []
    const { json } = await chaos(
      {
        seed,
        kinds: new Random(seed).shuffled<FaultKind>(kinds),
        devices: 45,
        rate: 100,
        stoppedMs: 1500,
        fullMs: 1500,
        betweenMs: 300,
      },
      (sentence) => said.push(sentence),
      new AbortController().signal,
    )
    console.log(JSON.stringify(json))
    const none = {
      lost: 0,
      duplicated: 0,
      undecoded: 0,
      rulesMissed: 0,
      rulesDoubled: 0,
      currentWrong: 0,
      rollupsWrong: 0,
      timersMissed: 0,
      timersDoubled: 0,
      mailsLost: 0,
      mailsDoubled: 0,
      aside: 0,
      refused: 0,
      stuck: 0,
      orphans: 0,
    }
    expect(json, said.join('\n')).toMatchObject(none)
    expect(json.acknowledged).toBe(json.sent)
    expect(json.stored).toBe(json.sent)
    expect(json.kills).toBeGreaterThanOrEqual(kinds.length - 1) // without the full disk, where neither way works
  },
  timeoutMs,
)
