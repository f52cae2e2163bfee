import { describe, expect, test } from 'vitest'
import { changedPaths, refusedAt, shownFaults } from './fieldFaults.ts'

const nothing = { tried: false, left: new Set<string>() }

describe('faults shown while somebody types', () => {
  const found = { name: 'missing', 'settings.port': 'too big' }
  test.each([
    ['nothing before a field was left', nothing, {}],
    [
      'that of a field that was left',
      { tried: false, left: new Set(['settings.port']) },
      { 'settings.port': 'too big' },
    ],
    ['all once a save was tried', { tried: true, left: new Set<string>() }, found],
  ])('%s', (_name, progress, expected) => {
    expect(shownFaults(found, {}, { name: '' }, progress)).toEqual(expected)
  })

  test('what the server refused stays until that value is changed', () => {
    const refused = refusedAt({ name: 'taken', 'settings.host': 'unknown' }, { name: 'a', settings: {} })
    expect(shownFaults({}, refused, { name: 'a', settings: {} }, nothing)).toEqual({
      name: 'taken',
      'settings.host': 'unknown',
    })
    expect(shownFaults({}, refused, { name: 'b', settings: { host: 'x' } }, nothing)).toEqual({})
  })

  test('what is found now takes the place of what the server said about the same value', () => {
    const refused = refusedAt({ name: 'taken' }, { name: 'a' })
    expect(shownFaults({ name: 'too short' }, refused, { name: 'a' }, { ...nothing, tried: true })).toEqual({
      name: 'too short',
    })
  })
})

describe('fields that do not say they were left', () => {
  const start = { tags: ['a'], rows: [{ name: 'x' }], icon: null as string | null, text: 'old' }
  test.each([
    ['an unchanged one', {}, ['tags', 'text'], []],
    ['one with another value', { tags: ['a', ''] }, ['tags', 'tags.1'], ['tags']],
    ['one that was emptied', { text: '' }, ['text'], ['text']],
    ['a row that was just added', { rows: [{ name: 'x' }, { name: '' }] }, ['rows.1.name'], []],
    [
      'a row that was filled in',
      { rows: [{ name: 'x' }, { name: 'x' }] },
      ['rows.1.name', 'rows.0.name'],
      ['rows.1.name'],
    ],
    ['one that does not exist', {}, ['constructor', 'text.length', 'a.b.c'], []],
  ])('%s', (_name, change, paths, expected) => {
    expect(changedPaths(paths, { ...start, ...change }, start)).toEqual(expected)
  })
})
