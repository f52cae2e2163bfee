import { expect, it } from 'vitest'
import { screens } from '../app/routes.ts'
import { isFramePage, isShownInFrame, liveTokenOf } from './visitor.ts'

it('frames are allowed at the address of a link alone', () => {
  expect(['/public/lss_a', '/public/lss_a/'].map(isFramePage)).toEqual([true, true])
  expect(['/', '/public', '/public/', '/public/a/b', '/x/public/a'].map(isFramePage)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

it('shows no screen in a frame that needs a session', () => {
  const shown = screens.filter(({ key }) => isShownInFrame(key))
  expect(shown.map(({ key, rule }) => [key, rule])).toEqual([
    ['error', 'public'],
    ['publicTiles', 'public'],
    ['publicMap', 'public'],
  ])
})

it('the live connection gets the key, and the access where there is a password', () => {
  expect(liveTokenOf({ key: 'lss_a', access: null })).toBe('lss_a')
  expect(liveTokenOf({ key: 'lss_a', access: 'b.c' })).toBe('lss_a~b.c')
})
