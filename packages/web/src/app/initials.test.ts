import { expect, test } from 'vitest'
import { initialsOf } from './initials.ts'

test.each([
  ['Ada Lind', 'AL'],
  ['ada lind', 'AL'],
  ['Ada Maria von Lind', 'AL'],
  ['Ada', 'AD'],
  ['ö', 'Ö'],
  ['Émile Zola', 'ÉZ'],
  ['ada.lind', 'AL'],
  ['ada-lind', 'AL'],
  ['ada_lind', 'AL'],
  ['ada.lind@example.org', 'AD'],
  ['  Ada  ', 'AD'],
  ['', ''],
  ['李 小龙', '李小'],
  ['🌡 Sensor', '🌡S'],
])('%j has the initials %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
