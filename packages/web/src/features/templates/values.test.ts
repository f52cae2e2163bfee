import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { Template, TemplateContent } from './queries.ts'
import {
  checkTemplate,
  faultySection,
  formSections,
  invalidParts,
  toInput,
  toProductiveValues,
  toValues,
} from './values.ts'

it.each([
  [{ 'health.entries.0.identifier': 'x', rules: 'x' }, 'health'],
  [{ driverId: 'x' }, 'driver'],
  [{ 'properties.0.key': 'x', connectorId: 'x' }, 'meta'],
])('leads to the first section with a fault: %j', (faults, section) => {
  expect(faultySection(faults)).toBe(section)
})

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const content: TemplateContent = {
  driverId: 3,
  driverVersion: null,
  connectorId: 5,
  icon: 'waste',
  tags: ['a'],
  groups: ['Abfall'],
  health: null,
  states: [],
  rules: [],
  properties: [{ key: 'Standort', defaultValue: '' }],
}
const template = {
  title: 'Tonnen',
  description: 'Text',
  draft: content,
  productive: { ...content, driverId: 4, tags: [] },
} as unknown as Template

describe('the form of a template', () => {
  it('comes back unchanged', () => {
    expect(toInput(toValues(template))).toEqual({ title: 'Tonnen', description: 'Text', content })
    const fixed = { ...template, draft: { ...content, driverVersion: 7, connectorId: null } } as Template
    expect(toInput(toValues(fixed)).content).toEqual(fixed.draft)
  })

  it('shows what devices have now, or the draft before the first publication', () => {
    expect(toProductiveValues(template)).toMatchObject({ driverId: '4', tags: [], title: 'Tonnen' })
    expect(toProductiveValues({ ...template, productive: null } as Template)).toEqual(toValues(template))
  })

  it('is sent without blanks around names', () => {
    const values = {
      ...toValues(template),
      title: ' T ',
      properties: [{ key: ' Ort ', defaultValue: ' x ' }],
    }
    expect(toInput(values)).toMatchObject({
      title: 'T',
      content: { properties: [{ key: 'Ort', defaultValue: ' x ' }] },
    })
  })
})

describe('faults of a template', () => {
  const good = toValues(template)
  const rule = {
    title: 'Voll',
    active: true,
    pausedUntil: null,
    triggers: [{ kind: 'values' as const }],
    metrics: [{ alias: 'a', stateKey: 'level', operation: 'latest' as const, abortIfNull: true }],
    conditions: { op: 'gt' as const, left: { metric: 'a' }, right: { value: 90 } },
    throttleHours: 0,
    executionTimes: null,
    actions: [{ kind: 'alarm' as const, severity: 'error' as const, message: 'voll' }],
  }

  it('there are none in a complete one', () => {
    expect(checkTemplate(good)).toEqual({})
  })

  it('a driver that was not chosen is missing', () => {
    expect(checkTemplate({ ...good, driverId: null })).toEqual({ driverId: 'Dieses Feld ist erforderlich' })
  })

  it.each([
    [{ title: ' ' }, ['title']],
    [{ tags: [''] }, ['tags.0']],
    [{ properties: [{ key: ' ', defaultValue: '' }] }, ['properties.0.key']],
    [{ description: 'x'.repeat(4001) }, ['description']],
    [{ connectorId: null }, []],
  ])('%j', (change, paths) => {
    expect(Object.keys(checkTemplate({ ...good, ...change }))).toEqual(paths)
  })

  it('a rule whose state is gone is named with the state', () => {
    const { rules } = checkTemplate({ ...good, rules: [rule] })
    expect(rules).toContain('Voll')
    expect(rules).toContain('level')
  })
})

describe('sections', () => {
  it.each([
    [{}, 'meta'],
    [{ title: 'x' }, 'meta'],
    [{ 'states.3.title': 'x' }, 'states'],
    [{ 'rules.0.metrics.0.stateKey': 'x' }, 'rules'],
    [{ rules: 'x', states: 'x' }, 'states'],
    [{ rules: 'x', unknown: 'x' }, 'meta'],
    [{ driverVersion: 'x', health: 'x' }, 'driver'],
    [{ constructor: 'x' }, 'meta'],
  ])('%j leads to %s', (faults, section) => {
    expect(faultySection(faults as Record<string, unknown>)).toBe(section)
    expect(formSections).toContain(section)
  })
})

describe('what the server finds', () => {
  const refused = (issues: unknown) =>
    new ORPCError('DEVICE_TEMPLATE_INVALID', { status: 422, data: { requestId: 'r', details: { issues } } })

  it.each(['nothing', null, undefined, new Error('x'), refused('text'), refused([{ code: 1 }])])(
    '%s has no parts',
    (error) => {
      expect(invalidParts(error)).toEqual({})
    },
  )

  it('is shown at its field, at states and rules as a whole, the first of each', () => {
    const issue = (path: string[], message: string) => ({ code: 'OTHER', path, message })
    const parts = invalidParts(
      refused([
        issue(['states', '0', 'key'], 'first'),
        issue(['states', '1', 'key'], 'second'),
        issue(['health', 'entries', '0'], 'third'),
        issue([], 'fourth'),
      ]),
    )
    expect(Object.keys(parts)).toEqual(['states', 'health.entries.0', ''])
  })
})
