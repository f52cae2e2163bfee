import { expect, test } from 'vitest'
import { isVisit, thingsOf, type Visit, withVisit } from './visitList.ts'

const visit = (path: string, change: Partial<Visit> = {}): Visit => ({
  userId: 1,
  path,
  key: 'device',
  title: path.slice(1),
  ...change,
})

test.each([
  [visit('/a/1'), true],
  [{ userId: 1, path: '/home', key: 'home' }, true],
  [visit('javascript:alert(1)'), false],
  [visit('/a?b'), false],
  [{ ...visit('/a'), title: 1 }, false],
  [{ ...visit('/a'), key: undefined }, false],
  [{ ...visit('/a'), userId: '1' }, false],
  [null, false],
  ['/a', false],
])('%j can be linked to: %s', (value, known) => {
  expect(isVisit(value)).toBe(known)
})

test('a page comes in front, with its new title, once for each user', () => {
  const visits = [visit('/a'), visit('/b'), visit('/b', { userId: 2 })]
  expect(withVisit(visits, visit('/b', { title: 'New' }))).toEqual([
    visit('/b', { title: 'New' }),
    visit('/a'),
    visit('/b', { userId: 2 }),
  ])
})

test('old visits are dropped', () => {
  let visits: Visit[] = []
  for (let n = 0; n < 100; n++) visits = withVisit(visits, visit(`/a/${n}`))
  expect(visits).toHaveLength(60)
  expect(visits[0]?.path).toBe('/a/99')
})

test('things of a user, without screens and the page that is shown', () => {
  const visits = [
    visit('/shown'),
    { userId: 1, path: '/home', key: 'home' },
    visit('/b', { userId: 2 }),
    visit('/c'),
  ]
  expect(thingsOf(visits, 1, '/shown')).toEqual([visit('/c')])
})
