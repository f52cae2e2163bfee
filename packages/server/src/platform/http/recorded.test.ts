import { expect, test } from 'vitest'
import { handlers, operations, reachedFrom, type Unit } from '../../../test/callGraph.ts'

/**
 * Every operation that changes something is recorded in the activity log: a chain of calls leads from its
 * handler to `recordActivity`. Checked in the source, so that a new operation is covered at once; the tests
 * of the features check that the entry is correct.
 */

/** Operations other than GET without an entry, with the reason. */
const unrecorded: Readonly<Record<string, string>> = {
  'alarmReports.test': 'sends the caller a report, or only shows it; it changes nothing',
  'alarmNotifications.test': 'sends its user an example; it changes nothing',
  'announcement.dismiss': 'what people set for themselves alone',
  'acl.checkAccess': 'asks only',
  'bridge.validate': 'asks only',
  'bulk.preview': 'asks only',
  'bulk.selection': 'asks only',
  'bulk.upload': 'kept for a day for nobody else; the import of the file records it',
  'bulkDuplicate.preview': 'asks only',
  'bulkDuplicate.upload': 'kept for a day for nobody else; the job that copies the twin records it',
  'dashboards.dataByDefinition': 'asks only',
  'ddr.convertConditions': 'asks only',
  'ddr.previewTwins': 'asks only',
  'ddr.testConditions': 'asks only',
  'digitaltwin.worstLevels': 'asks only',
  'letters.redecodePreview': 'asks only',
  'dispatcher.parse': 'asks only',
  'dispatcher.parseOfType': 'asks only',
  'exporting.preview': 'asks only',
  'exportSchedules.checkTarget': 'asks only, and deletes what it has stored there',
  'exportSchedules.preview': 'asks only',
  'favorite.create': 'what people set for themselves alone',
  'favorite.delete': 'what people set for themselves alone',
  'mailTemplate.render': 'asks only',
  'oauth2Client.validate': 'asks only',
  'diskUsage.measure': 'measures only',
  'oidcClient.validate': 'asks only',
  'password.forgot': 'answers before it looks for the user; the job that sends the link records it',
  'series.postgresFetch': 'asks only',
  'series.search': 'asks only',
  'series.searchAggregated': 'asks only',
  'series.searchHistory': 'asks only',
  'shared.series': 'asks only',
  'shared.unlock': 'lets a visitor read, who is nobody the log could name',
  'smartGroup.execute': 'asks only',
  'state.aggregateMembers': 'asks only',
  'state.aggregateValue': 'asks only',
  'state.checkForAggregateLoop': 'asks only',
  'state.windowValue': 'asks only',
  'stateOverview.exportFile': 'asks only',
  'stateOverview.fetch': 'asks only',
  'twinBulk.selection': 'asks only',
  'twofactor.setUp': 'nothing counts before `enable`, which records it',
  'user.setProperties': 'what people set for themselves alone',
  'user.validate': 'asks only',
  'virtualdevice.statistics': 'asks only',
}

/**
 * Whether a call chain leads to an entry; `jobs.create` writes one with each background job
 * (`features/jobs`).
 */
function isRecorded(start: Unit): boolean {
  for (const { names, methods } of reachedFrom(start))
    if (names.has('recordActivity') || names.has('recordActivities') || methods.has('jobs.create'))
      return true
  return false
}

const writing = operations.filter(({ method }) => method !== 'GET')

test('every writing operation records what it does, or stands in the list with a reason', () => {
  const silent = writing.filter(({ name }) => {
    const handler = handlers.get(name)
    return handler === undefined || !isRecorded(handler)
  })
  expect(silent.map(({ name }) => name).sort()).toEqual(Object.keys(unrecorded).sort())
})

test('the search for it tells one that records from one that does not', () => {
  const recorded = (name: string) => {
    const handler = handlers.get(name)
    return handler !== undefined && isRecorded(handler)
  }
  expect(
    ['tenant.update', 'acl.deleteRole', 'user.create', 'virtualdevice.update'].filter(recorded),
  ).toHaveLength(4)
  // Operations that only read must not match.
  expect(['acl.listRules', 'favorite.list', 'user.list', 'tenant.fetchAll'].filter(recorded)).toEqual([])
})
