import { describe, expect, test } from 'vitest'
import { screenByPath } from './routes.ts'
import { notStarted, pressed } from './shortcutKeys.ts'
import { sequences } from './shortcutState.ts'

/** What the last of several keys does; each is pressed `gapMs` after the one before. */
function typed(keys: string, gapMs = 100) {
  let startedAtMs = notStarted
  let act: ReturnType<typeof pressed>['act']
  let atMs = 0
  for (const key of keys) {
    ;({ act, startedAtMs } = { act: undefined, ...pressed(key, atMs, startedAtMs) })
    atMs += gapMs
  }
  return act
}

describe('keys', () => {
  test.each([
    ['?', 'help'],
    ['/', 'search'],
    ['gh', { to: '/home' }],
    ['gd', { to: '/dashboards' }],
    ['gt', { to: '/digitaltwin-mgmt' }],
    ['gv', { to: '/virtual-devices' }],
    ['g', undefined],
    ['h', undefined],
    ['xh', undefined],
    ['gx', undefined],
    ['gxh', undefined],
    ['ghd', undefined],
    ['ggd', { to: '/dashboards' }],
    ['GH', undefined],
    ['gH', undefined],
  ])('%s', (keys, act) => {
    expect(typed(keys)).toEqual(act)
  })

  test('of a sequence have to follow each other', () => {
    expect(typed('gh', 1199)).toEqual({ to: '/home' })
    expect(typed('gh', 1200)).toBeUndefined()
  })

  test('right after the page was loaded are no second keys', () => {
    for (const { key } of sequences) expect(pressed(key, 5, notStarted).act).toBeUndefined()
  })
})

test('every sequence leads to a screen, by a key of its own that is none of the others', () => {
  for (const { to } of sequences) expect(screenByPath(to), to).toBeDefined()
  const keys = sequences.map(({ key }) => key)
  expect(new Set([...keys, 'g', '?', '/']).size).toBe(keys.length + 3)
})
