import { contract } from '@leitstand/contract'
import { expect, test } from 'vitest'
import boot from '../../public/boot.js?raw'
import { defaultPageSize } from '../lib/pageSize.ts'
import { asks } from './asks.ts'
import { screens } from './routes.ts'

interface Node {
  '~orpc'?: { route: { method?: string; path?: string } }
}

/** Paths of all GET operations, with `$` for parameters. */
function getPaths(node: Node): string[] {
  const route = node['~orpc']?.route
  if (route) return route.method === 'GET' ? [(route.path ?? '').replace(/\{\w+\}/g, '$')] : []
  return Object.values(node as Record<string, Node>).flatMap(getPaths)
}

const known = new Set(getPaths(contract as Node))

test.each(Object.entries(asks))('%s asks for what the API has', (path, { calls }) => {
  expect(screens.filter((screen) => screen.path === path && screen.load)).toHaveLength(1)
  for (const call of calls) {
    const [asked = ''] = call.split('?')
    for (const [name] of asked.matchAll(/\$\w+/g)) expect(path.split('/')).toContain(name)
    expect(known.has(asked.replace(/\$\w+|\/0$/g, (part) => (part === '/0' ? '/$' : '$')))).toBe(true)
  }
})

test('lists are asked for with as many rows as they show', () => {
  expect(boot).toContain(`?? '${defaultPageSize}'`)
})
