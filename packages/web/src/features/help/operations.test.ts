import { expect, test } from 'vitest'
import { operationsOf } from './operations.ts'

test('operations are listed by subject, then path, with their method', () => {
  const description = {
    paths: {
      '/b': { get: { summary: 'Read b', tags: ['x'] }, delete: { summary: 'Delete b', tags: ['x'] } },
      '/a': { post: { summary: 'Create a', tags: ['x', 'y'] }, parameters: {} },
      '/z': { put: { tags: ['a'] } },
    },
  }
  expect(operationsOf(description)).toEqual([
    { method: 'PUT', path: '/z', summary: '', tag: 'a' },
    { method: 'POST', path: '/a', summary: 'Create a', tag: 'x' },
    { method: 'GET', path: '/b', summary: 'Read b', tag: 'x' },
    { method: 'DELETE', path: '/b', summary: 'Delete b', tag: 'x' },
  ])
})

test.each([{}, { paths: {} }, { paths: { '/a': {} } }])('%j has none', (description) => {
  expect(operationsOf(description)).toEqual([])
})

test('an operation without a subject is listed first', () => {
  const description = { paths: { '/b': { get: { tags: ['x'] } }, '/c': { get: {} } } }
  expect(operationsOf(description).map(({ path }) => path)).toEqual(['/c', '/b'])
})
