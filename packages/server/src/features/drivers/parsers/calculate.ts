import type { JsonValue } from '@leitstand/contract/common'
import type { Calculated } from '@leitstand/contract/parsers'
import * as z from 'zod'
import type { ScriptEngine, ScriptSource } from '../../../platform/scripts/types.ts'
import type { Decoded } from '../run.ts'
import { type Formula, given, readFormulas } from './expressions.ts'
import { groupOf } from './group.ts'
import type { RunOptions } from './types.ts'

/** Data of a packet besides its variables. */
export interface Circumstances {
  time: Date
  fPort: number | null
  /** JSON text */
  meta: string
}

/** Whose variables are computed, for the engine. */
export interface CalculatingDriver {
  driverId: number
  number: number
  delivered?: boolean
  calculated: readonly Calculated[]
}

/**
 * What the script below answers for one measurement. Whatever an expression does to it, more than its own calculated
 * variables, of these kinds, does not come out.
 */
const Answer = z.strictObject({
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  errors: z.array(z.string()),
  notes: z.array(z.strictObject({ key: z.string(), value: z.string() })),
})

/**
 * Adds the calculated variables of a driver to decoded packets, in one sandbox call. An expression that fails
 * marks its packet with CALCULATION_FAILED; the other variables are kept.
 */
export async function calculate(
  scripts: Pick<ScriptEngine, 'run'>,
  driver: CalculatingDriver,
  packets: readonly Circumstances[],
  decoded: readonly Decoded[],
  options: RunOptions,
): Promise<Decoded[]> {
  const places = decoded.flatMap(({ measurements }, packet) =>
    measurements.map((_measurement, index) => ({ packet, index })),
  )
  if (places.length === 0) return [...decoded]
  const inputs = places.map(({ packet, index }) => {
    const { time, fPort, meta } = packets[packet] as Circumstances
    const { variables } = (decoded[packet] as Decoded).measurements[index] as Decoded['measurements'][number]
    return { value: variables, meta: { time: time.toISOString(), fPort, meta: JSON.parse(meta) as unknown } }
  })
  const results = await scripts.run(sourceOf(driver, options), inputs)
  const added = decoded.map((each) => ({ ...each, measurements: [...each.measurements] }))
  for (const [at, { packet, index }] of places.entries()) {
    const result = results[at]
    const each = added[packet]
    const measurement = each?.measurements[index]
    if (!result || !each || !measurement)
      throw new Error('the script engine answered fewer inputs than it got')
    each.durationUs += result.durationUs
    if (!result.ok) {
      const { code, message } = result.error
      each.error ??= { code: code === 'SCRIPT_ENGINE_BUSY' ? code : 'CALCULATION_FAILED', message }
      continue
    }
    const answer = Answer.safeParse(result.value)
    if (!answer.success) {
      // The wrapper script returns valid results, so an expression has tampered with it.
      each.error ??= { code: 'CALCULATION_FAILED', message: 'The expressions answered what they cannot' }
      continue
    }
    const { values, errors, notes } = answer.data
    const known = Object.fromEntries(driver.calculated.flatMap(({ key }) => own(values, key)))
    each.measurements[index] = { time: measurement.time, variables: { ...measurement.variables, ...known } }
    each.variables = { ...each.variables, ...known }
    const remarks = notes.map(({ key, value }) => ({
      message: `${key}: ${value} is no value`,
      params: { kind: 'noValue', key, value },
    }))
    each.warnings = [...each.warnings, ...remarks]
    if (errors.length > 0) each.error ??= { code: 'CALCULATION_FAILED', message: errors.join('; ') }
  }
  return added
}

function own(values: Readonly<Record<string, JsonValue>>, key: string): [string, JsonValue][] {
  return Object.hasOwn(values, key) ? [[key, values[key] as JsonValue]] : []
}

const sources = new WeakMap<readonly Calculated[], string>()

function sourceOf(driver: CalculatingDriver, options: RunOptions): ScriptSource {
  const { driverId, number, calculated } = driver
  let source = sources.get(calculated)
  if (source === undefined) {
    source = scriptOf(readFormulas(calculated))
    sources.set(calculated, source)
  }
  return {
    id: `calculated:${driverId}:${number}`,
    source,
    kind: 'transformer',
    group: groupOf(driver, options),
  }
}

/**
 * The script that computes formulas, which are in an order in which each comes after those it needs. Every expression
 * has lines of its own, so that a comment in it ends there.
 */
function scriptOf(formulas: readonly Formula[]): string {
  const steps = formulas.map(({ key, expression, roots, chains }) => {
    const parameters = [...given, ...roots].join(', ')
    const names = [key, chains.map((chain) => chain.split('.')), roots].map((each) => JSON.stringify(each))
    return `step(${names.join(', ')}, function (${parameters}) { return (\n${expression}\n) })`
  })
  return `${prelude}\n${steps.join('\n')}\nreturn { values: computed, errors: errors, notes: notes }`
}

/** `value` is the record of variables, `meta` what `Circumstances` says. */
const prelude = `
const variables = Object.assign({}, value)
const computed = {}, errors = [], notes = []
const has = (name) => Object.hasOwn(variables, name)
const isThere = (chain) => chain.some((_part, index) => has(chain.slice(0, index + 1).join('.')))
const below = (root) => {
  if (has(root)) return variables[root]
  const tree = {}
  for (const name of Object.keys(variables)) {
    if (!name.startsWith(root + '.')) continue
    const parts = name.slice(root.length + 1).split('.')
    let node = tree
    for (const part of parts.slice(0, -1)) {
      if (typeof node[part] !== 'object' || node[part] === null) node[part] = {}
      node = node[part]
    }
    node[parts[parts.length - 1]] = variables[name]
  }
  return tree
}
const step = (key, chains, roots, compute) => {
  if (!chains.every(isThere)) return
  let result
  try {
    result = compute(variables, meta.meta, meta.fPort === null ? undefined : meta.fPort, new Date(meta.time), ...roots.map(below))
  } catch (error) {
    errors.push(key + ': ' + String(error && error.message || error).slice(0, 200))
    return
  }
  if (result === undefined || result === null) return
  if (typeof result === 'number' && !Number.isFinite(result)) notes.push({ key, value: String(result) })
  else if (typeof result === 'object' || typeof result === 'function' || typeof result === 'bigint' || typeof result === 'symbol')
    errors.push(key + ': the result is no number, text or boolean')
  else variables[key] = computed[key] = result
}`
