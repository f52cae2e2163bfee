import { operatorsOf, StateFilter, stateAttributes } from '@leitstand/contract/overview'
import { expect, it } from 'vitest'
import {
  type ConditionDraft,
  countOf,
  faultsOf,
  hasRoom,
  inputOf,
  newCondition,
  newGroup,
  replaced,
  toDraft,
  toFilter,
  withComparison,
} from './draft.ts'

const nested: StateFilter = {
  or: [
    { and: [{ attribute: 'unit', operator: 'equals', value: ['ppm'] }] },
    { attribute: 'accountId', operator: 'notEquals', value: [3, 4] },
    { attribute: 'timestamp', operator: 'valueOlderThan', value: 60 },
    { attribute: 'timestamp', operator: 'lessThan', value: '2026-06-12T00:00:00.000Z' },
    { attribute: 'geolocation', operator: 'isNull' },
  ],
}
const condition = (change: Partial<ConditionDraft>): ConditionDraft => ({ ...newCondition(), ...change })

it('a filter comes back from its draft, and a single condition in a group', () => {
  expect(toFilter(toDraft(nested))).toEqual(nested)
  expect(countOf(nested)).toBe(5)
  const one = { attribute: 'unit', operator: 'equals', value: ['ppm'] } as const
  expect(toFilter(toDraft({ ...one, value: 'ppm' }))).toEqual({ and: [{ ...one, value: ['ppm'] }] })
  expect(faultsOf(toDraft(nested)).size).toBe(0)
})

it('a new draft asks for a value', () => {
  const draft = toDraft(undefined)
  expect(draft).toMatchObject({ word: 'and', items: [{ attribute: 'stateIdentifier', values: [] }] })
  expect([...faultsOf(draft)]).toEqual([draft.items[0]?.id])
})

it.each([
  ['accountId', 'equals', 'ids'],
  ['configId', 'isNull', 'none'],
  ['geolocation', 'isNotNull', 'none'],
  ['timestamp', 'valueOlderThan', 'minutes'],
  ['timestamp', 'greaterThan', 'time'],
  ['stateType', 'equals', 'choice'],
  ['unit', 'contains', 'texts'],
  ['twin_tags', 'contains', 'texts'],
] as const)('%s %s is compared with %s', (attribute, operator, input) => {
  expect(inputOf({ attribute, operator })).toBe(input)
})

it('another attribute takes an operator it has, and keeps values of the same kind', () => {
  const unit = condition({ attribute: 'unit', operator: 'isNull', values: ['ppm'] })
  expect(withComparison(unit, { operator: 'contains' })).toMatchObject({ values: ['ppm'] })
  const title = withComparison({ ...unit, operator: 'notEquals' }, { attribute: 'dtwinTitle' })
  expect(title).toMatchObject({ attribute: 'dtwinTitle', operator: 'notEquals', values: ['ppm'] })
  expect(withComparison(title, { attribute: 'accountId' })).toMatchObject({
    operator: 'notEquals',
    values: [],
  })
  expect(withComparison(title, { attribute: 'geolocation' })).toMatchObject({ operator: 'isNotNull' })
  const type = condition({ attribute: 'stateType', operator: 'equals', values: ['text'] })
  expect(withComparison(type, { attribute: 'sourceType' }).values).toEqual([])
  expect(withComparison(type, { operator: 'notEquals' }).values).toEqual(['text'])
})

it('parts are replaced and removed, and a group without conditions goes with the last one', () => {
  const draft = toDraft(nested)
  const [group, second] = draft.items
  if (!group || !('items' in group) || !second) throw new Error('not nested')
  const inner = group.items[0] as ConditionDraft
  const changed = replaced(draft, inner.id, { ...inner, values: ['kWh'] })
  expect(toFilter(changed)).toMatchObject({ or: [{ and: [{ value: ['kWh'] }] }, {}, {}, {}, {}] })
  expect(replaced(draft, inner.id, null).items).toEqual(draft.items.slice(1))
  expect(replaced(draft, second.id, null).items).toHaveLength(4)
  const single = newGroup('and')
  expect(toFilter(replaced(single, single.items[0]?.id ?? 0, null))).toBeNull()
})

it('has room for fifty conditions', () => {
  const items = Array.from({ length: 49 }, newCondition)
  expect(hasRoom({ id: 0, word: 'or', items })).toBe(true)
  expect(hasRoom({ id: 0, word: 'or', items: [...items, newCondition()] })).toBe(false)
})

it.each(Object.entries(stateAttributes))(
  '%s can be compared with each of its operators',
  (attribute, kind) => {
    const samples = { minutes: '60', time: '2026-06-12T00:00:00.000Z', ids: '3', texts: 'x', none: '' }
    for (const operator of operatorsOf[kind]) {
      const draft = condition({ attribute: attribute as ConditionDraft['attribute'], operator })
      const input = inputOf(draft)
      if (input === 'choice') continue
      const filter = toFilter({ ...draft, values: input === 'none' ? [] : [samples[input]] })
      expect(StateFilter.safeParse(filter).success, operator).toBe(true)
    }
  },
)
