import type { FetchQueryOptions } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { openBrowser } from '../../test/browser.ts'
import { asks } from './asks.ts'

const browser = openBrowser()
const { queryClient } = await import('../lib/api.ts')
const { firstQueries } = await import('./firstData.ts')

test.each(Object.entries(firstQueries))('%s reads only what was requested early', async (path, queries) => {
  const asked = (asks[path]?.calls ?? []).map((call) =>
    call.replace(/\$(id|twinId)/, '7').replace('$size', '20'),
  )
  for (const call of asked) browser.answer(`GET ${call.split('?')[0]}`, {})
  await Promise.all(
    queries({ id: 7, size: 20 }).map((options) => queryClient.fetchQuery(options as FetchQueryOptions)),
  )
  queryClient.clear()
  const requested = browser.calls.map(({ route, query }) => {
    const search = new URLSearchParams(query).toString()
    return `${route.replace('GET ', '')}${search === '' ? '' : `?${search}`}`
  })
  expect(requested.length).toBeGreaterThan(0)
  expect(asked).toEqual(expect.arrayContaining(requested))
})
