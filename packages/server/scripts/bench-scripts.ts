/**
 * Measures the script engine: how many decodes a second it answers, by kind of script and size of batch.
 * `npx node packages/server/scripts/bench-scripts.ts [--seconds 2] [--workers 2] [--json]`
 */
import { parseArgs } from 'node:util'
import { createScriptEngine, type ScriptInput, type ScriptSource } from '../src/platform/scripts/index.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
})

/** Calls in flight, as several connectors would have them. */
const CONCURRENCY = 8

const CLIMATE = `
  return { data: {
    battery_voltage: ((b[0] & 0x3f) << 8 | b[1]) / 1000,
    temperature: ((b[2] << 24 >> 16) | b[3]) / 100,
    humidity: (b[4] << 8 | b[5]) / 10,
    external_temperature: ((b[7] << 24 >> 16) | b[8]) / 100
  } }`

const driver = (id: string, source: string): ScriptSource => ({
  id,
  source,
  kind: 'driver',
  group: 'account 1',
})
const uplink: ScriptInput = { bytes: 'cba40abb02e6010b3c7fff', fPort: 2, time: '2026-01-01T00:00:00.000Z' }

const SUBJECTS: { title: string; script: ScriptSource; input: ScriptInput }[] = [
  {
    title: 'driver, pure',
    script: driver('pure', `function decodeUplink(input) { var b = input.bytes; ${CLIMATE} }`),
    input: uplink,
  },
  {
    title: 'driver, set up again for each call',
    script: driver(
      'module',
      `var last; function decodeUplink(input) { var b = last = input.bytes; ${CLIMATE} }`,
    ),
    input: uplink,
  },
  {
    title: 'driver, fresh context for each call',
    script: driver(
      'context',
      `function decodeUplink(input) { Array.prototype.x = 1; var b = input.bytes; ${CLIMATE} }`,
    ),
    input: uplink,
  },
  {
    title: 'transformer',
    script: { id: 'transformer', kind: 'transformer', group: 'account 1', source: 'return value * 1.8 + 32' },
    input: { value: 21.5, meta: { timestamp: '2026-01-01T00:00:00.000Z' } },
  },
  {
    title: 'condition',
    script: {
      id: 'condition',
      kind: 'condition',
      group: 'account 1',
      parameters: ['temperature', 'humidity'],
      source: 'return temperature > 20 && humidity < 60',
    },
    input: { variables: { temperature: 21.5, humidity: 40 } },
  },
]

await using engine = await createScriptEngine({ workers: Number(values.workers), log: console })
const figures: { subject: string; batch: number; callsPerSecond: number; ownCpuShare: number }[] = []
for (const { title, script, input } of SUBJECTS) {
  for (const batch of [1, 10, 100, 500]) {
    const inputs = Array.from({ length: batch }, () => input)
    await engine.run(script, inputs)
    const started = performance.now()
    const cpu = process.cpuUsage()
    const end = started + Number(values.seconds) * 1000
    let calls = 0
    const caller = async (): Promise<void> => {
      while (performance.now() < end) {
        const results = await engine.run(script, inputs)
        const failure = results.find((result) => !result.ok)
        if (failure !== undefined) throw new Error(JSON.stringify(failure))
        calls += results.length
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, caller))
    const ms = performance.now() - started
    const { user, system } = process.cpuUsage(cpu)
    const figure = {
      subject: title,
      batch,
      callsPerSecond: Math.round((calls / ms) * 1000),
      ownCpuShare: Math.round(((user + system) / 1000 / ms) * 100) / 100,
    }
    figures.push(figure)
  }
}
if (values.json) console.log(JSON.stringify(figures))
else console.table(figures)
