import { expect, it } from 'vitest'
import type * as z from 'zod'
import { settingsOf, stateSources, state as states } from './states.ts'
import { TemplateState } from './templates.ts'

const input = states.create['~orpc'].inputSchema as z.ZodType
const parse = (source: string, sourceSettings?: object) =>
  input.parse({ dtwinId: 1, key: 'a', title: 'A', source, sourceSettings }) as {
    source: string
    sourceSettings: object
  }

it.each([...stateSources])(
  'a state of the source %s needs no settings, and drops those of others',
  (source) => {
    expect(parse(source)).toMatchObject({ source, sourceSettings: {} })
    const all = {
      variable: 'v',
      connectorId: 1,
      identifier: 'i',
      stateIds: [1],
      method: 'sum',
      min: 1,
      max: 2,
    }
    const own = Object.keys(settingsOf[source].shape)
    expect(Object.keys(parse(source, all).sourceSettings).filter((key) => !own.includes(key))).toEqual([])
  },
)

it.each([
  ['niotix', 'platform'],
  ['leitstand', 'platform'],
  ['bridge', 'connector'],
])('the name %s of the specification means %s', (name, source) => {
  expect(parse(name).source).toBe(source)
})

it('settings are checked by the schema of their source', () => {
  const found = input.safeParse({
    dtwinId: 1,
    key: 'a',
    title: 'A',
    source: 'random',
    sourceSettings: { min: 'low' },
  })
  expect(found.error?.issues.map(({ path }) => path)).toEqual([['sourceSettings', 'min']])
  expect(input.safeParse({ dtwinId: 1, key: 'a', title: 'A', source: 'unknown' }).success).toBe(false)
})

it('states of a template know keys instead of ids, and no connectors', () => {
  const of = (source: string, sourceSettings: object) =>
    TemplateState.parse({ key: 'a', title: 'A', source, sourceSettings }).sourceSettings
  expect(of('aggregate', { stateKeys: ['b'], stateIds: [1], method: 'sum' })).toEqual({
    stateKeys: ['b'],
    method: 'sum',
  })
  expect(of('connector', { variable: 'v', connectorId: 1 })).toEqual({ variable: 'v' })
  expect(TemplateState.safeParse({ key: 'a', title: 'A', source: 'datarouting' }).success).toBe(false)
})
