import { JsonInput, type ScriptSource } from '../../../../platform/scripts/types.ts'
import { scriptProblem, toDecoded } from '../../decoded.ts'
import type { ReadyPacket, RunnableDriver } from '../../run.ts'
import { groupOf } from '../group.ts'
import type { ParserKindOf, RunOptions } from '../types.ts'

/** A function in JavaScript. */
export const functionParser: ParserKindOf<'function'> = {
  read: async ({ scripts }, driver, packets, options) => {
    const results = await scripts.run(sourceOf(driver, options), packets.map(toInput), options)
    return packets.map(({ time }, index) => {
      const result = results[index]
      if (!result) throw new Error('the script engine answered fewer inputs than it got')
      return toDecoded(result, time)
    })
  },
  inspect: async ({ scripts }, source, account) => {
    const check = await scripts.check({ kind: 'driver', source, account })
    return check.ok
      ? { ok: true, family: check.family, stateful: check.purity !== 'pure', problem: null }
      : { ok: false, family: null, stateful: false, problem: scriptProblem(check.error) }
  },
}

/** The identity of a driver's version for the engine, once for each account whose data it reads. */
function sourceOf(driver: RunnableDriver, options: RunOptions): ScriptSource {
  return {
    id: `driver:${driver.driverId}:${driver.number}`,
    source: driver.script,
    kind: 'driver',
    group: groupOf(driver, options),
  }
}

/** The script's input (`ScriptInput`), put together from texts that are JSON already. */
function toInput({ time, fPort, meta, encoding, payload }: ReadyPacket): JsonInput {
  const port = fPort === null ? '' : `"fPort":${fPort},`
  const content = encoding === 'hex' ? `"bytes":"${payload}"` : `"payload":${payload}`
  return new JsonInput(`{"time":"${time.toISOString()}",${port}"meta":${meta},${content}}`)
}
