import type { JsonValue } from '@leitstand/contract/common'
import type { Executor } from '../../platform/db/index.ts'
import { typeOf } from '../series/index.ts'
import { addStates, fedState } from '../twins/index.ts'
import type { Meaning } from './decode.ts'
import { type DeviceEntry, Outdated } from './entry.ts'
import { type DeviceRecord, readVariableTitles } from './store.ts'
import { ingestLimits } from './types.ts'

/** Variable names for which states are created. */
const keyPattern = /^[A-Za-z0-9_.]{1,100}$/

/**
 * Creates states for new variables, except for devices whose states are defined by a template.
 * @returns ids of the new states by `<device id> <variable>`
 */
export async function createStates(
  tx: Executor,
  packets: readonly Pick<DeviceEntry, 'device' | 'meaning'>[],
): Promise<Map<string, number>> {
  const wanted = new Map<
    string,
    { device: DeviceRecord; variable: string; value: JsonValue; meaning: Meaning }
  >()
  for (const { device, meaning } of packets) {
    if (device.isLinked) continue
    for (const { variables } of meaning.measurements) {
      for (const variable in variables) {
        if (device.states.has(variable) || device.keys.has(variable)) continue
        const value = variables[variable] as JsonValue
        const name = `${device.id} ${variable}`
        if (wanted.has(name) || device.keys.size >= ingestLimits.autoStatesMax) continue
        if (value !== null && keyPattern.test(variable))
          wanted.set(name, { device, variable, value, meaning })
      }
    }
  }
  if (wanted.size === 0) return new Map()
  const all = [...wanted.values()]
  const drivers = new Map(
    all.flatMap(({ meaning: { driver } }) =>
      driver === null ? [] : [[`${driver.driverId} ${driver.number}`, driver]],
    ),
  )
  const titles = await readVariableTitles(tx, [...drivers.values()])
  const created = await addStates(
    tx,
    all.map(({ device, variable, value, meaning: { driver } }) => {
      const named =
        driver === null ? undefined : titles.get(`${driver.driverId} ${driver.number} ${variable}`)
      const title = named?.title || titleOf(variable)
      const state = fedState({ key: variable, title, unit: named?.unit ?? '', valueType: typeOf(value) })
      return { twinIds: [device.id], states: [state] }
    }),
  )
  if (created.length < wanted.size)
    throw new Outdated('another transaction has created states in the meantime')
  return new Map(created.map(({ id, twinId, key }) => [`${twinId} ${key}`, id]))
}

/** `battery_voltage` → `Battery voltage`. */
function titleOf(variable: string): string {
  const words = variable.replaceAll('_', ' ').trim()
  return words === '' ? variable : words.charAt(0).toUpperCase() + words.slice(1)
}
