import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'

function Probe({ run }: { run: () => void }) {
  run()
  return null
}

/** What a hook returns at its first rendering, with these answers of the server in the cache. */
export function renderHook<Result>(use: () => Result, fill: (cache: QueryClient) => void = () => {}): Result {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  fill(cache)
  const results: Result[] = []
  const probe = createElement(Probe, { run: () => void results.push(use()) })
  renderToString(createElement(QueryClientProvider, { client: cache }, probe))
  const [result] = results
  if (result === undefined) throw new Error('the hook was not called')
  return result
}
