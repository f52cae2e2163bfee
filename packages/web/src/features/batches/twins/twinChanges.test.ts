import { TwinChanges } from '@leitstand/contract/twinBulk'
import { describe, expect, test } from 'vitest'
import { isEmptyChange, noTwinChanges, type TwinValues, toTwinChanges, twinOverlaps } from './twinChanges.ts'

const values = (changed: Partial<TwinValues>): TwinValues => ({ ...noTwinChanges, ...changed })

describe('the changes of a bulk edit of twins', () => {
  test('are empty until something is chosen', () => {
    expect(toTwinChanges(noTwinChanges)).toEqual({})
    expect(isEmptyChange(noTwinChanges)).toBe(true)
    expect(isEmptyChange(values({ on: ['parent'] }))).toBe(false)
  })

  test.each<[string, Partial<TwinValues>, object]>([
    ['added tags', { add: { tags: ['a'], zones: [] } }, { tags: { add: ['a'], remove: [] } }],
    ['removed zones', { remove: { tags: [], zones: ['b'] } }, { zones: { add: [], remove: ['b'] } }],
    ['set properties', { keyValuesSet: { k: 'v' } }, { keyValues: { set: { k: 'v' }, remove: [] } }],
    ['removed properties', { keyValuesRemove: ['k'] }, { keyValues: { set: {}, remove: ['k'] } }],
    ['a parent', { on: ['parent'], parentId: '7' }, { parentId: 7 }],
    ['the top level', { on: ['parent'] }, { parentId: null }],
    ['an icon', { on: ['icon'], icon: 'home' }, { icon: 'home' }],
    ['the icon of the type', { on: ['icon'] }, { icon: null }],
    ['disabling', { on: ['disabled'] }, { disabled: true }],
    ['enabling', { on: ['disabled'], disabled: false }, { disabled: false }],
    [
      'nothing of a field whose switch is off',
      { parentId: '7', icon: 'home', add: { tags: ['a'], zones: [] } },
      {
        tags: { add: ['a'], remove: [] },
      },
    ],
  ])('contain %s', (_, changed, sent) => {
    expect(toTwinChanges(values(changed))).toEqual(sent)
    expect(TwinChanges.safeParse(sent).success).toBe(true)
  })
})

test('an entry that is both added and removed is found', () => {
  const both = { tags: ['a'], zones: ['z'] }
  expect(twinOverlaps(values({ add: both, remove: { tags: ['b'], zones: ['z'] } }))).toEqual(['zones'])
  expect(twinOverlaps(values({ keyValuesSet: { k: 'v' }, keyValuesRemove: ['k'] }))).toEqual(['keyValues'])
  expect(twinOverlaps(noTwinChanges)).toEqual([])
})
