import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import en from '../../locales/en.json' with { type: 'json' }
import { type MovePreview, moveLines } from './moveLines.ts'

beforeAll(async () => {
  await i18next.init({ lng: 'en', resources: { en: { translation: en } } })
})

const role = (name: string, scopeName: string) => ({
  scopeId: 1,
  roleId: 1,
  isMain: false,
  scopeName,
  role: { name, key: null },
})
const plain: MovePreview = {
  userId: 1,
  from: { id: 1, name: 'Nord' },
  to: { id: 2, name: 'Süd' },
  kept: [],
  removed: [],
  given: [],
  elsewhere: 0,
  needsTwoFactor: false,
  needsConsent: false,
  signOns: 0,
}

test('a user without roles is named as such', () => {
  expect(moveLines(i18next.t, plain)).toEqual([
    en.users.move.noRoles,
    en.users.move.rules.replace('{{from}}', 'Nord').replace('{{to}}', 'Süd'),
  ])
})

test('each change has its line', () => {
  const lines = moveLines(i18next.t, {
    ...plain,
    removed: [role('Reader', 'Nord'), role('Writer', 'Hall')],
    given: [role('Guest', 'Süd')],
    kept: [role('Helper', 'West')],
    elsewhere: 2,
    needsConsent: true,
    needsTwoFactor: true,
    signOns: 1,
  })
  expect(lines).toHaveLength(8)
  expect(lines[0]).toContain('Reader (Nord), Writer (Hall)')
  expect(lines).not.toContain(en.users.move.noRoles)
})
