import { isContractProcedure } from '@orpc/contract'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from './index.ts'

/**
 * The calls of the specification about devices, twins, states, sharing, templates, drivers, smart groups, alarms, background jobs and
 * exports, with the parameters it names.
 */
const specified: Readonly<Record<string, readonly string[]>> = {
  'GET /virtualdevice': [
    ...['user_id', 'scope_ids', 'offset', 'limit', 'search_items', 'filters', 'order_by', 'options'],
    ...[
      'restricted_query',
      'search_operator',
      'include_identifiers',
      'include_properties',
      'include_drivers',
    ],
    'ids_only',
  ],
  'GET /virtualdevice/groups': ['account_ids'],
  'GET /virtualdevice/tags-zones': [],
  'GET /virtualdevice/geo-cluster-check': [],
  'GET /virtualdevice/geo-meta-infos': [],
  'GET /virtualdevice/geo-clusters': ['distance'],
  'GET /virtualdevice/geo-clusters/break-open/{}': [],
  'GET /virtualdevice/{}/geo-history': [],
  'POST /virtualdevice/devicetype/{}/parse': [],
  'GET /virtualdevice/{}': ['options'],
  'GET /virtualdevice/fetchByBridgeType/{}': [],
  'POST /virtualdevice': [],
  'PUT /virtualdevice/bulk-update': [],
  'PUT /virtualdevice/{}': [],
  'POST /virtualdevice/{}/disabled/{}': [],
  'DELETE /virtualdevice/{}': ['delete_remotely'],
  'GET /virtualdevice/{}/dependencies': [],
  'POST /virtualdevice/{}/synchronize': [],
  'POST /virtualdevice/{}/health-state-sync': [],
  'PUT /virtualdevice/{}/health-config/update/{}': [],
  'GET /virtualdevice/statistics/{}': [],
  'POST /virtualdevice/statistics': [],
  'POST /digitaltwin/device-templates': [],
  'PUT /digitaltwin/device-templates/{}': [],
  'GET /digitaltwin/device-templates/list': [],
  'GET /digitaltwin/device-templates/{}': [],
  'GET /digitaltwin/device-templates/{}/draft': [],
  'GET /digitaltwin/device-templates/{}/productive': [],
  'GET /digitaltwin/device-templates/fetch-smart-group-related-templates': [],
  'DELETE /digitaltwin/device-templates/{}': [],
  'POST /digitaltwin/device-templates/{}/publish-and-sync': [],
  'GET /digitaltwin/device-templates/{}/fetch-linked-devices': [],
  'POST /virtualdevice/{}/devicetemplate-unlink': [],
  'GET /devicedrivers': [],
  'GET /devicedrivers/{}': [],
  'POST /devicedrivers': [],
  'PUT /devicedrivers/{}': [],
  'DELETE /devicedrivers/{}': [],
  'POST /dispatcher/devicedriver/parse': [],
  'GET /digitaltwin': [
    ...['user_id', 'scope_ids', 'offset', 'limit', 'search_items', 'filters', 'order_by', 'options'],
    ...['include_identifiers', 'include_properties'],
  ],
  'GET /digitaltwin/tags-zones': [],
  'GET /digitaltwin/children/{}': [],
  'GET /digitaltwin/partial-tree': [],
  'POST /digitaltwin/{}/disabled/{}': [],
  'GET /digitaltwin/{}/dependencies': [],
  'POST /digitaltwin/{}/synchronize': [],
  'POST /background-runners/digitaltwin-bulk-duplicate': ['id', 'twinsData'],
  'GET /digitaltwin/{}/geo-history': [],
  'GET /digitaltwin/geo-meta-infos': [],
  'GET /digitaltwin/geo-clusters': ['distance', 'excludeZones', 'hideStatelessPolygons'],
  'GET /digitaltwin/geo-clusters/break-open/{}': [],
  'POST /digitaltwin/{}/create-scope': [],
  'GET /digitaltwin/{}': [],
  'POST /digitaltwin': [],
  'PUT /digitaltwin/{}': [],
  'DELETE /digitaltwin/{}': [],
  'GET /digitaltwin/{}/sharing/can-share': [],
  'GET /digitaltwin/{}/sharing/is-shared': [],
  'GET /digitaltwin/{}/sharing/find-existing-key': [],
  'POST /digitaltwin/{}/sharing/create-key': [],
  'DELETE /digitaltwin/{}/sharing/delete-key': [],
  'POST /digitaltwin/states/history/search': [],
  'POST /digitaltwin/states/postgres-fetch': [],
  'POST /time-series/search': ['startDate', 'endDate'],
  'POST /time-series/search-aggregated': [
    ...['startDate', 'endDate', 'method', 'duration'],
    ...['min', 'max', 'latest', 'rawData'],
  ],
  'POST /digitaltwin/states': [],
  'GET /digitaltwin/states/{}': [],
  'PUT /digitaltwin/states/{}': [],
  'DELETE /digitaltwin/states/{}': [],
  'PUT /digitaltwin/states/{}/value': [],
  'PUT /digitaltwin/states/order': [],
  'GET /digitaltwin/states/{}/linked-aggregations': [],
  'POST /digitaltwin/states/aggregate/value': [],
  'POST /digitaltwin/states/checkForAggregateLoop': [],
  'POST /virtualdevice/views': ['title', 'accountId', 'filter', 'monitoring'],
  'PUT /virtualdevice/views/{}': [],
  'DELETE /virtualdevice/views/{}': [],
  'GET /virtualdevice/views/{}': [],
  'GET /virtualdevice/views': ['tenantIds'],
  'POST /virtualdevice/views/{}/execute': [],
  'GET /virtualdevice/views/{}/packet-statistics': [],
  'GET /virtualdevice/views/{}/device-statistics': [],
  'GET /alarm-logs': ['status', 'severity', 'categories', 'operationalStatus', 'accountIds'],
  'POST /alarm-logs/{}/comments': [],
  'POST /alarm-logs/comments/batch': ['ids'],
  'GET /alarm-logs/reports': [],
  'POST /alarm-logs/reports': ['title', 'groupId', 'type', 'conditions', 'language', 'subject', 'tables'],
  'PUT /alarm-logs/reports/{}': [],
  'DELETE /alarm-logs/reports/{}': [],
  'POST /alarm-logs/reports/test-report-execution': [],
  'GET /background-jobs': [],
  'GET /background-jobs/{}': [],
  'DELETE /background-jobs/{}': [],
  'POST /background-jobs/{}/cancel': [],
  'POST /background-jobs/{}/retry': [],
  'GET /background-jobs/definitions': [],
  'POST /background-jobs/definitions': [],
  'PUT /background-jobs/definitions/{}': [],
  'DELETE /background-jobs/definitions/{}': [],
  'POST /background-jobs/definitions/{}/run': [],
  'PATCH /background-jobs/definitions/{}/active': ['active'],
  'POST /background-runners/device-states-export': [],
  'POST /background-runners/bulk-device-states-export': [],
  'POST /background-runners/virtualdevice-bulk-edit': [],
  'POST /background-runners/virtualdevice-bulk-import': [],
  'GET /export-schedules': [],
  'POST /export-schedules': ['title', 'content', 'range', 'timeZone', 'frequency', 'targets'],
  'PUT /export-schedules/{}': [],
  'DELETE /export-schedules/{}': [],
  'POST /export-schedules/{}/run': [],
}

/** Operations by method and path, with the names of their parameters. */
function callsOf(router: object): [call: string, parameters: string[]][] {
  return Object.values(router).flatMap((each): [string, string[]][] => {
    if (!isContractProcedure(each)) return callsOf(each as object)
    const { route, inputSchema } = each['~orpc']
    const names = inputSchema instanceof z.ZodObject ? Object.keys(inputSchema.shape) : []
    return [[`${route.method} ${route.path?.replace(/\{\w+\}/g, '{}')}`, names]]
  })
}

describe('a call of the specification', () => {
  const calls = new Map(callsOf(contract))
  it.each(Object.entries(specified))('%s takes %j', (call, parameters) => {
    expect(calls.get(call)).toEqual(expect.arrayContaining([...parameters]))
  })
})
