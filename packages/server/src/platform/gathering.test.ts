import { expect, test } from 'vitest'
import { Gathering } from './gathering.ts'

function gathering() {
  return new Gathering({ factor: 2, maxMs: 60, besideOthersMs: 30, enough: 100, gapMs: 5 })
}

const some = (newestAt: number) => ({ items: 10, groups: 1, newestAt })

test('the first batch begins at once, and so does one long after the last', () => {
  const own = gathering()
  expect(own.waitMs(1000, some(1000))).toBe(0)
  own.begin(1000)
  own.took(20)
  expect(own.waitMs(1040, some(1040))).toBe(0)
})

test('while items keep coming, a batch waits as long as the last one took', () => {
  const own = gathering()
  own.begin(1000)
  own.took(20)
  expect(own.waitMs(1020, some(1020))).toBe(5)
  expect(own.waitMs(1025, some(1024))).toBe(4)
  expect(own.waitMs(1037, some(1037))).toBe(3)
  expect(own.waitMs(1040, some(1040))).toBe(0)
})

test('when nothing has come for a moment, it does not wait for more', () => {
  const own = gathering()
  own.begin(1000)
  own.took(20)
  expect(own.waitMs(1020, some(1015))).toBe(0)
})

test('a slow batch does not make the next one wait for longer than the limit', () => {
  const own = gathering()
  own.begin(1000)
  own.took(5000)
  expect(own.waitMs(1058, some(1058))).toBe(2)
  expect(own.waitMs(1060, some(1060))).toBe(0)
})

test('a batch with enough items does not wait', () => {
  const own = gathering()
  own.begin(1000)
  own.took(20)
  expect(own.waitMs(1020, { items: 99, groups: 1, newestAt: 1020 })).toBe(5)
  expect(own.waitMs(1020, { items: 100, groups: 1, newestAt: 1020 })).toBe(0)
})

test('while several groups wait, the wait is shorter', () => {
  const own = gathering()
  own.begin(1000)
  own.took(20)
  expect(own.waitMs(1029, { items: 10, groups: 2, newestAt: 1029 })).toBe(1)
  expect(own.waitMs(1030, { items: 10, groups: 2, newestAt: 1030 })).toBe(0)
})
