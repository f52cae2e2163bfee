import { twinTypes } from '@leitstand/contract/twins'
import { IconTemperature } from '@tabler/icons-react'
import { describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { twinIcon, twinPath, twinTypeNames, typeIcons } from './kinds.ts'

describe('types of twins', () => {
  test('are those of the contract', () => {
    expect([...twinTypeNames].sort()).toEqual([...twinTypes].sort())
  })

  test.each(twinTypeNames)('%s has its name in both languages', (type) => {
    for (const { twins } of [de, en]) expect(Object.keys(twins.types)).toContain(type)
  })
})

describe('the icon of a twin', () => {
  test.each([
    ['temperature', IconTemperature],
    [null, typeIcons.room],
    ['', typeIcons.room],
    ['of another version', typeIcons.room],
    ['constructor', typeIcons.room],
  ])('%j is its own, else that of its type', (icon, expected) => {
    expect(twinIcon({ icon, type: 'room' })).toBe(expected)
  })
})

test('a twin has its page', () => {
  expect(twinPath(12)).toBe('/digitaltwin-mgmt/12')
})
