import { isContractProcedure } from '@orpc/contract'
import { expect, test } from 'vitest'
import type { OperationMeta } from './common.ts'
import { contract } from './index.ts'
import { clientTimeoutOf, serverTimeoutOf } from './timeouts.ts'

/** Section 9 of the specification; calls it does not name use the client's default of 10 s. */
const specified: Readonly<Record<string, number>> = {
  'POST /auth/login': 5_000,
  'GET /auth/verify': 5_000,
  'GET /auth/logout': 5_000,
  'POST /auth/impersonate': 5_000,
  'POST /auth/restore': 5_000,
  'POST /auth/exchange-token': 5_000,
  'GET /tenant/fetch/all': 30_000,
  'GET /user': 45_000,
  'POST /user/feedback': 50_000,
  'POST /upload/post': 50_000,
  'POST /upload/v2/post': 50_000,
  'GET /upload/file/{id}': 50_000,
  'POST /system/console': 90_000,
  'GET /activityLog/csv-export': 210_000,
  'POST /time-series/search': 25_000,
  'POST /time-series/search-aggregated': 25_000,
  'GET /dashboards': 25_000,
  'GET /virtualdevice': 25_000,
  'GET /virtualdevice/geo-cluster-check': 25_000,
  'GET /virtualdevice/geo-meta-infos': 25_000,
  'GET /virtualdevice/geo-clusters': 25_000,
  'GET /virtualdevice/geo-clusters/break-open/{id}': 25_000,
  'DELETE /virtualdevice/{id}': 30_000,
  'GET /alarm-logs': 60_000,
  'GET /digitaltwin': 10_000,
  'GET /digitaltwin/{id}': 10_000,
  'PUT /virtualdevice/{id}': 10_000,
  'GET /background-jobs': 10_000,
}

function metaByCall(router: object): [call: string, meta: OperationMeta][] {
  return Object.values(router).flatMap((each): [string, OperationMeta][] => {
    if (!isContractProcedure(each)) return metaByCall(each as object)
    const { route, meta } = each['~orpc']
    return [[`${route.method} ${route.path}`, meta as OperationMeta]]
  })
}

const calls = new Map(metaByCall(contract))

test.each(Object.entries(specified))('%s is waited for %i ms', (call, ms) => {
  const meta = calls.get(call)
  expect(meta).toBeDefined()
  expect(clientTimeoutOf(meta ?? {})).toBe(ms)
})

test('the server gives up at half of the time of its client', () => {
  for (const meta of calls.values()) expect(serverTimeoutOf(meta)).toBe(clientTimeoutOf(meta) / 2)
})
