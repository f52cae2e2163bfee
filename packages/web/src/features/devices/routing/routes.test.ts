import { describe, expect, test } from 'vitest'
import { openBrowser, refusal } from '../../../../test/browser.ts'

const browser = openBrowser()
const { createRoute, cutRoute, feedState, pathOf } = await import('./routes.ts')
type Route = Parameters<typeof cutRoute>[0]

const state = (change: object = {}) => ({
  id: 20,
  twinId: 4,
  key: 'temperature',
  title: 'Temperatur',
  unit: '°C',
  icon: 'temperature',
  valueType: 'number',
  decimals: 1,
  lowerBound: -40,
  upperBound: null,
  transformer: null,
  visualization: { kind: 'gauge', min: 0, max: 40 },
  source: 'virtual-device-aggregate',
  sourceSettings: { stateIds: [11], method: 'latest' },
  version: 3,
  ...change,
})
const route = { stateId: 20, sourceStateId: 11, twinId: 4 } as Route
const sent = () => browser.calls.at(-1)?.body as Record<string, unknown>

describe('the page of a target', () => {
  test.each([
    ['digitalTwin', '/digitaltwin-mgmt/4?tab=states'],
    ['virtualDevice', '/virtual-devices/4'],
  ] as const)('of a %s is %s', (category, path) => {
    expect(pathOf({ ...route, category } as Route)).toBe(path)
  })
})

describe('cutting a route', () => {
  test('leaves a state without a source if it had only this one', async () => {
    browser.answer('GET /digitaltwin/states/20', state())
    browser.answer('PUT /digitaltwin/states/20', {})
    await cutRoute(route)
    expect(sent()).toMatchObject({ title: 'Temperatur', version: 3, source: 'none', sourceSettings: {} })
  })

  test('keeps the other sources, and how they are combined', async () => {
    browser.answer(
      'GET /digitaltwin/states/20',
      state({ sourceSettings: { stateIds: [9, 11, 12], method: 'avg' } }),
    )
    browser.answer('PUT /digitaltwin/states/20', {})
    await cutRoute(route)
    expect(sent()).toMatchObject({
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [9, 12], method: 'avg' },
    })
  })

  test('of a state that has lost its settings does not fail', async () => {
    browser.answer('GET /digitaltwin/states/20', state({ sourceSettings: {} }))
    browser.answer('PUT /digitaltwin/states/20', {})
    await cutRoute(route)
    expect(sent()).toMatchObject({ source: 'none' })
  })

  test('is refused if somebody changed the state in the meantime', async () => {
    browser.answer('GET /digitaltwin/states/20', state())
    browser.answer('PUT /digitaltwin/states/20', () => refusal(409, 'VERSION_CONFLICT'))
    await expect(cutRoute(route)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
  })
})

describe('a new route', () => {
  test('creates a state that looks like its source', async () => {
    browser.answer(
      'GET /digitaltwin/states/11',
      state({ id: 11, source: 'connector', transformer: 'return value' }),
    )
    browser.answer('POST /digitaltwin/states', {})
    await createRoute({ sourceStateId: 11, twinId: 4, title: 'Raumtemperatur', key: 'room' })
    expect(sent()).toEqual({
      dtwinId: 4,
      key: 'room',
      title: 'Raumtemperatur',
      unit: '°C',
      icon: 'temperature',
      valueType: 'number',
      decimals: 1,
      lowerBound: -40,
      upperBound: null,
      visualization: { kind: 'gauge', min: 0, max: 40 },
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [11], method: 'latest' },
    })
  })

  test('to a state there is changes only its source', async () => {
    browser.answer('GET /digitaltwin/states/20', state({ source: 'none', sourceSettings: {} }))
    browser.answer('PUT /digitaltwin/states/20', {})
    await feedState(11, 20)
    expect(sent()).toMatchObject({
      title: 'Temperatur',
      unit: '°C',
      version: 3,
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [11], method: 'latest' },
    })
  })
})
