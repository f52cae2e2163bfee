import { expect, test } from 'vitest'
import { quickEntries } from './quick.ts'

const favorites = ['a', 'b', 'c', 'd'].map((name) => ({ path: `/${name}`, title: name }))
const visits = ['x', 'b', 'y', 'z', 'w', 'v'].map((name) => ({
  userId: 1,
  path: `/${name}`,
  key: 'device',
  title: name,
}))
const titles = (entries: ReturnType<typeof quickEntries>) =>
  entries.map(({ title, favorite }) => (favorite ? `${title}*` : title))

test('favourites come first and leave room for what was opened lately', () => {
  expect(titles(quickEntries(favorites, visits, 1, '/other'))).toEqual(['a*', 'b*', 'x'])
})

test('a favourite is not named again, nor the page that is shown', () => {
  expect(titles(quickEntries(favorites.slice(1, 2), visits, 1, '/x'))).toEqual(['b*', 'y', 'z'])
})

test('others see nothing of it', () => {
  expect(quickEntries([], visits, 2, '/')).toEqual([])
})
